#include "sql/plan/change_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "klip/comparator.h"
#include "klip/filter.h"
#include "klip/sql.h"
#include "sql/catalog/served_statement.h"
#include "sql/catalog/system_tables.h"
#include "sql/plan/from_clause.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

Status WriteIfMany(Changes* changes, bool write) {
  return write && changes->rows() >= Changes::kRowsAtOnce ? changes->Write() : Status::Ok();
}

Expected<TablePtr> FindWritable(Planner* planner, const TableName& name) {
  KLIP_ASSIGN_OR_RETURN(TablePtr table, planner->FindTable(name));
  if (table->read_only) {
    return SqlError(505, "42000", "Table is read only. tableName=" + ToString(name));
  }
  if (!table->cannot_be_written.empty()) {
    return Status(Code::kUnsupported, "SQL: writing to " + ToString(name) + ": " + table->cannot_be_written);
  }
  return table;
}

// UPDATE and ON DUPLICATE KEY UPDATE keep columns that they do not name, and compare cells with what they read.
Status CheckCells(const TableDefinition& table) {
  const bool plain = std::ranges::all_of(
      table.columns, [](const TableColumn& column) { return column.element == 0 && column.missing.is_null(); });
  return plain ? Status::Ok()
               : Status(Code::kUnsupported, "SQL: UPDATE and ON DUPLICATE KEY UPDATE of the table " +
                                                ToString(table.name) +
                                                ", which has columns with a DEFAULT, or several in one cell");
}

// `family`: also the table's name, for any; empty: any. Errors: 502, several families have the column.
Expected<size_t> FindColumn(const TableDefinition& table, const std::string& family, const std::string& name) {
  const bool known = std::ranges::find(table.columns, family, &TableColumn::family) != table.columns.end();
  const bool any = family.empty() || (!known && family == table.name.name);
  const auto names = [&](const TableColumn& column) {
    return column.row_part == RowPart::kNone && column.name == name && (any || column.family == family);
  };
  if (const auto found = std::ranges::find_if(table.columns, names); found != table.columns.end()) {
    return std::find_if(found + 1, table.columns.end(), names) == table.columns.end()
               ? Expected(static_cast<size_t>(found - table.columns.begin()))
               : Ambiguous(name);
  }
  if (!any && !known) {
    return SqlError(1001, "42I01", "Undefined column family. familyName=" + family);
  }
  return SqlError(504, "42703", "Undefined column. columnName=" + table.name.name + "." + name);
}

Expected<Value> Evaluate(BoundExpression* expression, const Batch& one = {.rows = 1}) {
  KLIP_ASSIGN_OR_RETURN(const Vector* const values, expression->Evaluate(one, AllRows(1)));
  return values->At(0);
}

// For a view whose condition requires constants: with their values.
Expected<TablePtr> WithRequiredValues(Planner* planner, TablePtr table) {
  if (std::ranges::all_of(table->columns, [](const TableColumn& column) { return column.required == nullptr; })) {
    return table;
  }
  auto view = std::make_shared<TableDefinition>(*table);
  Scope scope;
  Binder binder(planner, &scope);
  for (TableColumn& column : view->columns) {
    if (column.required != nullptr) {
      KLIP_ASSIGN_OR_RETURN(const BoundPtr value, binder.Bind(*column.required));
      KLIP_ASSIGN_OR_RETURN(const Value evaluated, Evaluate(value.get()));
      KLIP_ASSIGN_OR_RETURN(column.required_value, ToColumn(column, evaluated));
    }
  }
  return TablePtr(std::move(view));
}

bool IsImmutable(const TableDefinition& table) { return table.immutable_rows || table.HasProperty("IMMUTABLE_ROWS"); }

// The table, extended by dynamic columns, and the positions of the columns that a statement names.
struct Target {
  TablePtr table;
  std::vector<size_t> columns;
};

Expected<Target> FindTarget(Planner* planner, const Upsert& upsert) {
  Target target;
  KLIP_ASSIGN_OR_RETURN(target.table, FindWritable(planner, upsert.table));
  KLIP_ASSIGN_OR_RETURN(target.table, WithRequiredValues(planner, std::move(target.table)));
  if (upsert.columns.empty()) {
    target.columns = target.table->DeclaredOrder();
    return target;
  }
  const auto is_dynamic = [](const ColumnDefinition& named) { return named.type.type != Type::kNull; };
  if (std::ranges::all_of(upsert.columns, is_dynamic)) {  // they are added to all columns
    target.columns = target.table->DeclaredOrder();
  }
  auto wider = std::make_shared<TableDefinition>(*target.table);
  for (const ColumnDefinition& named : upsert.columns) {
    if (is_dynamic(named)) {
      if (FindColumn(*wider, named.family, named.name).ok()) {
        return SqlError(514, "42892",
                        "A duplicate column name was detected in the object definition or ALTER TABLE/VIEW statement. "
                        "columnName=" +
                            wider->name.name + "." + named.name);
      }
      KLIP_ASSIGN_OR_RETURN(TableColumn column, DynamicColumn(*wider, named));
      target.columns.push_back(wider->columns.size());
      wider->columns.push_back(std::move(column));
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const size_t column, FindColumn(*wider, named.family, named.name));
    if (std::find(target.columns.begin(), target.columns.end(), column) != target.columns.end()) {
      return SqlError(502, "42702", "Column reference ambiguous or duplicate names. columnName=" + named.name);
    }
    target.columns.push_back(column);
  }
  target.table = std::move(wider);
  return target;
}

