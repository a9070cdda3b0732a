// SparkSQLPushDownFilter of hbase-spark: selects rows by a condition on several columns and the row key.
#include <algorithm>
#include <utility>

#include "base/short_bytes.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "filter/filters/spark_expression.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

using filter::ReturnCode;
using filter::SparkExpression;

constexpr std::string_view kSparkRowQualifier = "key";  // in the family without a name

// A cell that the expression uses.
struct SparkCell {
  std::string family;
  std::string qualifier;
  size_t column = 0;  // of the expression
};

struct SparkProgram {
  SparkSqlCondition condition;
  SparkExpression expression;
  std::vector<SparkCell> cells;
};

class SparkSqlState final : public filter::FilterState {
 public:
  explicit SparkSqlState(const SparkProgram* program)
      : program_(*program), of_row_(program->expression.columns().size()) {}

  uint8_t Calls() const override { return filter::kReset | filter::kFilterRow; }

  void Reset() override {
    for (SparkExpression::Value& value : of_row_) {
      value.is_there = false;
    }
    has_row_ = false;
  }

  // As in HBase, the oldest of several versions counts.
  ReturnCode FilterCell(const Cell& cell) override {
    if (!std::exchange(has_row_, true)) {
      Take({}, kSparkRowQualifier, cell.row);
    }
    Take(cell.family, cell.qualifier, cell.value);
    return ReturnCode::kInclude;
  }

  // HBase's filter does not require whole rows, so a batch may be set, and hbase-spark has an option for it. Otherwise
  // rows are not split: if a row is dropped after its first piece, Spark would take that piece for a row without the
  // other columns.
  bool HasFilterRow() const override { return true; }
  bool AllowsBatch() const override { return true; }
  bool FilterRow() override { return !program_.expression.Passes(of_row_, program_.condition.values); }

 private:
  void Take(std::string_view family, std::string_view qualifier, std::string_view bytes) {
    for (const SparkCell& cell : program_.cells) {
      if (SameBytes(cell.qualifier, qualifier) && SameBytes(cell.family, family)) {
        of_row_[cell.column].is_there = true;
        of_row_[cell.column].bytes.assign(bytes);
      }
    }
  }

  const SparkProgram& program_;  // belongs to the filter
  std::vector<SparkExpression::Value> of_row_;
  bool has_row_ = false;
};

class SparkSql final : public Filter {
 public:
  explicit SparkSql(SparkProgram program) : program_(std::move(program)) {}

  std::string_view name() const override { return "SparkSQLPushDownFilter"; }

  std::string ToString() const override {
    const SparkSqlCondition& condition = program_.condition;
    std::vector<std::string> arguments = {filter::Quoted(condition.expression), filter::Quoted(condition.encoder),
                                          std::to_string(condition.values.size())};
    for (const std::string& value : condition.values) {
      arguments.push_back(filter::Quoted(value));
    }
    for (const SparkSqlColumn& column : condition.columns) {
      arguments.push_back(filter::Quoted(column.family));
      arguments.push_back(filter::Quoted(column.qualifier));
      arguments.push_back(filter::Quoted(column.name));
    }
    return filter::CallText(name(), arguments);
  }

  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->SparkSql(program_.condition); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<SparkSqlState>(&program_);
  }

 private:
  SparkProgram program_;
};

// If HBase does not find the class, it uses the NaiveEncoder, which may compare in the wrong order. `encoder`: empty from
// old clients.
bool IsNaiveEncoder(std::string_view encoder) {
  return encoder.empty() || encoder == "org.apache.hadoop.hbase.spark.datasources.NaiveEncoder" ||
         encoder == "org.apache.hadoop.hbase.spark4.datasources.NaiveEncoder";
}

}  // namespace

Expected<FilterPtr> SparkSQLPushDownFilter(SparkSqlCondition condition) {
  if (!IsNaiveEncoder(condition.encoder)) {
    return Status(Code::kInvalidArgument, "SparkSQLPushDownFilter: no encoder " + ToStringBinary(condition.encoder) +
                                              "; set hbase.spark.pushdown.columnfilter to false");
  }
  SparkProgram program;
  KLIP_ASSIGN_OR_RETURN(program.expression, SparkExpression::Parse(condition.expression, condition.values.size()));
  const std::vector<std::string>& names = program.expression.columns();
  for (const SparkSqlColumn& column : condition.columns) {
    const auto name = std::find(names.begin(), names.end(), column.name);
    // If two columns are the same cell, the second counts.
    std::erase_if(program.cells, [&column](const SparkCell& cell) {
      return cell.family == column.family && cell.qualifier == column.qualifier;
    });
    if (name != names.end()) {
      program.cells.push_back({column.family, column.qualifier, static_cast<size_t>(name - names.begin())});
    }
  }
  program.condition = std::move(condition);
  return FilterPtr(std::make_shared<SparkSql>(std::move(program)));
}

}  // namespace klip
