// The parameters of each of klip's filters and comparators, one method each, for writing them to the wire.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "klip/filter.h"

namespace klip::filter {

class ComparatorVisitor {
 public:
  virtual ~ComparatorVisitor() = default;

  virtual void Binary(const std::string& value) = 0;
  virtual void BinaryPrefix(const std::string& prefix) = 0;
  virtual void BinaryComponent(const std::string& value, uint32_t offset) = 0;
  virtual void Bit(const std::string& value, BitwiseOp op) = 0;
  virtual void Long(int64_t value) = 0;
  virtual void BigDecimal(const std::string& bytes) = 0;
  virtual void Null() = 0;
  virtual void Substring(const std::string& text) = 0;
  virtual void RegexString(const Regex& regex) = 0;
  virtual void Custom(const Comparator& comparator) = 0;  // a user's class
};

class FilterVisitor {
 public:
  virtual ~FilterVisitor() = default;

  virtual void FuzzyRow(const std::vector<FuzzyKey>& keys) = 0;  // masks of 0 and 1
  virtual void MultiRowRange(const std::vector<RowRange>& ranges) = 0;
  virtual void Prefix(const std::string& prefix) = 0;
  virtual void InclusiveStop(const std::string& stop_row) = 0;
  virtual void Page(int64_t page_size) = 0;
  virtual void RandomRow(float chance) = 0;
  // RowFilter, FamilyFilter, QualifierFilter, ValueFilter.
  virtual void Compare(const Filter& filter, CompareOp op, const Comparator& comparator) = 0;
  virtual void ColumnPrefix(const std::string& prefix) = 0;
  virtual void MultipleColumnPrefix(const std::vector<std::string>& prefixes) = 0;
  virtual void ColumnRange(const klip::ColumnRange& range) = 0;
  virtual void ColumnCountGet(int32_t limit) = 0;
  virtual void ColumnPagination(int32_t limit, int32_t offset) = 0;
  virtual void ColumnPagination(int32_t limit, const std::string& first_column) = 0;
  // FirstKeyOnlyFilter, FilterAllFilter.
  virtual void Plain(const Filter& filter) = 0;
  virtual void FirstKeyValueMatchingQualifiers(const std::vector<std::string>& qualifiers) = 0;
  virtual void KeyOnly(bool length_as_value) = 0;
  virtual void Timestamps(const std::vector<int64_t>& timestamps_ms, bool can_hint) = 0;
  virtual void SingleColumn(const SingleColumnValue& condition, bool exclude) = 0;
  virtual void ColumnValue(const std::string& family, const std::string& qualifier, CompareOp op,
                           const Comparator& comparator) = 0;
  virtual void Dependent(const DependentColumn& condition) = 0;
  virtual void SparkSql(const SparkSqlCondition& condition) = 0;
  virtual void List(ListOperator op, const std::vector<FilterPtr>& filters) = 0;
  // SkipFilter, WhileMatchFilter.
  virtual void Wrapper(const Filter& wrapper, const Filter& filter) = 0;
  virtual void Custom(const Filter& filter) = 0;  // a user's class
};

}  // namespace klip::filter