// Adds the defaults of columns that are not named, and the constants that a view requires. Errors: 218 (23018), a row that
// never changes would lack a column that is NOT NULL.
Status AddDefaults(Binder* binder, Target* target, std::vector<BoundPtr>* defaults) {
  for (size_t i = 0; i < target->table->columns.size(); ++i) {
    const TableColumn& column = target->table->columns[i];
    const Expression* const value_of = column.required != nullptr ? column.required.get() : column.default_value.get();
    if (std::ranges::find(target->columns, i) != target->columns.end()) {
      continue;
    }
    if (value_of != nullptr) {
      KLIP_ASSIGN_OR_RETURN(BoundPtr value, binder->Bind(*value_of));
      target->columns.push_back(i);
      defaults->push_back(std::move(value));
    } else if (column.not_null && column.key_position < 0 && IsImmutable(*target->table)) {
      return SqlError(218, "23018",
                      "Constraint violation. " + target->table->name.name + "." + column.name + " may not be null");
    }
  }
  return Status::Ok();
}

Status WrongNumber(size_t wanted, size_t found) {
  return SqlError(1020, "42Y60",
                  "Number of columns upserting must match number of values. Numbers of columns: " +
                      std::to_string(wanted) + ". Number of values: " + std::to_string(found));
}

// The type of times that may also be before 1970.
Type SignedTime(Type type) {
  return type == Type::kUnsignedDate        ? Type::kDate
         : type == Type::kUnsignedTime      ? Type::kTime
         : type == Type::kUnsignedTimestamp ? Type::kTimestamp
                                            : type;
}

Status TypeMismatch(const BoundExpression& value, const TableColumn& column) {
  return SqlError(203, "22005",
                  "Type mismatch. " + ToString(value.type()) + " and " + ToString(column.type) + " for " + column.name);
}

// Whether a value of VALUES may go into the column. For numbers, the value decides, not its type: 1.5 fits a DOUBLE, 1.0
// an INTEGER. If it is not known yet, or cannot be computed, each execution checks it.
Status CheckValue(BoundExpression& value, const TableColumn& column) {
  const Value* const constant = value.constant();
  if (dynamic_cast<const Constant*>(&value) != nullptr && constant->is_null()) {
    return Status::Ok();  // also ''
  }
  if (IsNumber(value.type().type) && IsNumber(column.type.type) && value.type().array == column.type.array) {
    const Status fits = constant == nullptr ? Status::Ok() : ToColumn(column, *constant).status();
    return ErrorOf(fits).number != 203 && ErrorOf(fits).number != 201
               ? fits
               : SqlError(203, "22005",
                          "Type mismatch. " + ToString(column.type) + " and " + ToString(value.type()) + " for " +
                              constant->ToString());
  }
  const bool times = IsTime(value.type().type) && Coercible(value.type().type, SignedTime(column.type.type));
  const bool text = constant != nullptr && !constant->is_null() && IsText(constant->type());
  if (IsTime(column.type.type) && (times || text) && value.type().array == column.type.array) {
    const Status fits = constant == nullptr ? Status::Ok() : ToColumn(column, *constant).status();
    return ErrorOf(fits).number == 201 ? TypeMismatch(value, column) : fits;
  }
  if (!Coercible(value.type().type, column.type.type) || value.type().array != column.type.array) {
    return TypeMismatch(value, column);
  }
  return Status::Ok();
}

