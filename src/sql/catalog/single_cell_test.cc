#include "sql/catalog/single_cell.h"

#include <vector>

#include <gtest/gtest.h>

namespace klip::sql {
namespace {

using namespace std::string_literals;
using Elements = std::vector<std::optional<std::string>>;

std::string Decoded(std::string_view cell, size_t element) {
  const Expected<std::optional<std::string_view>> found = SingleCellElement(cell, element);
  return !found.ok() ? "error" : found->has_value() ? std::string(**found) : "absent";
}

// The cells that Phoenix 5.2.1 wrote for (VARCHAR, INTEGER, CHAR(3)).
TEST(SingleCell, HasPhoenixsBytes) {
  const std::vector<std::pair<Elements, std::string>> cells = {
      {{"one", "\x80\0\0\x0A"s, "a  "},
       "xone\x80\0\0\x0A"
       "a  \0\0\0\1\0\4\0\x08\0\0\0\x0B\0\0\0\4\3"s},
      {{std::nullopt, "\x80\0\0\5"s, std::nullopt}, "x\x80\0\0\5\0\0\xFF\xFF\0\1\xFF\xFB\0\0\0\5\0\0\0\4\3"s},
      {{"v", std::nullopt, std::nullopt}, "xv\0\0\0\1\xFF\xFE\xFF\xFE\0\0\0\2\0\0\0\4\3"s},
      {{std::nullopt, std::nullopt, std::nullopt}, "x\0\0\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\1\0\0\0\4\3"s},
  };
  for (const auto& [elements, cell] : cells) {
    EXPECT_EQ(EncodeSingleCell(elements), cell);
    for (size_t i = 0; i < elements.size(); ++i) {
      EXPECT_EQ(Decoded(cell, i + 1), elements[i].value_or("absent"));
    }
    EXPECT_EQ(Decoded(cell, elements.size() + 1), "absent");  // a column that was added later
  }
}

TEST(SingleCell, HasWideOffsetsIfTheyAreNeeded) {
  for (const size_t bytes : {32765U, 32766U, 32767U, 40000U}) {
    const Elements elements = {std::string(bytes, 'a'), "b", std::nullopt, "c"};
    const std::string cell = EncodeSingleCell(elements);
    for (size_t i = 0; i < elements.size(); ++i) {
      EXPECT_EQ(Decoded(cell, i + 1), elements[i].value_or("absent")) << bytes;
    }
    EXPECT_EQ(cell.size(), 1 + bytes + 2 + 5 * (bytes + 2 > 32767 ? 4U : 2U) + 9) << bytes;
    const std::string absent = EncodeSingleCell(Elements{std::string(bytes, 'a'), std::nullopt});
    EXPECT_EQ(absent.size(), 1 + bytes + 3 * (bytes + 1 > 32768 ? 4U : 2U) + 9) << bytes;
    EXPECT_EQ(Decoded(absent, 1), std::string(bytes, 'a'));
    EXPECT_EQ(Decoded(absent, 2), "absent");
  }
}

TEST(SingleCell, BytesOfNoneAreAnErrorOrAnElement) {
  const std::string cell = EncodeSingleCell(Elements{"one", std::nullopt, "three"});
  for (size_t at = 0; at < cell.size(); ++at) {
    EXPECT_EQ(Decoded(cell.substr(0, at), 1), "error") << at;
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = cell;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      for (size_t element = 0; element < 5; ++element) {
        EXPECT_LE(Decoded(wrong, element).size(), cell.size());
      }
    }
  }
  std::string older = cell;
  older.back() = 2;
  EXPECT_EQ(Decoded(older, 1), "error");
}

}  // namespace
}  // namespace klip::sql
