#include "truewatt/energy/results/reader.hpp"

#include <algorithm>

namespace truewatt::energy {
namespace {

struct ReaderRow {
  std::string_view code;
  std::string_view words;
};

/// The compiler names the enumerator that has no row here.
constexpr ReaderRow reader_row(Reader reader) {
  switch (reader) {
    case Reader::naive:
      return {"naive", "last reading held"};
    case Reader::sma:
      return {"sma", "polls at 66.7 Hz"};
    case Reader::papi:
      return {"papi", "reading at the end"};
    case Reader::mtsm:
      return {"mtsm", "polls while it ran"};
    case Reader::k20power:
      return {"k20power", "P + C dP/dt"};
    case Reader::yang:
      return {"yang", "good practice"};
  }
  return {};
}
constexpr auto kReaderRows = rows_of<Reader, reader_row>();

}  // namespace

std::string_view to_string(Reader reader) { return row_of(kReaderRows, reader).code; }

std::string_view explain(Reader reader) { return row_of(kReaderRows, reader).words; }

std::optional<Reader> parse_reader(std::string_view name) {
  const auto reader = find_code<Reader>(kReaderRows, name);
  const bool reads_a_window =
      reader && std::find(kReaders.begin(), kReaders.end(), *reader) != kReaders.end();
  return reads_a_window ? reader : std::nullopt;
}

}  // namespace truewatt::energy
