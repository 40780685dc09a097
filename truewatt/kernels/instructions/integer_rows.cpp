#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using U = std::uint32_t;

}  // namespace

Rows integer_rows() {
  return {
      {.key = "add.s32",
       .group = group::kInteger,
       .paper = "add / sub / min / max",
       .text = "add.s32 $d, $d, $n;",
       .machine = "IADD3|IMAD|VIADD",
       .step = on<U>([](U d, U n, U, U) { return d + n; })},
      {.key = "div.u32",
       .group = group::kInteger,
       .paper = "{u} div",
       .text = "div.u32 $d, $c, $n;",
       .machine = "MUFU.RCP",
       .values = Values::dividends,
       .step = on<U>([](U, U n, U c, U) { return n == 0 ? ~U{0} : c / n; })},
  };
}

}  // namespace truewatt::kernels