// A parameter takes the column's type. Its value may be longer than the column allows: what is cut, and what is an error, is decided as
// for a literal.
Status TakeColumnType(const DataType& type, BoundPtr* value) {
  if (auto* const parameter = dynamic_cast<SlotValue*>(value->get()); parameter != nullptr) {
    parameter->slot()->Suggest(type);
    (void)parameter->TakeType({.type = type.type, .array = type.array}, /*compared=*/true);
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(*value, MakeConvert(std::move(*value), type));
  return Status::Ok();
}

// Whether UPSERT SELECT writes the milliseconds of a time as a number, or the other way around. Those of a TIMESTAMP are a DECIMAL.
bool IsMillis(Type from, Type to) {
  const auto counts = [](Type type) { return type == Type::kBigint || type == Type::kUnsignedLong; };
  return (IsTime(from) && (to == Type::kDecimal || (counts(to) && !IsTimestamp(from)))) ||
         ((counts(from) || from == Type::kDecimal) && IsTime(to));
}

// Whether a column of a query may go into the column of a table.
Status CheckQueried(const DataType& type, const TableColumn& column) {
  const BoundPtr value = MakeColumn(0, type);
  if (type.type == Type::kNull) {
    return Status::Ok();
  }
  if (!type.array && !column.type.array && IsMillis(type.type, column.type.type)) {
    return Status::Ok();
  }
  if (!Castable(type, column.type)) {
    return TypeMismatch(*value, column);
  }
  const bool time = IsTime(column.type.type) && (IsText(type.type) || IsTime(type.type)) && !type.array;
  const bool boolean = type.type == Type::kDecimal && column.type.type == Type::kBoolean;
  return time || boolean ? Status::Ok() : CheckValue(*value, column);
}

// Whether it has a column or an aggregate, which only a query has; subqueries do not count.
bool DependsOnRows(const Expression& value) {
  return value.kind == Expression::Kind::kColumn ||
         (value.kind == Expression::Kind::kFunction && IsAggregate(value.name)) ||
         std::ranges::any_of(value.operands, [](const ExpressionPtr& operand) { return DependsOnRows(*operand); });
}

// INSERT and ON DUPLICATE KEY write a row only if it does not exist.
CheckAndMutate IfAbsent(const TableDefinition& table, RowChange change) {
  CheckAndMutate check;
  check.row = change.put.row;
  check.condition = RowCondition::IfNotExists(*table.empty_family, table.empty_qualifier);
  check.action = std::move(change.put);
  return check;
}

// Conditional writes of different rows, which the store commits together.
class CheckedWrites {
 public:
  explicit CheckedWrites(Table* table) : table_(table) {}

  // Whether it must be written before the row can be added.
  bool IsFullFor(const std::string& row) const {
    return actions_.size() >= Changes::kRowsAtOnce || rows_.contains(row);
  }
  bool empty() const { return actions_.empty(); }
  void Add(CheckAndMutate check) {
    rows_.insert(check.row);
    actions_.emplace_back(std::move(check));
  }
  // Writes them. Of each, in the order in which they were added: whether its condition held.
  Expected<std::vector<bool>> Write() {
    std::vector<bool> held;
    for (const Expected<Result>& outcome : table_->Batch(actions_)) {
      KLIP_RETURN_IF_ERROR(outcome.status());
      held.push_back(outcome->exists());
    }
    actions_.clear();
    rows_.clear();
    return held;
  }

 private:
  Table* const table_;
  std::vector<Action> actions_;
  std::set<std::string> rows_;
};

std::string PutText(size_t rows) { return rows == 1 ? "PUT SINGLE ROW" : "PUT " + std::to_string(rows) + " ROWS"; }

// For explicit rows: VALUES.
class UpsertValues final : public ChangePlan {
 public:
  UpsertValues(PlanContext context, Target target, std::vector<std::vector<BoundPtr>> rows, const Upsert& upsert)
      : context_(std::move(context)),
        target_(std::move(target)),
        rows_(std::move(rows)),
        insert_(upsert.insert),
        ignore_(upsert.ignore_duplicate) {}

  Expected<int64_t> Run(Execution* /*execution*/, Changes* changes, bool write) override {
    if (depends_on_stored()) {
      return RunIfAbsent(changes, write);
    }
    int64_t changed = 0;
    for (const std::vector<BoundPtr>& row : rows_) {
      KLIP_ASSIGN_OR_RETURN(RowChange change, ChangeOf(row));
      KLIP_RETURN_IF_ERROR(changes->Add(target_.table->physical_name, std::move(change)));
      KLIP_RETURN_IF_ERROR(WriteIfMany(changes, write));
      ++changed;
    }
    return changed;
  }
  bool depends_on_stored() const override { return insert_ || ignore_; }

  void Explain(ExplainLines* lines) const override { lines->push_back(PutText(rows_.size())); }

 private:
  Expected<RowChange> ChangeOf(const std::vector<BoundPtr>& row) {
    ++one_.serial;
    std::vector<Value> values;
    for (const BoundPtr& expression : row) {
      KLIP_ASSIGN_OR_RETURN(Value value, Evaluate(expression.get(), one_));
      values.push_back(std::move(value));
    }
    return UpsertRow(*target_.table, target_.columns, std::move(values));
  }

  Expected<int64_t> RunIfAbsent(Changes* changes, bool write) {
    SessionTables::Handle handle;
    KLIP_ASSIGN_OR_RETURN(Table* const table, context_.tables->Open(target_.table->physical_name, &handle));
    CheckedWrites writes(table);
    int64_t changed = 0;
    for (const std::vector<BoundPtr>& row : rows_) {
      KLIP_ASSIGN_OR_RETURN(RowChange change, ChangeOf(row));
      if (write && writes.IsFullFor(change.put.row)) {
        KLIP_RETURN_IF_ERROR(Write(&writes, &changed));
      }
      if ((insert_ && rows_.size() > 1) || !write) {  // a violation leaves the rows after it unwritten
        KLIP_ASSIGN_OR_RETURN(
            const bool exists,
            table->Exists(
                {.row = change.put.row, .columns = {{*target_.table->empty_family, target_.table->empty_qualifier}}}));
        if (exists && insert_) {
          KLIP_RETURN_IF_ERROR(writes.empty() ? Status::Ok() : Write(&writes, &changed));
          return Violation();
        }
        if (exists) {
          continue;
        }
      }
      if (write) {
        writes.Add(IfAbsent(*target_.table, std::move(change)));
      } else {
        KLIP_RETURN_IF_ERROR(changes->Add(target_.table->physical_name, std::move(change)));
        ++changed;
      }
    }
    KLIP_RETURN_IF_ERROR(writes.empty() ? Status::Ok() : Write(&writes, &changed));
    return changed;
  }

  Status Write(CheckedWrites* writes, int64_t* changed) const {
    KLIP_ASSIGN_OR_RETURN(const std::vector<bool> written, writes->Write());
    *changed += std::ranges::count(written, true);
    return insert_ && std::ranges::find(written, false) != written.end() ? Violation() : Status::Ok();
  }

  Status Violation() const {
    return SqlError(
        301, "23001",
        "Unique key constraint violation. A row with this primary key exists in " + ToString(target_.table->name));
  }

  PlanContext context_;
  Target target_;
  std::vector<std::vector<BoundPtr>> rows_;
  bool insert_;
  bool ignore_;
  Batch one_ = {.rows = 1};
};

// ON DUPLICATE KEY UPDATE, optimistically: reads the row, computes the new values, and writes them if the cells are
// unchanged; otherwise it retries.
class UpsertOnDuplicate final : public ChangePlan {
 public:
  // `current` returns the assigned values and then all cells of the row whose key is in `key`.
  UpsertOnDuplicate(PlanContext context, Target target, std::vector<std::vector<BoundPtr>> rows,
                    std::vector<size_t> assigned, OperatorPtr current, std::vector<SlotPtr> key)
      : context_(std::move(context)),
        target_(std::move(target)),
        rows_(std::move(rows)),
        assigned_(std::move(assigned)),
        current_(std::move(current)),
        key_(std::move(key)) {}

  Expected<int64_t> Run(Execution* execution, Changes* changes, bool write) override {
    SessionTables::Handle handle;
    KLIP_ASSIGN_OR_RETURN(Table* const table, context_.tables->Open(target_.table->physical_name, &handle));
    CheckedWrites writes(table);
    std::vector<std::vector<Value>> written;  // the values of `writes`
    for (const std::vector<BoundPtr>& row : rows_) {
      ++one_.serial;
      std::vector<Value> values;
      for (const BoundPtr& expression : row) {
        KLIP_ASSIGN_OR_RETURN(Value value, Evaluate(expression.get(), one_));
        values.push_back(std::move(value));
      }
      KLIP_ASSIGN_OR_RETURN(Step step, NextStep(execution, values));
      if (!write) {
        KLIP_RETURN_IF_ERROR(changes->Add(target_.table->physical_name, std::move(step.change)));
        continue;
      }
      if (writes.IsFullFor(step.change.put.row)) {
        KLIP_RETURN_IF_ERROR(Write(execution, table, &writes, &written));
        KLIP_ASSIGN_OR_RETURN(step, NextStep(execution, values));  // of the row as it is now
      }
      writes.Add(std::move(step).Check(*target_.table));
      written.push_back(std::move(values));
    }
    KLIP_RETURN_IF_ERROR(Write(execution, table, &writes, &written));
    return static_cast<int64_t>(rows_.size());
  }
  bool depends_on_stored() const override { return true; }

  void Explain(ExplainLines* lines) const override {
    lines->push_back(PutText(rows_.size()) + " ON DUPLICATE KEY UPDATE");
  }

 private:
  // What a row becomes, if it still is as it was read.
  struct Step {
    RowChange change;
    FilterPtr as_read;  // null: it did not exist

    CheckAndMutate Check(const TableDefinition& table) && {
      if (as_read == nullptr) {
        return IfAbsent(table, std::move(change));
      }
      CheckAndMutate check;
      check.row = change.put.row;
      check.condition.filter = std::move(as_read);
      RowMutations both = {.row = check.row};
      if (!change.nulls.markers.empty()) {
        both.mutations.emplace_back(std::move(change.nulls));
      }
      both.mutations.emplace_back(std::move(change.put));
      check.action = std::move(both);
      return check;
    }
  };

  // Writes them; those of rows that others have changed meanwhile, again.
  Status Write(Execution* execution, Table* table, CheckedWrites* writes, std::vector<std::vector<Value>>* values) {
    if (writes->empty()) {
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<bool> held, writes->Write());
    for (size_t i = 0; i < held.size(); ++i) {
      KLIP_RETURN_IF_ERROR(held[i] ? Status::Ok() : WriteUntilHeld(execution, table, (*values)[i]));
    }
    values->clear();
    return Status::Ok();
  }

  Status WriteUntilHeld(Execution* execution, Table* table, const std::vector<Value>& values) {
    constexpr int kMostTries = 1000;
    for (int tries = 0; tries < kMostTries; ++tries) {
      KLIP_ASSIGN_OR_RETURN(Step step, NextStep(execution, values));
      KLIP_ASSIGN_OR_RETURN(const CheckAndMutateResult result,
                            table->CheckAndMutate(std::move(step).Check(*target_.table)));
      if (result.success) {
        return Status::Ok();
      }
    }
    return SqlError(301, "23000", "Concurrent modification to table. tableName=" + ToString(target_.table->name));
  }

  Expected<Step> NextStep(Execution* execution, const std::vector<Value>& values) {
    std::vector<Value> key(target_.table->key_columns);
    for (size_t i = 0; i < values.size(); ++i) {
      const TableColumn& column = target_.table->columns[target_.columns[i]];
      if (column.key_position >= 0) {
        const auto position = static_cast<size_t>(column.key_position);
        KLIP_ASSIGN_OR_RETURN(key[position], ToColumn(column, values[i]));
        key_[position]->Set(key[position]);
      }
    }
    if (std::any_of(key.begin(), key.end(), [](const Value& value) { return value.is_null(); })) {
      return Status(Code::kUnsupported, "SQL: ON DUPLICATE KEY UPDATE of a row with NULL in its key");
    }
    KLIP_RETURN_IF_ERROR(current_->Open(execution));
    Batch batch;
    KLIP_ASSIGN_OR_RETURN(const bool exists, current_->Next(&batch));
    Step step;
    if (!exists) {
      KLIP_ASSIGN_OR_RETURN(step.change, UpsertRow(*target_.table, target_.columns, values));
      return step;
    }
    std::vector<size_t> columns;
    std::vector<Value> wanted;
    for (size_t i = 0; i < key.size(); ++i) {
      columns.push_back(i);
      wanted.push_back(key[i]);
    }
    for (size_t i = 0; i < assigned_.size(); ++i) {
      columns.push_back(assigned_[i]);
      wanted.push_back(batch.columns[i].At(0));
    }
    KLIP_ASSIGN_OR_RETURN(step.change, UpsertRow(*target_.table, columns, std::move(wanted)));
    step.as_read = AsRead(batch);
    return step;
  }

  // Passes the row if its cells equal the batch's: what was NULL is still missing.
  FilterPtr AsRead(const Batch& batch) const {
    std::vector<FilterPtr> all;
    for (size_t i = assigned_.size(); i < batch.columns.size(); ++i) {
      const TableColumn& column = target_.table->columns[target_.table->key_columns + i - assigned_.size()];
      SingleColumnValue cell;
      cell.family = column.family;
      cell.qualifier = column.qualifier;
      std::string bytes;
      EncodeValue(batch.columns[i].At(0), column.type, &bytes);
      const bool missing = bytes.empty();
      cell.op = missing ? CompareOp::kLess : CompareOp::kEqual;  // no value is less than the empty one
      cell.filter_if_missing = !missing;
      cell.comparator = BinaryComparator(std::move(bytes));
      all.push_back(SingleColumnValueFilter(std::move(cell)));
    }
    return FilterList(ListOperator::kMustPassAll, std::move(all));
  }

  PlanContext context_;
  Target target_;
  std::vector<std::vector<BoundPtr>> rows_;
  std::vector<size_t> assigned_;
  OperatorPtr current_;
  std::vector<SlotPtr> key_;
  Batch one_ = {.rows = 1};
};

// Changes computed from the rows of a query, and written while the query runs.
class ChangesOfQuery : public ChangePlan {
 public:
  Expected<int64_t> Run(Execution* execution, Changes* changes, bool write) override {
    KLIP_RETURN_IF_ERROR(query_->Open(execution));
    Batch batch;
    int64_t changed = 0;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, query_->Next(&batch));
      if (!more) {
        return changed;
      }
      for (size_t row = 0; row < batch.rows; ++row) {
        std::vector<Value> values;
        for (const Vector& column : batch.columns) {
          values.push_back(column.At(row));
        }
        KLIP_ASSIGN_OR_RETURN(RowChange change, ChangeOf(std::move(values)));
        KLIP_RETURN_IF_ERROR(changes->Add(table_->physical_name, std::move(change)));
        ++changed;
      }
      KLIP_RETURN_IF_ERROR(WriteIfMany(changes, write && writes_early_));
    }
  }

  void Explain(ExplainLines* lines) const override {
    lines->push_back(title_);
    query_->Explain(lines);
  }

 protected:
  ChangesOfQuery(std::string title, TablePtr table, OperatorPtr query, bool writes_early)
      : title_(std::move(title)), table_(std::move(table)), query_(std::move(query)), writes_early_(writes_early) {}

  virtual Expected<RowChange> ChangeOf(std::vector<Value> values) const = 0;
  const TableDefinition& table() const { return *table_; }

 private:
  std::string title_;  // for EXPLAIN
  TablePtr table_;
  OperatorPtr query_;
  bool writes_early_;
};

