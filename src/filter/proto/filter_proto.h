// Filters and comparators as HBase sends them: a Java class name and the bytes of that class's message.
#pragma once

#include <string>
#include <string_view>

#include "klip/filter.h"

namespace klip::filter {

// The package of HBase's filters and comparators.
inline constexpr std::string_view kJavaPackage = "org.apache.hadoop.hbase.filter.";
// The only filter from outside HBase.
inline constexpr std::string_view kSparkFilter = "org.apache.hadoop.hbase.spark.SparkSQLPushDownFilter";

// `class_name` with the package. Errors: kDoNotRetry (no such class, bytes that are not its message, filters nested deeper than
// kMaxFilterDepth); those of the factories.
Expected<FilterPtr> FilterFromProto(std::string_view class_name, std::string_view bytes);
Expected<ComparatorPtr> ComparatorFromProto(std::string_view class_name, std::string_view bytes);

// The class name and bytes from which HBase recreates a filter or comparator.
struct JavaObject {
  std::string class_name;
  std::string bytes;
};
// Errors: kUnsupported for users' classes, or deeper than kMaxFilterDepth.
Expected<JavaObject> FilterToProto(const Filter& filter);
Expected<JavaObject> ComparatorToProto(const Comparator& comparator);

}  // namespace klip::filter
