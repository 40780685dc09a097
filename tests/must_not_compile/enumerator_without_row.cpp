// Every enumerator has its row in the table.
// error: enumeration value 'plum' not handled in switch
#include "truewatt/base/enum_table.hpp"

enum class Fruit {
  apple,
  pear,
#ifdef MUST_NOT_COMPILE
  plum,
  last_ = plum,
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
static_assert(truewatt::find_code<Fruit>(kRows, "pear") == Fruit::pear);
