#include "truewatt/machine_code/opcode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace truewatt::machine_code {
namespace {

/// Low nine bits of a word. Those of Turing to Blackwell, seen in ptxas' output for known PTX;
/// survival_survey_test.cpp holds the names against nvdisasm's.
struct Row {
  unsigned code;
  std::string_view name;
};

constexpr std::array kRows = {
    Row{0x002, "MOV"},       Row{0x005, "CS2R"},          Row{0x006, "VOTE"},
    Row{0x007, "SEL"},       Row{0x008, "FSEL"},          Row{0x009, "FMNMX"},
    Row{0x00b, "FSETP"},     Row{0x00c, "ISETP"},         Row{0x00f, "VIMNMX3"},
    Row{0x010, "IADD3"},     Row{0x011, "LEA"},           Row{0x012, "LOP3"},
    Row{0x013, "IABS"},      Row{0x014, "VABSDIFF"},      Row{0x016, "PRMT"},
    Row{0x017, "IMNMX"},     Row{0x019, "SHF"},           Row{0x01a, "SGXT"},
    Row{0x01b, "BMSK"},      Row{0x01c, "PLOP3"},         Row{0x020, "FMUL"},
    Row{0x021, "FADD"},      Row{0x023, "FFMA"},          Row{0x024, "IMAD"},
    Row{0x025, "IMAD.WIDE"}, Row{0x026, "IDP"},           Row{0x027, "IMAD.HI"},
    Row{0x028, "DMUL"},      Row{0x029, "DADD"},          Row{0x02a, "DSETP"},
    Row{0x02b, "DFMA"},      Row{0x030, "HADD2"},         Row{0x031, "HFMA2"},
    Row{0x032, "HMUL2"},     Row{0x035, "HFMA2.MMA"},     Row{0x036, "VIADD"},
    Row{0x037, "IMMA"},      Row{0x03b, "LDSM"},          Row{0x03c, "HMMA"},
    Row{0x03e, "F2FP"},      Row{0x03f, "DMMA"},          Row{0x040, "HMNMX2"},
    Row{0x045, "I2FP"},      Row{0x046, "VIADDMNMX"},     Row{0x047, "VHMNMX"},
    Row{0x048, "VIMNMX"},    Row{0x049, "FFMA2"},         Row{0x04b, "FADD2"},
    Row{0x076, "FMNMX3"},    Row{0x07a, "QMMA"},          Row{0x082, "UMOV"},
    Row{0x086, "VOTEU"},     Row{0x08c, "UISETP"},        Row{0x090, "UIADD3"},
    Row{0x091, "ULEA"},      Row{0x092, "ULOP3"},         Row{0x097, "UIADD3.64"},
    Row{0x099, "USHF"},      Row{0x0b9, "ULDC"},          Row{0x0bd, "UFLO"},
    Row{0x0bf, "UPOPC"},     Row{0x0ca, "R2UR"},          Row{0x100, "FLO"},
    Row{0x101, "BREV"},      Row{0x102, "FCHK"},          Row{0x104, "F2F"},
    Row{0x105, "F2I"},       Row{0x106, "I2F"},           Row{0x108, "MUFU"},
    Row{0x109, "POPC"},      Row{0x110, "F2F"},           Row{0x111, "F2I"},
    Row{0x112, "I2F"},       Row{0x118, "NOP"},           Row{0x119, "S2R"},
    Row{0x11a, "DEPBAR"},    Row{0x11b, "ENDCOLLECTIVE"}, Row{0x11d, "BAR"},
    Row{0x141, "BSYNC"},     Row{0x142, "BREAK"},         Row{0x144, "CALL"},
    Row{0x145, "BSSY"},      Row{0x146, "YIELD"},         Row{0x147, "BRA"},
    Row{0x148, "WARPSYNC"},  Row{0x14d, "EXIT"},          Row{0x150, "RET"},
    Row{0x155, "BMOV"},      Row{0x181, "LDG"},           Row{0x182, "LDC"},
    Row{0x184, "LDS"},       Row{0x186, "STG"},           Row{0x188, "STS"},
    Row{0x189, "SHFL"},      Row{0x18c, "ATOMS"},         Row{0x18e, "RED"},
    Row{0x192, "MEMBAR"},    Row{0x1a1, "MATCH"},         Row{0x1a8, "ATOMG"},
    Row{0x1ac, "LDCU"},      Row{0x1ae, "LDGSTS"},        Row{0x1af, "LDGDEPBAR"},
    Row{0x1c2, "R2UR"},      Row{0x1c3, "S2UR"},          Row{0x1c4, "REDUX"},
    Row{0x1c5, "WARPGROUP"}, Row{0x1c6, "FENCE"},         Row{0x1f0, "HGMMA"},
    Row{0x1f1, "IGMMA"},     Row{0x1f3, "QGMMA"},
};

constexpr std::array<std::string_view, 10> kMufu = {"COS", "SIN",    "EX2",    "LG2",  "RCP",
                                                    "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"};

constexpr unsigned kMufuCode = 0x108;
constexpr unsigned kImadCode = 0x024;
constexpr unsigned kWideAddCode = 0x035;  // HFMA2.MMA before
constexpr unsigned kReduceCode = 0x18e;
constexpr int kBlackwellConsumer = 120;
constexpr unsigned kBranch = 0x147;
constexpr unsigned kExit = 0x14d;
constexpr unsigned kCall = 0x144;
constexpr int kHopper = 90;

unsigned code_of(const Word& word) { return static_cast<unsigned>(word.low & 0x1FF); }

std::string mufu_name(const Word& word) {
  const auto function = static_cast<std::size_t>(word.high >> 10 & 0x3F);
  if (function < kMufu.size()) return fmt::format("MUFU.{}", kMufu[function]);
  return fmt::format("MUFU.{:#x}", function);
}

/// A multiply-add also serves as a move (0 x 0 + c), an addition (a x 1 + c), and the upper half of
/// a long one, with the carry.
std::string_view imad_name(const Word& word) {
  constexpr std::uint64_t kZeroRegister = 0xFF;
  constexpr std::uint64_t kImmediateFactor = 4;
  if ((word.high >> 10 & 1) != 0) return "IMAD.X";
  if ((word.low >> 24 & 0xFF) == kZeroRegister) return "IMAD.MOV";
  if ((word.low >> 9 & 7) == kImmediateFactor && word.low >> 32 == 1) return "IMAD.IADD";
  return "IMAD";
}

/// A signed number of 48 bits: bits 34 to 81 of the word.
std::int64_t branch_field(const Word& word) {
  const std::uint64_t field = word.low >> 34 | (word.high & 0x3FFFF) << 30;
  return static_cast<std::int64_t>(field << 16) >> 16;
}

}  // namespace

