// Which classes of a table or a configuration need Java.
#include "coprocessor/specs.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::coprocessor {
namespace {

TEST(SpecsTest, ClassesAreReadAsHBaseReadsThem) {
  const TableDescriptor table = {.name = "t",
                                 .attributes = {{"coprocessor$1", "file:///x.jar| a.B |1|k=v"},
                                                {"Coprocessor$22", "|a.C|"},
                                                {"coprocessor$x", "|a.D|"},
                                                {"coprocessor$3", "no bar"}}};
  EXPECT_EQ(JavaClassesOf(table), (std::vector<std::string>{"a.C", "a.B", ""}));
  EXPECT_TRUE(NamesRegionClasses({{"hbase.coprocessor.user.region.classes", "a.B|5, a.C"}}));
  EXPECT_TRUE(NamesServerClasses({{"hbase.coprocessor.wal.classes", "a.B"}}));
  EXPECT_FALSE(NamesServerClasses({{"hbase.coprocessor.region.classes", "a.B"}}));
}

}  // namespace
}  // namespace klip::coprocessor
