#include "sql/plan/index_expression.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "sql/catalog/index_table.h"
#include "sql/catalog/stored_value.h"
#include "sql/exec/table_scan.h"
#include "sql/plan/binder.h"
#include "sql/plan/expression_identity.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

// Indexable expressions have nothing that concerns a statement.
class NoStatement final : public BinderHost {
 public:
  BoundPtr Parameter(int /*position*/) override { return MakeConstant(Value()); }
  void NeedValues() override {}
  Expected<OperatorPtr> PlanSubquery(const Select& /*select*/, Scope* /*outer*/,
                                     std::vector<Scope::Correlation>* /*correlations*/, OuterKeys* /*keys*/) override {
    return Refused();
  }
  Expected<BoundPtr> BindNextValue(const Expression& /*next*/, BoundPtr /*count*/) override { return Refused(); }
  Status CountWindow() override { return Refused(); }
  Execution* execution() override { return &execution_; }

 private:
  static Status Refused() { return {Code::kUnsupported, "SQL: an expression that depends on more than the row"}; }

  Execution execution_;
};

class RowExpression final : public TableExpression {
 public:
  explicit RowExpression(const TableDefinition& table) : table_(table), parts_(table.key_columns) {
    scope_.columns = ScopeColumnsOf(table, table.name.name);
    columns_.resize(table.columns.size());
    batch_.rows = 1;
    batch_.columns.resize(table.columns.size());
  }

  Status Bind(const Expression& expression) {
    KLIP_RETURN_IF_ERROR(CheckIndexable(expression));
    KLIP_ASSIGN_OR_RETURN(bound_, Binder(&host_, &scope_).Bind(expression));
    identity_ = ExpressionIdentity(expression, scope_);
    CollectColumns(*bound_, &columns_);
    reads_key_ = std::ranges::find(columns_.begin(), columns_.begin() + static_cast<ptrdiff_t>(table_.key_columns),
                                   true) != columns_.begin() + static_cast<ptrdiff_t>(table_.key_columns);
    return Status::Ok();
  }

  BoundExpression& bound() override { return *bound_; }
  const std::string& identity() const override { return identity_; }
  const std::vector<bool>& columns() const override { return columns_; }

  Expected<Value> ValueOf(std::string_view row, std::span<const std::optional<std::string_view>> cells) override {
    const AccountScope shared(nullptr);  // this outlives the statement that calls it
    if (reads_key_ && !SplitRow(table_, row, parts_)) {
      return Value();
    }
    size_t next = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i]) {
        const std::optional<std::string_view> bytes = i < table_.key_columns ? parts_[i] : cells[next++];
        KLIP_RETURN_IF_ERROR(Decode(table_.columns[i], bytes, &batch_.columns[i]));
      }
    }
    KLIP_ASSIGN_OR_RETURN(const Vector* const value, bound_->Evaluate(batch_, AllRows(1)));
    return value->At(0);
  }

 private:
  Status Decode(const TableColumn& column, std::optional<std::string_view> bytes, Vector* out) const {
    out->Reset(column.type, 1);
    if (!bytes.has_value()) {
      return Status::Ok();
    }
    if (column.schema_field < 0) {
      return DecodeInto(*bytes, column.type, column.descending, 0, out);
    }
    KLIP_ASSIGN_OR_RETURN(const Value value, DecodeSchemaField(table_, column, *bytes));
    out->Set(0, value);
    return Status::Ok();
  }

  const TableDefinition& table_;
  NoStatement host_;
  Scope scope_;
  BoundPtr bound_;
  std::string identity_;
  std::vector<bool> columns_;
  bool reads_key_ = false;
  std::vector<std::string_view> parts_;  // of the row's key
  Batch batch_;                          // the row
};

class SqlIndexExpression final : public rowkey::IndexExpression {
 public:
  SqlIndexExpression(TableDefinition table, ExpressionPtr expression)
      : table_(std::move(table)), expression_(std::move(expression)) {}

  Status Prepare() {
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<TableExpression> first, TableExpression::Make(*expression_, table_));
    type_ = first->bound().type();
    identity_ = first->identity();
    for (size_t i = table_.key_columns; i < table_.columns.size(); ++i) {
      if (first->columns()[i]) {
        inputs_.emplace_back(table_.columns[i].family, table_.columns[i].qualifier);
      }
    }
    if (table_.empty_family.has_value()) {  // it tells whether there is a row
      inputs_.emplace_back(*table_.empty_family, table_.empty_qualifier);
    }
    idle_.push_back(std::move(first));
    return Status::Ok();
  }

  const std::string& identity() const override { return identity_; }
  const std::vector<std::pair<std::string, std::string>>& inputs() const override { return inputs_; }

  Expected<std::optional<std::string>> ValueOf(std::string_view row,
                                               std::span<const std::optional<std::string_view>> cells) const override {
    std::optional<std::string> bytes;
    if (std::ranges::none_of(cells, [](const auto& cell) { return cell.has_value(); })) {
      return bytes;
    }
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<TableExpression> expression, Take());
    Expected<Value> value = expression->ValueOf(row, cells);
    Return(std::move(expression));
    KLIP_RETURN_IF_ERROR(value.status());
    if (!value->is_null()) {
      EncodeValue(WithoutNegativeZero(*std::move(value)), type_, &bytes.emplace());
    }
    return bytes;
  }

 private:
  // One for each thread that computes.
  Expected<std::unique_ptr<TableExpression>> Take() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<TableExpression> taken = std::move(idle_.back());
        idle_.pop_back();
        return taken;
      }
    }
    return TableExpression::Make(*expression_, table_);
  }
  void Return(std::unique_ptr<TableExpression> expression) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(expression));
  }

  const TableDefinition table_;
  const ExpressionPtr expression_;
  DataType type_;
  std::string identity_;
  std::vector<std::pair<std::string, std::string>> inputs_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TableExpression>> idle_;
};

}  // namespace

Expected<std::unique_ptr<TableExpression>> TableExpression::Make(const Expression& expression,
                                                                 const TableDefinition& table) {
  auto made = std::make_unique<RowExpression>(table);
  KLIP_RETURN_IF_ERROR(made->Bind(expression));
  return std::unique_ptr<TableExpression>(std::move(made));
}

Expected<std::shared_ptr<const rowkey::IndexExpression>> MakeIndexExpression(const std::string& expression,
                                                                             const std::string& sql_table,
                                                                             const TableDescriptor& table) {
  const auto invalid = [](const Status& status) { return Status(Code::kInvalidArgument, status.message()); };
  Expected<TableDefinition> read = ReadIndexTable(sql_table, table);
  if (!read.ok()) {
    return invalid(read.status());
  }
  Expected<ExpressionPtr> parsed = ParseExpression(expression);
  if (!parsed.ok()) {
    return invalid(parsed.status());
  }
  auto made = std::make_shared<SqlIndexExpression>(*std::move(read), *std::move(parsed));
  if (const Status prepared = made->Prepare(); !prepared.ok()) {
    return invalid(prepared);
  }
  return std::shared_ptr<const rowkey::IndexExpression>(std::move(made));
}

}  // namespace klip::sql
