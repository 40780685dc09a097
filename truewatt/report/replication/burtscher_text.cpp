#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"
#include "truewatt/report/replication/burtscher_words.hpp"
#include "truewatt/report/replication/protocol_text.hpp"

namespace truewatt::report {

std::string burtscher_text(const Profile& profile, const std::vector<std::string>& notes,
                           const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = fmt::format(
      "\n Sensors of {} by the procedures of Burtscher, Zecena, Zong (GPGPU-7, 2014), {:.0f} s of "
      "device time\n",
      printable(profile.device.name), profile.duration_s);
  for (const ProtocolTable& table : burtscher_tables(profile)) {
    text += "\n " + table.caption + "\n";
    text +=
        to_text({.head = {table.names, table.units}, .rows = table.rows, .left_aligned = 1}, "   ");
  }
  text += "\n";
  for (const ProtocolReason& reason : burtscher_reasons(profile)) {
    text += hanging(
        "   - ", fmt::format("{}: {} ({})", reason.code, reason.sentence, reason.sources), width);
  }
  for (const std::string& note : notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

}  // namespace truewatt::report