// One value per target column.
class UpsertQuery final : public ChangesOfQuery {
 public:
  // `writes_early`: false if the query could read the rows that it wrote, and would never end.
  UpsertQuery(Target target, OperatorPtr query, bool writes_early)
      : ChangesOfQuery("UPSERT SELECT", target.table, std::move(query), writes_early),
        columns_(std::move(target.columns)) {}

 private:
  Expected<RowChange> ChangeOf(std::vector<Value> values) const override {
    return UpsertRow(table(), columns_, std::move(values));
  }

  std::vector<size_t> columns_;
};

// Their only value is the row key.
class DeleteRows final : public ChangesOfQuery {
 public:
  DeleteRows(TablePtr table, OperatorPtr query)
      : ChangesOfQuery("DELETE ROWS SERVER SELECT", std::move(table), std::move(query), /*writes_early=*/true) {}

 private:
  Expected<RowChange> ChangeOf(std::vector<Value> values) const override {
    RowChange change;
    change.delete_row = true;
    change.put.row = values[0].text();
    return change;
  }
};

// Their only value is the row key.
class ClearedCells final : public ChangesOfQuery {
 public:
  ClearedCells(TablePtr table, OperatorPtr query, const std::vector<TableColumn>& cells)
      : ChangesOfQuery("CLEAR CELLS", std::move(table), std::move(query), /*writes_early=*/true), cells_(cells) {}

