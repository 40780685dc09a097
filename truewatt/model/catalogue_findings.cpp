// What is known beside Fig. 14: rows of the artifact's spreadsheet that agree with it or do not,
// and fits to recorded traces. The recorded ones: Yang 2024's public traces of an A100, an
// RTX 3090 and a K40m together with its meter's (tests/data/sc24), and traces of an H200 with
// driver 580 (tests/data/h200).
#include <array>

#include "truewatt/model/catalogue_tables.hpp"

namespace truewatt::catalogue {
namespace {

constexpr std::string_view kByDate =
    "Rows with drivers 525.105.17 and 525.116.04 already have the queries that driver 530 brought: "
    "the columns of Fig. 14 are release dates, not version numbers.";
constexpr std::string_view kAverageRises = "Rises of averages take 874 to 950 ms.";
constexpr std::string_view kBoardRises =
    "Rises of 209 to 306 ms on GeForce boards are the board's own, not the source's.";

constexpr Range ms(double lower, double upper) {
  return {Seconds(lower / 1000), Seconds(upper / 1000)};
}

constexpr std::array kFindings = {
    Finding{.family = Family::gh200,
            .code = "gh200.gpu",
            .provenance = Provenance::text,
            .text = "power.instant claims to be the GPU's and is the whole module's: it reacts to "
                    "the load of the CPU, and is always above power.average."},
    Finding{.family = Family::gh200,
            .provenance = Provenance::text,
            .text = "Window and update of power.usage and power.average are not given. ACPI's "
                    "power meters average over 50 ms, with swings of more than 100 W."},
    Finding{.family = Family::gh200,
            .provenance = Provenance::spreadsheet,
            .text = "Counted in Table I, but without a row in the spreadsheet."},

    Finding{.family = Family::hopper,
            .code = "1",
            .board = "H100",
            .text = "Windows of 21 to 25 ms, rises within 15 to 120 ms.",
            .averaging_window = ms(21, 25),
            .rise_time = ms(15, 120)},
    Finding{.family = Family::hopper, .board = "H100", .contradicts = true, .text = kByDate},
    Finding{
        .family = Family::hopper, .code = "3", .text = kAverageRises, .rise_time = ms(874, 950)},
    Finding{.family = Family::hopper,
            .code = "1",
            .board = "H200",
            .provenance = Provenance::recorded,
            .contradicts = true,
            .text = "Not a window of 25 ms but a first-order filter with a time constant of 13 ms, "
                    "sampled every 100 ms: 2 x 13 ms is its equivalent window (driver 580).",
            .time_constant = ms(12.6, 13.2)},
    Finding{.family = Family::hopper,
            .code = "3",
            .board = "H200",
            .provenance = Provenance::recorded,
            .text = "The mean of the last 50 samples of that filter, 20 ms apart.",
            .averaging_window = ms(1005, 1025)},

    Finding{.family = Family::ada,
            .code = "2",
            .board = "RTX 4090",
            .contradicts = true,
            .text = "Windows of 108 to 115 ms, each +-12 to 18 ms.",
            .averaging_window = ms(108, 115)},
    Finding{.family = Family::ada, .code = "2", .text = kBoardRises, .rise_time = ms(209, 306)},
    Finding{.family = Family::ada, .code = "3", .text = kAverageRises, .rise_time = ms(874, 950)},

    Finding{.family = Family::ampere,
            .code = "2",
            .board = "RTX A5000, one RTX 3090",
            .contradicts = true,
            .text = "Fits to the load's square wave give windows of 73 to 80 ms, fits to the meter "
                    "of the same runs 97 to 99 ms: the square wave is a biased stand-in for the "
                    "power.",
            .averaging_window = ms(73, 99)},
    Finding{.family = Family::ampere, .code = "2", .text = kBoardRises, .rise_time = ms(209, 306)},
    Finding{
        .family = Family::ampere, .code = "3", .text = kAverageRises, .rise_time = ms(874, 950)},
    Finding{.family = Family::ampere,
            .board = "RTX A6000",
            .text = "Table I counts ten boards, the spreadsheet has four."},
    Finding{.family = Family::ampere,
            .code = "2",
            .board = "RTX 3090",
            .provenance = Provenance::recorded,
            .text = "A true boxcar, updated every 100.0 ms.",
            .update_period = ms(100.0, 100.1),
            .averaging_window = ms(95, 105)},
    Finding{.family = Family::ampere,
            .code = "3",
            .board = "RTX 3090",
            .provenance = Provenance::recorded,
            .text = "A window of 1060 ms.",
            .averaging_window = ms(1049, 1071)},

    Finding{.family = Family::ga100,
            .code = "1",
            .board = "A100-PCIE-40GB",
            .contradicts = true,
            .text = "Windows of 17.6 to 19.2 ms on four boards of one node.",
            .averaging_window = ms(17.6, 19.2)},
    Finding{.family = Family::ga100, .board = "A100", .contradicts = true, .text = kByDate},
    Finding{.family = Family::ga100,
            .code = "1",
            .text = "Rises within 15 to 120 ms.",
            .rise_time = ms(15, 120)},
    Finding{.family = Family::ga100,
            .code = "1",
            .board = "A100-PCIE-40GB",
            .provenance = Provenance::recorded,
            .contradicts = true,
            .text = "Not a window of 25 ms but a first-order filter with a time constant of 13 ms, "
                    "sampled every 101 ms: 2 x 13 ms is its equivalent window. Against the meter "
                    "it leaves 2.0 W rms, the best window 6.6 W.",
            .update_period = ms(101.0, 101.3),
            .time_constant = ms(12.6, 13.4)},

    Finding{.family = Family::turing,
            .code = "2",
            .board = "RTX 8000",
            .contradicts = true,
            .text = "Windows of about 20 ms on all four boards.",
            .averaging_window = ms(20, 20)},
    Finding{.family = Family::turing, .contradicts = true, .text = kByDate},

    Finding{.family = Family::volta,
            .code = "4",
            .board = "V100",
            .text = "Rises of 73 to 86 ms.",
            .rise_time = ms(73, 86)},
    Finding{.family = Family::volta, .board = "V100", .contradicts = true, .text = kByDate},
    Finding{.family = Family::volta,
            .code = "4",
            .board = "V100",
            .provenance = Provenance::recorded,
            .text = "Updated every 20.0 ms (median of 9985 updates).",
            .update_period = ms(20.0, 20.2)},

    Finding{.family = Family::pascal,
            .code = "4",
            .board = "P100",
            .text = "Rises of 38 to 56 ms.",
            .rise_time = ms(38, 56)},
    Finding{.family = Family::pascal, .board = "P100", .contradicts = true, .text = kByDate},
    Finding{.family = Family::pascal,
            .code = "4",
            .board = "GTX 1080 Ti",
            .provenance = Provenance::recorded,
            .text = "Published fits of the window: 10.4 ms to the square wave, 9.9 ms to the "
                    "meter (medians).",
            .averaging_window = ms(9.85, 10.43)},

    Finding{.family = Family::maxwell_2,
            .code = "5",
            .board = "M40",
            .contradicts = true,
            .text = "Updated every 31 ms with a window of about 14 ms, rises of 38 to 56 ms.",
            .update_period = ms(31, 31),
            .averaging_window = ms(14, 14),
            .rise_time = ms(38, 56)},
    Finding{.family = Family::maxwell_2,
            .code = "5",
            .board = "GTX TITAN X",
            .text = "Rises of 340 to 349 ms, like a charging capacitor.",
            .rise_time = ms(340, 349)},

    Finding{.family = Family::maxwell_1,
            .code = "5",
            .board = "K620",
            .contradicts = true,
            .text = "Updated every 95 to 98 ms; rises of 39 to 74 ms, less than one update.",
            .update_period = ms(95, 98),
            .rise_time = ms(39, 74)},

    Finding{.family = Family::kepler_2,
            .code = "5",
            .board = "K80",
            .text = "Rises of 479 to 488 ms.",
            .rise_time = ms(479, 488)},

    Finding{.family = Family::kepler_1,
            .code = "6",
            .board = "K40m",
            .contradicts = true,
            .text = "Measured under the heading of driver 535, where Fig. 14 says that nothing is "
                    "supported since 530; rises of 89.6 ms.",
            .rise_time = ms(89.6, 89.6)},
    Finding{.family = Family::kepler_1,
            .code = "6",
            .board = "K40m",
            .provenance = Provenance::recorded,
            .text = "A first-order filter with a time constant of 52 ms; against the meter it "
                    "leaves 0.16 W rms.",
            .time_constant = ms(51.1, 52.9)},
    Finding{.family = Family::kepler_1,
            .code = "6",
            .board = "K20",
            .provenance = Provenance::text,
            .text = "Not among the boards of Fig. 14. Burtscher, Zecena, Zong (GPGPU-7, 2014): "
                    "updated at 66.7 Hz, a capacitor of 0.84 s.",
            .time_constant = ms(840, 840)},

    Finding{.family = Family::fermi_2,
            .text = "The M2090 is counted in Table I, but has no row in the spreadsheet."},
};

}  // namespace

std::span<const Finding> all_findings() { return kFindings; }

}  // namespace truewatt::catalogue
