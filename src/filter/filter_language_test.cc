// The filter language: what HBase 2.6.4 accepts and rejects, and printing filters.
#include <gtest/gtest.h>

#include "filter/filter_samples_test.h"
#include "filter/proto/filter_proto.h"
#include "klip/filter.h"

namespace klip::filter {
namespace {

struct Valid {
  std::string text;
  std::string printed;
};

TEST(FilterLanguage, TakesWhatHBaseTakes) {
  const Valid cases[] = {
      {"PrefixFilter('a')", "PrefixFilter('a')"},
      {"PrefixFilter ('a')", "PrefixFilter('a')"},
      {"PrefixFilter( 'a' )", "PrefixFilter('a')"},
      {"PrefixFilter('it''s')", "PrefixFilter('it''s')"},
      {"PrefixFilter('a,b)c')", "PrefixFilter('a,b)c')"},
      {"PrefixFilter('')", "PrefixFilter('')"},
      {"KeyOnlyFilter()", "KeyOnlyFilter()"},
      {"KeyOnlyFilter(TRUE)", "KeyOnlyFilter(true)"},
      {"FirstKeyOnlyFilter ( )", "FirstKeyOnlyFilter()"},
      {"MultipleColumnPrefixFilter()", "MultipleColumnPrefixFilter()"},
      {"MultipleColumnPrefixFilter('a','b')", "MultipleColumnPrefixFilter('a','b')"},
      {"ColumnCountGetFilter(2)", "ColumnCountGetFilter(2)"},
      {"PageFilter(0)", "PageFilter(0)"},
      {"ColumnPaginationFilter(1,2)", "ColumnPaginationFilter(1,2)"},
      {"TimestampsFilter()", "TimestampsFilter()"},
      {"TimestampsFilter(1,2,3)", "TimestampsFilter(1,2,3)"},
      {"RowFilter(=,'binary:abc')", "RowFilter(=,'binary:abc')"},
      {"RowFilter(= ,'binaryprefix:abc')", "RowFilter(=,'binaryprefix:abc')"},
      {"RowFilter(!=,'regexstring:a.*')", "RowFilter(!=,'regexstring:a.*')"},
      {"RowFilter(=, 'regexstringnocase:A.*')", "RowFilter(=,'regexstringnocase:A.*')"},
      {"RowFilter(=,'substring:AbC')", "RowFilter(=,'substring:abc')"},
      {"RowFilter(=,'binary:')", "RowFilter(=,'binary:')"},
      {"RowFilter(=,'binary:a:b')", "RowFilter(=,'binary:a:b')"},
      {"ColumnRangeFilter('',true,'c',false)", "ColumnRangeFilter('',true,'c',false)"},
      {"ColumnRangeFilter('a' true 'c' false)", "ColumnRangeFilter('a',true,'c',false)"},
      {"SingleColumnValueFilter('f','q',=,'binary:v',true,false)",
       "SingleColumnValueFilter('f','q',=,'binary:v',true,false)"},
      {"DependentColumnFilter('f','q',false,=,'binary:v')", "DependentColumnFilter('f','q',false,=,'binary:v')"},
      {"ColumnValueFilter('f','q',=,'binary:v')", "ColumnValueFilter('f','q',=,'binary:v')"},
      {"PrefixFilter('a') OR PrefixFilter('b') AND PageFilter(1)",
       "(PrefixFilter('a') OR (PrefixFilter('b') AND PageFilter(1)))"},
      {"(PrefixFilter('a') OR PrefixFilter('b')) AND PageFilter(1)",
       "((PrefixFilter('a') OR PrefixFilter('b')) AND PageFilter(1))"},
      {"(PrefixFilter('a'))AND(PrefixFilter('b'))", "(PrefixFilter('a') AND PrefixFilter('b'))"},
      {"SKIP PrefixFilter('a') AND PageFilter(1)", "((SKIP PrefixFilter('a')) AND PageFilter(1))"},
      {"SKIP WHILE PrefixFilter('a')", "(SKIP (WHILE PrefixFilter('a')))"},
      {"(PrefixFilter('a')", "PrefixFilter('a')"},
      // More of the same grammar: tabs between tokens, quotes at the ends, a byte after a quote, which is ignored, three
      // in one list, bytes of all kinds.
      {"\tPrefixFilter('''')\t", "PrefixFilter('''')"},
      {"MultipleColumnPrefixFilter('a'x'b')", "MultipleColumnPrefixFilter('a','b')"},
      {"PageFilter(1) AND PageFilter(2) AND PageFilter(3)", "(PageFilter(1) AND PageFilter(2) AND PageFilter(3))"},
      {"PrefixFilter('\xff\n\x01')", "PrefixFilter('\xff\n\x01')"},
      {"DependentColumnFilter('f','q')", "DependentColumnFilter('f','q',false)"},
      // HBase loses an operator here and then finds an extra parenthesis.
      {"(PageFilter(1) OR PageFilter(2) AND PageFilter(3))", "(PageFilter(1) OR (PageFilter(2) AND PageFilter(3)))"},
  };
  for (const Valid& valid : cases) {
    const Expected<FilterPtr> filter = ParseFilter(valid.text);
    ASSERT_TRUE(filter.ok()) << valid.text << ": " << filter.status().message();
    EXPECT_EQ((*filter)->ToString(), valid.printed) << valid.text;
    const Expected<FilterPtr> again = ParseFilter((*filter)->ToString());
    ASSERT_TRUE(again.ok()) << valid.printed << ": " << again.status().message();
    EXPECT_EQ(FilterToProto(**again)->bytes, FilterToProto(**filter)->bytes) << valid.text;
  }
}

TEST(FilterLanguage, RefusesWhatHBaseRefuses) {
  const std::string structure = "Incorrect Filter String";
  const std::string arguments = "Incorrect filter string ";
  const std::pair<std::string, std::string> cases[] = {
      {"", structure},
      {"   ", structure},
      {"PrefixFilter", structure},
      {"PrefixFilter('a'", structure},
      {"PrefixFilter('a'))", "Mismatched parenthesis"},
      {"PrefixFilter(a)", arguments + "PrefixFilter(a)"},
      {"PrefixFilter(\"a\")", arguments},
      {"Prefixfilter('a')", "Filter Name Prefixfilter not supported"},
      {"PrefixFilter()", arguments},
      {"PrefixFilter('a','b')", arguments},
      {"FuzzyRowFilter('a')", "Filter Name FuzzyRowFilter not supported"},
      {"MultiRowRangeFilter('a')", "Filter Name MultiRowRangeFilter not supported"},
      {"RandomRowFilter(0.5)", "Filter Name RandomRowFilter not supported"},
      {"FilterList('a')", "Filter Name FilterList not supported"},
      {"SkipFilter(PrefixFilter('a'))", "Filter Name SkipFilter not supported"},
      {"RowFilter('binary:abc',=)", arguments},
      {"RowFilter(==,'binary:abc')", arguments},
      {"RowFilter(<>,'binary:abc')", arguments},
      {"RowFilter(=,'abc')", arguments},
      {"RowFilter(=,'bin:abc')", arguments},
      {"RowFilter(=,'long:5')", arguments},
      {"RowFilter(=,'null:')", arguments},
      {"RowFilter(<,'regexstring:a')", arguments},
      {"RowFilter(>,'substring:a')", arguments},
      {"RowFilter(=,'regexstring:(')", arguments},
      {"PageFilter(-1)", arguments},
      {"ColumnCountGetFilter(-1)", arguments},
      {"TimestampsFilter(-5)", arguments},
      {"PageFilter('1')", arguments},
      {"PageFilter(1.5)", arguments},
      {"PageFilter(99999999999999999999)", arguments},
      {"ColumnCountGetFilter(3000000000)", arguments},
      {"KeyOnlyFilter(yes)", arguments},
      {"SingleColumnValueFilter('f','q',=,'binary:v',true)", arguments},
      {"ColumnRangeFilter('a','true','b','false')", arguments},
      {"ColumnPaginationFilter(1)", arguments},
      {"ColumnPaginationFilter(1,'a')", arguments},
      {"AND PrefixFilter('a')", "Filter Name AND not supported"},
      {"NOT PrefixFilter('a')", "Filter Name NOT not supported"},
      {"PrefixFilter('a') AND", structure},
      {"PrefixFilter('a') OR", structure},
      {"SKIP", structure},
      {"PrefixFilter('a') AND OR PrefixFilter('b')", "Incorrect input string - an AND needs two filters"},
      {"RowFilter(=,'binary:abc') and PageFilter(1)", "Filter Name and not supported"},
      {"PrefixFilter('a')\nAND PrefixFilter('b')", "Filter Name "},
      {"PrefixFilter('a')\tAND\tPrefixFilter('b')", "Filter Name "},
      {"PrefixFilter('a') PrefixFilter('b')", structure},
      {"PrefixFilter('a'),", structure},
      {"()", structure},
      {"MultipleColumnPrefixFilter('a','a')", arguments},
      {"SKIP ()", "Incorrect input string - a SKIP wraps a filter"},
      {"RowFilter(NO_OP,'binary:a')", arguments},
  };
  for (const auto& [text, start] : cases) {
    const Expected<FilterPtr> filter = ParseFilter(text);
    ASSERT_FALSE(filter.ok()) << text << " is " << (*filter)->ToString();
    EXPECT_EQ(filter.status().code(), Code::kInvalidArgument);
    EXPECT_TRUE(filter.status().message().starts_with(start)) << text << ": " << filter.status().message();
    EXPECT_NE(filter.status().message().find("(at byte "), std::string::npos) << filter.status().message();
  }
}

TEST(FilterLanguage, TellsWhere) {
  EXPECT_EQ(ParseFilter("PageFilter(1) AND PrefixFilter(a)").status().message(),
            "Incorrect filter string PrefixFilter(a): 'a' must be in quotes (at byte 18)");
}

TEST(FilterLanguage, PrintsEveryFilterBack) {
  int with_hbase_names = 0;
  for (const FilterPtr& filter : FilterSamples()) {
    const Expected<FilterPtr> again = ParseFilter(filter->ToString(), FilterNames::kAll);
    ASSERT_TRUE(again.ok()) << filter->ToString() << ": " << again.status().message();
    EXPECT_EQ((*again)->ToString(), filter->ToString());
    EXPECT_EQ(FilterToProto(**again)->bytes, FilterToProto(*filter)->bytes) << filter->ToString();
    with_hbase_names += ParseFilter(filter->ToString()).ok() ? 1 : 0;
  }
  EXPECT_GT(with_hbase_names, 25);
}

TEST(FilterLanguage, NestingHasALimit) {
  std::string text;
  for (int i = 0; i < kMaxFilterDepth; ++i) {
    text += "SKIP ";
  }
  EXPECT_TRUE(ParseFilter(text + "PageFilter(1)").ok());
  EXPECT_FALSE(ParseFilter(text + "SKIP PageFilter(1)").ok());
  EXPECT_TRUE(ParseFilter(std::string(100000, '(') + "PageFilter(1)").ok());
}

}  // namespace
}  // namespace klip::filter
