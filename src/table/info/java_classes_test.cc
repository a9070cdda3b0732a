// Which classes of a table or a configuration need Java.
#include "table/info/java_classes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::table {
namespace {

TEST(JavaClassesTest, ClassesThatKlipHasNeedNoJava) {
  const std::string package = "org.apache.hadoop.hbase.coprocessor.";
  for (const std::string name : {"AggregateImplementation", "MultiRowMutationEndpoint", "example.RowCountEndpoint",
                                 "example.BulkDeleteEndpoint"}) {
    EXPECT_TRUE(IsNative(package + name)) << name;
    EXPECT_TRUE(
        JavaClassesOf({.name = "t", .attributes = {{"coprocessor$1", "|" + package + name + "|1001|"}}}).empty());
    EXPECT_FALSE(NamesRegionClasses({{"hbase.coprocessor.region.classes", package + name}})) << name;
  }
  EXPECT_FALSE(IsNative(package + "example.RefreshHFilesEndpoint"));
}

TEST(JavaClassesTest, ClassesAreReadAsHBaseReadsThem) {
  const TableDescriptor table = {.name = "t",
                                 .attributes = {{"coprocessor$1", "file:///x.jar| a.B |1|k=v"},
                                                {"Coprocessor$22", "|a.C|"},
                                                {"coprocessor$x", "|a.D|"},
                                                {"coprocessor$3", "no bar"},
                                                {"coprocessor$4", "file:///x.wasm|a.E|1"}}};
  EXPECT_EQ(JavaClassesOf(table), (std::vector<JavaClass>{{"Coprocessor$22", "", "a.C"},
                                                          {"coprocessor$1", "file:///x.jar", "a.B"},
                                                          {"coprocessor$3", "no bar", ""}}));
  EXPECT_TRUE(NamesRegionClasses({{"hbase.coprocessor.user.region.classes", "a.B|5, a.C"}}));
  EXPECT_TRUE(NamesServerClasses({{"hbase.coprocessor.wal.classes", "a.B"}}));
  EXPECT_TRUE(NamesLogClasses({{"hbase.coprocessor.wal.classes", "a.B"}}));
  EXPECT_FALSE(NamesLogClasses({{"hbase.coprocessor.master.classes", "a.B"}}));
  EXPECT_FALSE(NamesServerClasses({{"hbase.coprocessor.region.classes", "a.B"}}));
}

}  // namespace
}  // namespace klip::table