 private:
  Expected<RowChange> ChangeOf(std::vector<Value> values) const override {
    RowChange change;
    change.put.row = change.nulls.row = values[0].text();
    for (const TableColumn& cell : cells_) {
      change.nulls.AddColumns(cell.family, cell.qualifier);
    }
    return change;
  }

  std::vector<TableColumn> cells_;
};

// DELETE FROM SYSTEM.STATEMENTS: ends statements. The only value of the rows is their id.
class EndStatements final : public ChangePlan {
 public:
  explicit EndStatements(OperatorPtr query) : query_(std::move(query)) {}

  Expected<int64_t> Run(Execution* execution, Changes* /*changes*/, bool /*write*/) override {
    KLIP_RETURN_IF_ERROR(query_->Open(execution));
    int64_t ended = 0;
    for (Batch batch;;) {
      KLIP_ASSIGN_OR_RETURN(const bool more, query_->Next(&batch));
      if (!more) {
        return ended;
      }
      for (size_t row = 0; row < batch.rows; ++row) {
        ended += ServedStatement::End(batch.columns[0].whole(row)) ? 1 : 0;
      }
    }
  }
  void Explain(ExplainLines* lines) const override {
    lines->push_back("END STATEMENTS");
    query_->Explain(lines);
  }

 private:
  OperatorPtr query_;
};

