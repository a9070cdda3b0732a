// Converts filters and comparators to the wire format and back. The expected bytes are those of HBase's Java client.
#include "filter/proto/filter_proto.h"

#include <set>

#include <gtest/gtest.h>

#include "filter/filter_samples_test.h"
#include "filter/proto/proto_messages.h"

namespace klip::filter {
namespace {

namespace pb = hbase::pb;

TEST(FilterProto, EveryFilterComesBack) {
  std::set<std::string> names;
  for (const FilterPtr& filter : FilterSamples()) {
    const Expected<JavaObject> object = FilterToProto(*filter);
    ASSERT_TRUE(object.ok()) << filter->ToString() << ": " << object.status().message();
    names.insert(object->class_name);
    const Expected<FilterPtr> again = FilterFromProto(object->class_name, object->bytes);
    ASSERT_TRUE(again.ok()) << filter->ToString() << ": " << again.status().message();
    EXPECT_EQ((*again)->ToString(), filter->ToString());
    EXPECT_EQ((*again)->name(), filter->name());
    EXPECT_EQ(FilterToProto(**again)->bytes, object->bytes) << filter->ToString();
  }
  EXPECT_EQ(names.size(), 28u);  // all that have messages, except FilterWrapper
}

TEST(FilterProto, EveryComparatorComesBack) {
  std::set<std::string> names;
  for (const ComparatorPtr& comparator : ComparatorSamples()) {
    const Expected<JavaObject> object = ComparatorToProto(*comparator);
    ASSERT_TRUE(object.ok());
    names.insert(object->class_name);
    const Expected<ComparatorPtr> again = ComparatorFromProto(object->class_name, object->bytes);
    ASSERT_TRUE(again.ok()) << comparator->ToString() << ": " << again.status().message();
    EXPECT_EQ((*again)->ToString(), comparator->ToString());
    EXPECT_EQ(ComparatorToProto(**again)->bytes, object->bytes);
  }
  EXPECT_EQ(names.size(), 9u);
}

TEST(FilterProto, BytesOfTheJavaClient) {
  // ("a?x", {0,1,0}) as observed: first 61 00 78, second FF 02 FF, is_mask_v2.
  const FilterPtr fuzzy = *FuzzyRowFilter({FuzzyKeyFromPattern("a?x")});
  EXPECT_EQ(FilterToProto(*fuzzy)->bytes, std::string("\x0A\x0A\x0A\x03"
                                                      "a\0x"
                                                      "\x12\x03\xFF\x02\xFF\x10\x01",
                                                      14));
  EXPECT_EQ(FilterToProto(*PrefixFilter("ab"))->class_name, "org.apache.hadoop.hbase.filter.PrefixFilter");
  EXPECT_EQ(FilterToProto(*PrefixFilter("ab"))->bytes,
            "\x0A\x02"
            "ab");
  EXPECT_EQ(FilterToProto(**PageFilter(3))->bytes, "\x08\x03");
  EXPECT_EQ(FilterToProto(**TimestampsFilter({1, 2}))->bytes, std::string("\x0A\x02\x01\x02\x10\x00", 6));
}

TEST(FilterProto, WhatOldClientsLeaveOut) {
  EXPECT_EQ((*FilterFromProto(std::string(kJavaPackage) + "PrefixFilter", ""))->ToString(), "FilterAllFilter()");
  pb::SingleColumnValueFilter single;
  single.set_compare_op(pb::EQUAL);
  single.mutable_comparator()->set_name(std::string(kJavaPackage) + "NullComparator");
  EXPECT_EQ(
      (*FilterFromProto(std::string(kJavaPackage) + "SingleColumnValueFilter", single.SerializeAsString()))->ToString(),
      "SingleColumnValueFilter('','',=,'null:',false,false)");
  pb::RegexStringComparator regex;
  regex.set_pattern("a");
  regex.set_pattern_flags(kRegexDotAll);
  regex.set_charset("UTF-8");
  EXPECT_EQ((*ComparatorFromProto(std::string(kJavaPackage) + "RegexStringComparator", regex.SerializeAsString()))
                ->ToString(),
            "regexstring:a");
  pb::FilterWrapper wrapper;
  wrapper.mutable_filter()->set_name(std::string(kJavaPackage) + "FirstKeyOnlyFilter");
  EXPECT_EQ((*FilterFromProto(std::string(kJavaPackage) + "FilterWrapper", wrapper.SerializeAsString()))->ToString(),
            "FirstKeyOnlyFilter()");
}

TEST(FilterProto, Errors) {
  const auto error = [](std::string_view name, std::string_view bytes) {
    const Status status = FilterFromProto(std::string(kJavaPackage).append(name), bytes).status();
    EXPECT_EQ(status.code(), Code::kDoNotRetry) << status.message();
    return status.message();
  };
  EXPECT_EQ(error("NoSuchFilter", ""),
            "java.lang.ClassNotFoundException: filter org.apache.hadoop.hbase.filter.NoSuchFilter");
  EXPECT_EQ(FilterFromProto("com.example.Mine", "").status().code(), Code::kDoNotRetry);
  EXPECT_EQ(error("PageFilter", ""), "PageFilter: 0 bytes that are not its message, or lack a required field");
  EXPECT_EQ(error("PageFilter", "\xff"), "PageFilter: 1 bytes that are not its message, or lack a required field");
  EXPECT_EQ(error("RowFilter", std::string("\x0A\x02\x08\x02", 4)), "RowFilter: no comparator");
  EXPECT_EQ(FilterFromProto(std::string(kJavaPackage) + "PageFilter", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
                .status()
                .message(),
            "must be positive -1");
}

TEST(FilterProto, NestingHasALimit) {
  std::string bytes;
  std::string name = std::string(kJavaPackage) + "FirstKeyOnlyFilter";
  const auto wrap = [&] {
    pb::SkipFilter skip;
    skip.mutable_filter()->set_name(name);
    skip.mutable_filter()->set_serialized_filter(bytes);
    bytes = skip.SerializeAsString();
    name = std::string(kJavaPackage) + "SkipFilter";
  };
  for (int i = 0; i < kMaxFilterDepth; ++i) {
    wrap();
  }
  EXPECT_TRUE(FilterFromProto(name, bytes).ok());
  wrap();
  EXPECT_EQ(FilterFromProto(name, bytes).status().message(), "filters nested deeper than 100");
  FilterPtr filter = FirstKeyOnlyFilter();
  for (int i = 0; i <= kMaxFilterDepth; ++i) {
    filter = SkipFilter(filter);
  }
  EXPECT_EQ(FilterToProto(*filter).status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace klip::filter
