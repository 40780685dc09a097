// No enumerator stands behind the one that `last_` names: its row would be out of reach.
// error: `last_` is not the last
#include "truewatt/base/enum_table.hpp"

enum class Fruit {
  apple,
  pear,
#ifdef MUST_NOT_COMPILE
  last_ = apple,
#else
  last_ = pear,
#endif
};

struct FruitRow {
  std::string_view code;
};

constexpr FruitRow make_row(Fruit fruit) {
  switch (fruit) {
    case Fruit::apple:
      return {"apple"};
    case Fruit::pear:
      return {"pear"};
  }
  return {};
}

constexpr auto kRows = truewatt::rows_of<Fruit, make_row>();
static_assert(truewatt::row_of(kRows, Fruit::pear).code == "pear");