ExpressionPtr ColumnNamed(const std::string& name) {
  auto column = std::make_unique<Expression>();
  column->kind = Expression::Kind::kColumn;
  column->name = name;
  return column;
}

// SELECT <the row key> FROM table WHERE ...
Select SelectRows(const TableName& name, const Expression* where) {
  Select select;
  ExpressionPtr& row_key = select.items.emplace_back().expression = std::make_unique<Expression>();
  row_key->kind = Expression::Kind::kFunction;
  row_key->name = kRowKeyFunction;
  select.from = std::make_unique<FromItem>();
  select.from->table = name;
  select.where = where == nullptr ? nullptr : Clone(*where);
  return select;
}

// SELECT <assigned values>, <all cells> FROM table WHERE key column = ? AND ..., with parameters of its own.
Expected<std::unique_ptr<ChangePlan>> PlanOnDuplicate(Planner* planner, const Upsert& upsert, Target target,
                                                      std::vector<std::vector<BoundPtr>> rows) {
  const TableDefinition& table = *target.table;
  KLIP_RETURN_IF_ERROR(CheckCells(table));
  Select select;
  std::vector<size_t> assigned;
  for (const Assignment& assignment : upsert.on_duplicate) {
    KLIP_ASSIGN_OR_RETURN(const size_t column, FindColumn(table, assignment.family, assignment.column));
    if (column < table.key_columns) {
      return SqlError(
          1218, "42Z18",
          "Primary key columns may not be udpated in ON DUPLICATE KEY UPDATE clause. columnName=" + assignment.column);
    }
    if (std::ranges::find(assigned, column) != assigned.end()) {
      return SqlError(
          1221, "42Z21",
          "Duplicate column in ON DUPLICATE KEY UPDATE. columnName=" + table.name.name + "." + assignment.column);
    }
    if (HasAggregate(*assignment.value)) {
      return SqlError(1222, "42Z22",
                      "Aggregation in ON DUPLICATE KEY UPDATE is not allowed. columnName=" + table.name.name + "." +
                          assignment.column);
    }
    assigned.push_back(column);
    select.items.push_back({.expression = Clone(*assignment.value), .alias = {}});
  }
  for (size_t i = table.key_columns; i < table.columns.size(); ++i) {
    ExpressionPtr cell = ColumnNamed(table.columns[i].name);
    cell->qualifier = table.columns[i].family;
    select.items.push_back({.expression = std::move(cell), .alias = {}});
  }
  select.from = std::make_unique<FromItem>();
  select.from->table = upsert.table;
  select.where = std::make_unique<Expression>();
  select.where->kind = Expression::Kind::kAnd;
  std::vector<SlotPtr> key;
  for (size_t i = 0; i < table.key_columns; ++i) {
    auto same = std::make_unique<Expression>();
    same->kind = Expression::Kind::kCompare;
    same->operation = "=";
    auto parameter = std::make_unique<Expression>();
    parameter->kind = Expression::Kind::kParameter;
    parameter->position = planner->parameters().Add(table.key(i).type);
    key.push_back(planner->parameters().slot(parameter->position));
    same->operands.push_back(ColumnNamed(table.key(i).name));
    same->operands.push_back(std::move(parameter));
    select.where->operands.push_back(std::move(same));
  }
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner->Plan(select));
  for (size_t i = 0; i < assigned.size(); ++i) {
    const BoundPtr value = MakeColumn(i, query.columns[i].type);
    const TableColumn& column = table.columns[assigned[i]];
    query.Suggest(i, column.type);
    const bool literal = upsert.on_duplicate[i].value->kind == Expression::Kind::kLiteral && IsTime(column.type.type);
    if (value->type().type != Type::kNull && !literal) {
      KLIP_RETURN_IF_ERROR(CheckValue(*value, column));
    }
  }
  return std::unique_ptr<ChangePlan>(std::make_unique<UpsertOnDuplicate>(planner->context(), std::move(target),
                                                                         std::move(rows), std::move(assigned),
                                                                         std::move(query.root), std::move(key)));
}

