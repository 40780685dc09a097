#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"

/// What is published about the power readings of GPUs that nobody here has characterized: Yang,
/// Adamek, Armour, "Accurate and Convenient Energy Measurements for GPUs", SC'24 (Yang 2024), its
/// Fig. 14, Table I and Fig. 9, the spreadsheet of its artifact, and what recorded traces say
/// against them (docs/catalogue.md). Constant data and pure functions; any thread.
namespace truewatt::catalogue {

inline constexpr std::string_view kCitation =
    "Yang, Adamek, Armour, Accurate and Convenient Energy Measurements for GPUs, SC'24, Fig. 9, "
    "Fig. 14, Table I and section VI";

/// The rows of Fig. 14, newest first, and the superchip, of which only section VI speaks.
enum class Family {
  gh200,
  hopper,
  ada,
  ampere,
  ga100,
  turing,
  volta,
  pascal,
  maxwell_2,
  maxwell_1,
  kepler_2,
  kepler_1,
  fermi_2,
  fermi_1
};
std::span<const Family> families();
/// As in Fig. 14: "Ampere (not GA100)".
std::string_view name_of(Family family);
/// For programs: "ampere".
std::string_view key_of(Family family);
/// Families whose key is `name` or whose name begins with its words, whatever the case: "Kepler"
/// names two.
std::vector<Family> families_named(std::string_view name);

/// Age of a driver against driver 530, by the DAY of its release and not by its number: the
/// releases of 30 March 2023 brought power.average and power.instant to older branches too
/// (525.105.17).
enum class Era { pre_530, v530, post_530 };
std::span<const Era> eras();
std::string_view key_of(Era era);   ///< "pre-530", "530", "post-530"
std::string_view name_of(Era era);  ///< for people

/// What tells the age of a driver. What answers counts; the version is only a hint.
struct DriverHints {
  std::vector<SourceId> answering;  ///< sources that answer; empty: not known
  std::string version;              ///< "535.104.05"; anything else says nothing
};
/// The age that a version alone tells. Nothing for branches that were released before and after
/// that day under one number (450, 470, 515), for Windows' numbers between 525 and 535, and for
/// what is no version.
std::optional<Era> era_of(std::string_view version);
/// Every age that the hints allow, oldest first; never empty.
std::vector<Era> possible_eras(const DriverHints& hints);

enum class Response {
  instant,      ///< the reading follows at its next update
  ramp,         ///< a line over the averaging window
  logarithmic,  ///< rises over several updates like a charging capacitor
  estimated,    ///< not measured but computed by the driver
  unsupported
};

std::string_view name_of(Response response);  ///< "instant", ..., "unsupported"

/// One code of Fig. 14's legend: how a source looks at the power. Absent: the legend says N/A.
struct Behaviour {
  std::string_view code;  ///< "1" to "8" as in Fig. 14, "gh200.gpu" and "gh200.cpu"
  Response response = Response::unsupported;
  std::optional<Seconds> update_period;
  std::optional<Seconds> averaging_window;
  std::string_view rise;  ///< in words
  bool supported() const { return response != Response::unsupported; }
};
/// The legend of Fig. 14, codes 1 to 8 in order.
std::span<const Behaviour> legend();

/// Where a number comes from.
enum class Provenance {
  figure,       ///< Fig. 14
  text,         ///< the paper's words only
  spreadsheet,  ///< single rows of the artifact's spreadsheet
  recorded      ///< fits to recorded traces, the boards' own or a meter's
};
std::string_view name_of(Provenance provenance);

/// What is published about one source of one family under drivers of one age.
struct Entry {
  Family family = Family::gh200;
  Era era = Era::post_530;
  SourceId source;  ///< power.usage is nvidia-smi's power.draw
  const Behaviour* behaviour = nullptr;
  Provenance provenance = Provenance::figure;
};
/// Every entry of a family, oldest drivers first, unsupported ones included.
std::vector<Entry> entries(Family family);
/// The entries of one source, one for each age that the hints allow; none for a source that nobody
/// published about (energy counters, sample buffers).
std::vector<Entry> find_entries(Family family, SourceId source, const DriverHints& hints = {});

/// From the least to the most that was seen.
struct Range {
  Seconds lower{0};
  Seconds upper{0};
};

/// A finding beside Fig. 14 about one family, and whether it speaks against it.
struct Finding {
  Family family = Family::gh200;
  std::string_view code;   ///< of the behaviour that it is about; "": of the family
  std::string_view board;  ///< "": of no one board
  Provenance provenance = Provenance::spreadsheet;
  bool contradicts = false;
  std::string_view text;
  std::optional<Range> update_period;
  std::optional<Range> averaging_window;
  std::optional<Range> rise_time;      ///< 10 to 90 %
  std::optional<Range> time_constant;  ///< the source is a first-order filter
};
std::vector<Finding> findings(Family family);

/// A line of Table I: how many boards of a model were tested.
struct TestedModel {
  std::string_view name;   ///< as printed there
  std::string_view model;  ///< as find_product() names it
  Family family = Family::gh200;
  int count = 0;
};
std::span<const TestedModel> tested_models();

}  // namespace truewatt::catalogue
