#include "truewatt/energy/results/method.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt::energy {
namespace {

struct MethodRow {
  std::string_view code;
};

/// The compiler names the enumerator that has no row here.
constexpr MethodRow method_row(Method method) {
  switch (method) {
    case Method::smoothing:
      return {"smoothing"};
    case Method::count_difference:
      return {"count_difference"};
    case Method::held_means:
      return {"held_means"};
  }
  return {};
}

constexpr auto kMethods = rows_of<Method, method_row>();

}  // namespace

std::string_view to_string(Method method) { return row_of(kMethods, method).code; }

std::optional<Method> parse_method(std::string_view code) {
  return find_code<Method>(kMethods, code);
}

}  // namespace truewatt::energy
