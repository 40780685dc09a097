#include "truewatt/energy/results/reader.hpp"

#include <algorithm>

namespace truewatt::energy {

std::string_view to_string(Reader reader) {
  switch (reader) {
    case Reader::naive:
      return "naive";
    case Reader::sma:
      return "sma";
    case Reader::papi:
      return "papi";
    case Reader::mtsm:
      return "mtsm";
    case Reader::k20power:
      return "k20power";
    case Reader::yang:
      return "yang";
  }
  return "unknown";
}

std::string_view explain(Reader reader) {
  switch (reader) {
    case Reader::naive:
      return "reading held";
    case Reader::sma:
      return "polls at 66.7 Hz";
    case Reader::papi:
      return "reading at the end";
    case Reader::mtsm:
      return "polls while it ran";
    case Reader::k20power:
      return "P + C dP/dt";
    case Reader::yang:
      return "good practice";
  }
  return "";
}

std::optional<Reader> parse_reader(std::string_view name) {
  const auto* const found = std::find_if(kReaders.begin(), kReaders.end(), [name](Reader reader) {
    return to_string(reader) == name;
  });
  return found == kReaders.end() ? std::nullopt : std::optional(*found);
}

}  // namespace truewatt::energy