std::string opcode_name(const Word& word, int sm) {
  const unsigned code = code_of(word);
  if (code == kMufuCode) return mufu_name(word);
  if (code == kImadCode) return std::string(imad_name(word));
  if (code == kWideAddCode && sm >= kBlackwellConsumer) return "IADD.64";
  if (code == kReduceCode && sm >= kHopper) return "REDG";
  const auto row = std::lower_bound(kRows.begin(), kRows.end(), code,
                                    [](const Row& one, unsigned due) { return one.code < due; });
  if (row == kRows.end() || row->code != code) return fmt::format("op_{:#05x}", code);
  return std::string(row->name);
}

std::optional<std::size_t> branch_target(const Code& code, std::size_t at) {
  const Word& word = code.words[at];
  if (code_of(word) != kBranch) return std::nullopt;
  // In units of 4 bytes from the next instruction. Hopper put eight lower bits elsewhere.
  std::int64_t units = branch_field(word);
  if (code.sm >= kHopper) units = units * 256 + static_cast<std::int64_t>(word.low >> 16 & 0xFF);
  const std::int64_t target = static_cast<std::int64_t>(at) + 1 + units / 4;
  if (units % 4 != 0 || target < 0 || target >= static_cast<std::int64_t>(code.words.size())) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(target);
}

bool is_exit(const Word& word) { return code_of(word) == kExit; }
bool is_call(const Word& word) { return code_of(word) == kCall; }

}  // namespace truewatt::machine_code