// Whether each row is written back to its own key: every key column is the table's own column.
bool KeepsRows(const Target& target, const std::vector<Column>& columns) {
  size_t own = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const TableColumn& column = target.table->columns[target.columns[i]];
    const bool same = columns[i].name == column.name && columns[i].table == target.table->name.name &&
                      columns[i].schema == target.table->name.schema;
    own += column.key_position >= 0 && same ? 1 : 0;
  }
  return own == target.table->key_columns;
}

Expected<std::unique_ptr<ChangePlan>> PlanUpsertSelect(Planner* planner, const Upsert& upsert, Target target) {
  const size_t named = target.columns.size();
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner->Plan(*upsert.select));
  if (query.columns.size() > named || (query.columns.size() < named && !upsert.columns.empty())) {
    return WrongNumber(named, query.columns.size());
  }
  target.columns.resize(query.columns.size());  // as with VALUES, the last columns may be left out
  std::vector<BoundPtr> values;
  for (size_t i = 0; i < target.columns.size(); ++i) {
    const DataType& type = query.root->types()[i];
    values.push_back(MakeColumn(i, type));
    KLIP_RETURN_IF_ERROR(CheckQueried(type, target.table->columns[target.columns[i]]));
    query.Suggest(i, target.table->columns[target.columns[i]].type);
  }
  Scope scope;
  Binder binder(planner, &scope);
  KLIP_RETURN_IF_ERROR(AddDefaults(&binder, &target, &values));
  OperatorPtr root = MakeProject(std::move(query.root), std::move(values));
  const bool writes_early = !planner->Reads(target.table->physical_name) || KeepsRows(target, query.columns);
  return std::unique_ptr<ChangePlan>(std::make_unique<UpsertQuery>(std::move(target), std::move(root), writes_early));
}

}  // namespace

Expected<std::unique_ptr<ChangePlan>> PlanUpsert(Planner* planner, const Upsert& upsert) {
  KLIP_ASSIGN_OR_RETURN(Target target, FindTarget(planner, upsert));
  const bool if_absent = upsert.insert || upsert.ignore_duplicate || !upsert.on_duplicate.empty();
  if (if_absent && planner->context().tables->in_past()) {
    return SqlError(1223, "42Z23",
                    "INSERT and ON DUPLICATE KEY depend on the newest cells, and the session has a CurrentSCN.");
  }
  if ((upsert.ignore_duplicate || !upsert.on_duplicate.empty()) && IsImmutable(*target.table)) {
    return SqlError(1219, "42Z19",
                    "The ON DUPLICATE KEY UPDATE clause may not be used for immutable tables. tableName=" +
                        target.table->name.name);
  }
  if (upsert.select != nullptr) {
    return PlanUpsertSelect(planner, upsert, std::move(target));
  }
  Scope scope;
  Binder binder(planner, &scope);
  const size_t named = target.columns.size();
  std::vector<std::vector<BoundPtr>> rows;
  Target whole = target;
  for (const std::vector<ExpressionPtr>& written : upsert.rows) {
    // If there are fewer values than columns, the last columns are not set, unless columns were named.
    if (written.size() > named || (written.size() < named && !upsert.columns.empty())) {
      return WrongNumber(named, written.size());
    }
    if (written.size() != upsert.rows.front().size()) {
      return WrongNumber(upsert.rows.front().size(), written.size());
    }
    std::vector<BoundPtr>& row = rows.emplace_back();
    whole = target;
    whole.columns.resize(written.size());
    for (size_t i = 0; i < written.size(); ++i) {
      if (DependsOnRows(*written[i])) {
        return SqlError(204, "22008", "Values in UPSERT must evaluate to a constant. '" + ToString(*written[i]) + "'");
      }
      KLIP_ASSIGN_OR_RETURN(BoundPtr value, binder.Bind(*written[i]));
      if (value->type().type == Type::kNull) {
        KLIP_RETURN_IF_ERROR(TakeColumnType(target.table->columns[target.columns[i]].type, &value));
      } else {
        KLIP_RETURN_IF_ERROR(CheckValue(*value, target.table->columns[target.columns[i]]));
      }
      row.push_back(std::move(value));
    }
    KLIP_RETURN_IF_ERROR(AddDefaults(&binder, &whole, &row));
  }
  if (!upsert.on_duplicate.empty()) {
    return PlanOnDuplicate(planner, upsert, std::move(whole), std::move(rows));
  }
  return std::unique_ptr<ChangePlan>(
      std::make_unique<UpsertValues>(planner->context(), std::move(whole), std::move(rows), upsert));
}

Expected<std::unique_ptr<ChangePlan>> PlanUpdate(Planner* planner, const Update& update) {
  Target target;
  KLIP_ASSIGN_OR_RETURN(target.table, FindWritable(planner, update.table));
  KLIP_RETURN_IF_ERROR(CheckCells(*target.table));
  KLIP_ASSIGN_OR_RETURN(target.table, WithRequiredValues(planner, std::move(target.table)));
  Select select = SelectRows(update.table, update.where.get());
  auto wider = std::make_shared<TableDefinition>(*target.table);
  target.columns.push_back(wider->columns.size());
  wider->columns.push_back({.type = {.type = Type::kVarbinary}, .row_part = RowPart::kKey});
  target.table = std::move(wider);
  for (const Assignment& assignment : update.assignments) {
    KLIP_ASSIGN_OR_RETURN(const size_t column, FindColumn(*target.table, assignment.family, assignment.column));
    if (column < target.table->key_columns) {
      return SqlError(1218, "42Z18", "Primary key columns may not be updated. columnName=" + assignment.column);
    }
    target.columns.push_back(column);
    select.items.push_back({.expression = Clone(*assignment.value), .alias = {}});
  }
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner->Plan(select));
  for (size_t i = 0; i < target.columns.size(); ++i) {
    query.Suggest(i, target.table->columns[target.columns[i]].type);
  }
  return std::unique_ptr<ChangePlan>(
      std::make_unique<UpsertQuery>(std::move(target), std::move(query.root), /*writes_early=*/true));
}

namespace {

Expected<std::unique_ptr<ChangePlan>> PlanEndStatements(Planner* planner, const sql::Delete& del) {
  Select select;
  select.items.emplace_back().expression = ColumnNamed("STATEMENT_ID");
  select.from = std::make_unique<FromItem>();
  select.from->table = del.table;
  select.where = del.where == nullptr ? nullptr : Clone(*del.where);
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner->Plan(select));
  return std::unique_ptr<ChangePlan>(std::make_unique<EndStatements>(std::move(query.root)));
}

}  // namespace

Expected<std::unique_ptr<ChangePlan>> PlanDelete(Planner* planner, const sql::Delete& del) {
  if (del.table == StatementsTable()->name) {
    return PlanEndStatements(planner, del);
  }
  KLIP_ASSIGN_OR_RETURN(TablePtr table, FindWritable(planner, del.table));
  Select select = SelectRows(del.table, del.where.get());
  for (const OrderTerm& term : del.order_by) {
    select.order_by.push_back({Clone(*term.expression), term.descending, term.nulls_last});
  }
  select.limit = del.limit == nullptr ? nullptr : Clone(*del.limit);
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner->Plan(select));
  return std::unique_ptr<ChangePlan>(std::make_unique<DeleteRows>(std::move(table), std::move(query.root)));
}

// SELECT <the row key> FROM table (cell VARBINARY, ...) WHERE cell IS NOT NULL OR ...
Expected<std::unique_ptr<ChangePlan>> PlanClearCells(Planner* planner, const TableName& table,
                                                     const std::vector<TableColumn>& cells) {
  KLIP_ASSIGN_OR_RETURN(TablePtr found, planner->FindTable(table));
  Expression any;
  any.kind = Expression::Kind::kOr;
  for (const TableColumn& cell : cells) {
    auto there = std::make_unique<Expression>();
    there->kind = Expression::Kind::kIsNull;
    there->negated = true;
    there->operands.push_back(ColumnNamed(cell.name));
    there->operands[0]->qualifier = cell.family;
    any.operands.push_back(std::move(there));
  }
  Select select = SelectRows(table, cells.size() == 1 ? any.operands[0].get() : &any);
  for (const TableColumn& cell : cells) {
    select.from->dynamic_columns.push_back(
        {.family = cell.family, .name = cell.name, .type = {.type = Type::kVarbinary}});
  }
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner->Plan(select));
  return std::unique_ptr<ChangePlan>(std::make_unique<ClearedCells>(std::move(found), std::move(query.root), cells));
}

}  // namespace klip::sql
