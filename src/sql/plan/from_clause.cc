// Moves conditions down as far as possible. Conditions on one table go to its scan, where those on the key become jumps.
// Equalities between the two sides of a join become its keys. Outer joins let only those pass that do not change which
// rows get NULLs.
//
// Example: FROM a LEFT JOIN b ON a.id = b.id AND b.x > 5 WHERE a.y = 1 AND b.z = 2. a.id = b.id becomes the key; b.x > 5
// goes to the scan of b, since it only decides which rows match. a.y = 1 goes to the scan of a. b.z = 2 stays above the
// join: in the scan of b, it would turn rows into NULLs instead of dropping them.
#include "sql/plan/from_clause.h"

#include <algorithm>
#include <utility>

#include "sql/catalog/definition.h"
#include "sql/plan/binder.h"
#include "sql/plan/explain_scan.h"
#include "sql/plan/index_filter.h"
#include "sql/plan/join_order.h"
#include "sql/plan/key_query.h"
#include "sql/plan/key_ranges.h"

namespace klip::sql {
namespace {

void AddColumnsOf(const FromNode& node, std::vector<bool>* columns) {
  if (node.left != nullptr) {
    AddColumnsOf(*node.left, columns);
    AddColumnsOf(*node.right, columns);
    return;
  }
  std::fill_n(columns->begin() + static_cast<std::ptrdiff_t>(node.first_column), node.columns, true);
}

bool AreIn(const std::vector<size_t>& columns, const std::vector<bool>& of) {
  return std::ranges::all_of(columns, [&](size_t column) { return column < of.size() && of[column]; });
}

// The columns that an expression reads. `scratch`: as many as the scope has, all false.
std::vector<size_t> ColumnsIn(BoundExpression& expression, std::vector<bool>* scratch) {
  CollectColumns(expression, scratch);
  std::vector<size_t> columns;
  for (size_t column = 0; column < scratch->size(); ++column) {
    if ((*scratch)[column]) {
      columns.push_back(column);
      (*scratch)[column] = false;
    }
  }
  return columns;
}

// The columns of the node, which are not next to each other if joins have another order than FROM.
std::vector<bool> ColumnsOf(const FromNode& node, size_t scope_columns) {
  std::vector<bool> columns(scope_columns);
  AddColumnsOf(node, &columns);
  return columns;
}

// Moves the conditions that read only these columns.
void TakeWithin(const std::vector<bool>& columns, std::vector<Conjunct>* from, std::vector<Conjunct>* to) {
  const auto stays = std::stable_partition(from->begin(), from->end(),
                                           [&](const Conjunct& conjunct) { return !AreIn(conjunct.columns, columns); });
  std::move(stays, from->end(), std::back_inserter(*to));
  from->erase(stays, from->end());
}

// Combines all of them into one condition over `places`; null: none. The text that conjuncts share is printed once.
Expected<BoundPtr> Combine(std::vector<Conjunct> conjuncts, const std::vector<size_t>& places, std::string* text) {
  std::vector<BoundPtr> conditions;
  std::vector<std::shared_ptr<const std::string>> texts;
  for (Conjunct& conjunct : conjuncts) {
    MoveColumns(conjunct.condition.get(), places);
    conditions.push_back(std::move(conjunct.condition));
    if (std::find(texts.begin(), texts.end(), conjunct.text) == texts.end()) {
      texts.push_back(std::move(conjunct.text));
      *text += (texts.size() == 1 ? "" : " AND ") + *texts.back();
    }
  }
  if (texts.size() > 1) {
    *text = "(" + *text + ")";
  }
  if (conditions.size() > 1) {
    return MakeLogic(BoundExpression::Kind::kAnd, std::move(conditions));
  }
  return conditions.empty() ? BoundPtr() : std::move(conditions[0]);
}

// Whether it is FALSE or NULL for each row, whatever the parameters are: 1 = 0.
bool NeverHolds(const BoundPtr& condition) {
  return condition->is_literal() && (condition->constant()->is_null() || !condition->constant()->boolean());
}

// No rows, with these columns of the table.
OperatorPtr DegenerateScan(const TableDefinition& table, std::span<const size_t> columns) {
  std::vector<DataType> types;
  for (const size_t column : columns) {
    types.push_back(table.columns[column].type);
  }
  return MakeMadeRows(
      std::move(types), [] { return std::vector<std::vector<Value>>(); },
      "DEGENERATE SCAN OVER " + ToString(table.name));
}

// Makes joins of the conditions that are subqueries, and moves them out of `conditions`.
void JoinSubqueries(std::vector<Conjunct>* conditions, FromPlan* plan) {
  std::erase_if(*conditions, [&](Conjunct& conjunct) {
    std::optional<SubqueryJoin> join = TakeJoin(conjunct.condition.get());
    if (!join.has_value()) {
      return false;
    }
    for (const BoundPtr& key : join->keys.left) {
      MoveColumns(key.get(), plan->places);
    }
    plan->root = MakeJoin(std::move(plan->root), std::move(join->query), join->kind, std::move(join->keys), nullptr);
    plan->reorders = true;
    return true;
  });
}

// Moves out the conditions of which JoinSubqueries makes joins.
std::vector<Conjunct> TakeSubqueries(std::vector<Conjunct>* conditions) {
  const auto stays = std::stable_partition(conditions->begin(), conditions->end(), [](const Conjunct& conjunct) {
    return conjunct.condition->kind() != BoundExpression::Kind::kSubquery;
  });
  std::vector<Conjunct> taken(std::make_move_iterator(stays), std::make_move_iterator(conditions->end()));
  conditions->erase(stays, conditions->end());
  return taken;
}

// Drops the rows that do not meet the conditions.
Status Restrict(std::vector<Conjunct> conditions, FromPlan* plan) {
  std::vector<Conjunct> subqueries = TakeSubqueries(&conditions);
  const auto filter = [&](std::vector<Conjunct> plain) -> Status {
    std::string text;
    KLIP_ASSIGN_OR_RETURN(BoundPtr condition, Combine(std::move(plain), plan->places, &text));
    if (condition != nullptr) {
      plan->root = MakeFilter(std::move(plan->root), std::move(condition), std::move(text));
    }
    return Status::Ok();
  };
  KLIP_RETURN_IF_ERROR(filter(std::move(conditions)));
  JoinSubqueries(&subqueries, plan);
  return filter(std::move(subqueries));  // those that cannot be joins
}

// The restrictions of the condition on the key.
Expected<RowsWanted> RowsWantedBy(BoundExpression& condition, const TableDefinition& table,
                                  const std::function<int(size_t)>& key_position) {
  constexpr size_t kMostPoints = 512;  // TUNING: rows for point gets
  RowsWanted rows;
  if (!table.schema.has_value()) {
    const KeyBoxes boxes = KeyBoxesOf(condition, table, key_position);
    rows.points = PointsOf(boxes, table, kMostPoints);
    rows.set = rows.points.empty() ? RowsOf(boxes, table) : nullptr;
    return rows;
  }
  if (const std::optional<KeyQuery> query = KeyQueryOf(condition, table, key_position); query.has_value()) {
    // A value that a field cannot represent matches no row, or, as a bound, some: the condition decides.
    if (Expected<std::shared_ptr<const filter::RowSet>> set = table.schema->Compile(*query); set.ok()) {
      rows.set = *std::move(set);
      rows.points = rows.set->Points(kMostPoints);
    }
  }
  return rows;
}

// Empty: there is none.
std::string DeclarationOf(const std::string& index, const TableDefinition& table, Catalog* catalog) {
  const auto indexes = catalog->OwnIndexesOf(table);
  const auto found = std::ranges::find(indexes->all, index, [](const IndexInfo& info) { return info.index.name; });
  return found == indexes->all.end() ? std::string() : found->index.ToString();
}

// Another index may get its name, and a prepared statement would sort by that one.
std::function<Status()> CheckThatItStays(const std::string& index, const TablePtr& table, Catalog* catalog) {
  return [index, table, catalog, planned = DeclarationOf(index, *table, catalog)] {
    return DeclarationOf(index, *table, catalog) == planned
               ? Status::Ok()
               : Status(Code::kInvalidArgument, "SQL: the index " + index +
                                                    " has changed since the statement was prepared for its order: "
                                                    "prepare it again");
  };
}

// The columns of the table that are used, in their places.
std::vector<size_t> PlaceColumns(const FromNode& node, const std::vector<bool>& used, FromPlan* plan) {
  plan->places.assign(used.size(), kNoPlace);
  std::vector<size_t> columns;
  for (size_t i = 0; i < node.columns; ++i) {
    if (used[node.first_column + i]) {
      plan->places[node.first_column + i] = columns.size();
      columns.push_back(i);
    }
  }
  return columns;
}

Expected<FromPlan> BuildTable(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                              const std::vector<bool>& used, const ScanOrder& order) {
  FromPlan plan;
  TableScanSpec spec;
  spec.tables = context.tables;
  spec.table = node->table;
  spec.reversed = order.reversed;
  spec.order_by_index = order.index;
  spec.check_order = order.index.empty() ? nullptr : CheckThatItStays(order.index, node->table, context.catalog);
  spec.threads = order.stops_early ? 1 : context.threads;
  spec.limit = order.limit;
  spec.sample = node->sample;
  spec.distinct_prefix = node->sample < 1 ? 0 : order.distinct_prefix;
  spec.columns = PlaceColumns(*node, used, &plan);
  std::vector<Conjunct> here = std::move(node->on);
  TakeWithin(ColumnsOf(*node, used.size()), conjuncts, &here);
  if (std::ranges::any_of(here, NeverHolds, &Conjunct::condition)) {
    plan.root = DegenerateScan(*node->table, spec.columns);
    return plan;
  }
  std::vector<Conjunct> subqueries = TakeSubqueries(&here);
  std::string text;
  KLIP_ASSIGN_OR_RETURN(BoundPtr condition, Combine(std::move(here), plan.places, &text));
  const auto key_position = [table = node->table, columns = spec.columns](size_t column) {
    return table->columns[columns[column]].key_position;
  };
  const auto met = std::make_shared<bool>(false);  // by the only row that the scan reads
  if (condition != nullptr) {
    spec.rows = [condition = condition.get(), table = node->table, key_position, met,
                 point = PointKey::Of(*condition, *node->table, key_position)]() -> Expected<RowsWanted> {
      std::optional<std::string> row = point.has_value() ? point->Row(*table) : std::nullopt;
      *met = row.has_value() && point->is_all();
      return row.has_value() ? RowsWanted{.points = {*std::move(row)}} : RowsWantedBy(*condition, *table, key_position);
    };
    spec.filter = [condition = condition.get(), table = node->table, columns = spec.columns,
                   catalog = context.catalog] {  // in each execution: indexes come and go
      return IndexFilter(*condition, *table, columns, catalog);
    };
  }
  std::string sampled = node->sample < 1 ? Value::Double(node->sample).ToString() + "-SAMPLED " : "";
  spec.explain = [sampled = std::move(sampled), condition = condition.get(), table = node->table, key_position, text,
                  reversed = order.reversed, index = order.index](ExplainLines* lines) {
    if (!index.empty()) {
      lines->push_back("CLIENT " + sampled + std::string(reversed ? "REVERSE " : "") + "SCAN OVER " +
                       ToString(table->name) + " IN THE ORDER OF INDEX " + index);
      if (!text.empty()) {
        lines->push_back("    SERVER FILTER BY " + text);
      }
      return;
    }
    if (table->schema.has_value()) {
      const std::optional<KeyQuery> query =
          condition == nullptr ? std::nullopt : KeyQueryOf(*condition, *table, key_position);
      ExplainKeyQuery(*table, query, sampled, reversed, text, lines);
      return;
    }
    const KeyBoxes boxes =
        condition == nullptr ? KeyBoxes{.any_of = {}, .all = true} : KeyBoxesOf(*condition, *table, key_position);
    ExplainScan(*table, boxes, sampled, reversed, text, lines);
  };
  plan.root = MakeTableScan(std::move(spec));
  if (condition != nullptr) {
    plan.root = MakeFilter(std::move(plan.root), std::move(condition), /*text=*/"", met);
  }
  KLIP_RETURN_IF_ERROR(Restrict(std::move(subqueries), &plan));
  return plan;
}

Expected<FromPlan> BuildDerived(FromNode* node, std::vector<Conjunct>* conjuncts, size_t scope_columns) {
  FromPlan plan;
  plan.places.assign(scope_columns, kNoPlace);
  for (size_t i = 0; i < node->columns; ++i) {
    plan.places[node->first_column + i] = i;
  }
  plan.root = std::move(node->derived);
  std::vector<Conjunct> here;
  TakeWithin(ColumnsOf(*node, scope_columns), conjuncts, &here);
  KLIP_RETURN_IF_ERROR(Restrict(std::move(here), &plan));
  return plan;
}

// Removes the equalities between the two sides from `conditions`.
JoinKeys TakeKeys(const std::vector<bool>& left, const std::vector<bool>& right, const std::vector<size_t>& left_places,
                  const std::vector<size_t>& right_places, std::vector<Conjunct>* conditions) {
  JoinKeys keys;
  std::vector<bool> scratch(left.size());
  std::erase_if(*conditions, [&](Conjunct& conjunct) {
    BoundExpression& condition = *conjunct.condition;
    if (condition.kind() != BoundExpression::Kind::kCompare || condition.compare() != Compare::kEqual) {
      return false;
    }
    BoundPtr& a = condition.operands()[0];
    BoundPtr& b = condition.operands()[1];
    const std::vector<size_t> of_a = ColumnsIn(*a, &scratch);
    const std::vector<size_t> of_b = ColumnsIn(*b, &scratch);
    if (of_a.empty() || of_b.empty() || PhysicalOf(a->type()) != PhysicalOf(b->type())) {
      return false;
    }
    const bool straight = AreIn(of_a, left) && AreIn(of_b, right);
    if (!straight && !(AreIn(of_b, left) && AreIn(of_a, right))) {
      return false;
    }
    BoundPtr of_left = std::move(straight ? a : b);
    BoundPtr of_right = std::move(straight ? b : a);
    MoveColumns(of_left.get(), left_places);
    MoveColumns(of_right.get(), right_places);
    keys.left.push_back(std::move(of_left));
    keys.right.push_back(std::move(of_right));
    return true;
  });
  return keys;
}

Expected<FromPlan> BuildNode(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                             const std::vector<bool>& used, const ScanOrder& order, bool below_inner);

// `below_inner`: the node above is an inner join, too, so that the order has been found.
Expected<FromPlan> BuildJoin(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                             const std::vector<bool>& used, bool below_inner) {
  const bool inner = node->kind == JoinKind::kInner;
  if (inner && !below_inner) {
    OrderJoins(context, node, *conjuncts);
  }
  const std::vector<bool> of_left = ColumnsOf(*node->left, used.size());
  const std::vector<bool> of_right = ColumnsOf(*node->right, used.size());
  const std::vector<bool> of_both = ColumnsOf(*node, used.size());
  std::vector<Conjunct> to_left;
  std::vector<Conjunct> to_right;
  // every left row is returned
  const bool keeps_left = node->kind == JoinKind::kLeft || node->kind == JoinKind::kFull;
  const bool keeps_right = node->kind == JoinKind::kRight || node->kind == JoinKind::kFull;  // every right row is
  // WHERE may move below a side whose rows do not become NULLs, ON below one whose rows may be dropped.
  if (!keeps_right) {
    TakeWithin(of_left, conjuncts, &to_left);
  }
  if (!keeps_left) {
    TakeWithin(of_right, conjuncts, &to_right);
  }
  std::vector<Conjunct> here = std::move(node->on);
  if (!keeps_left) {
    TakeWithin(of_left, &here, &to_left);
  }
  if (!keeps_right) {
    TakeWithin(of_right, &here, &to_right);
  }
  std::vector<Conjunct> after;
  if (inner) {
    TakeWithin(of_both, conjuncts, &here);
    after = TakeSubqueries(&here);
  }
  KLIP_ASSIGN_OR_RETURN(FromPlan left, BuildNode(context, node->left.get(), &to_left, used, {}, inner));
  KLIP_ASSIGN_OR_RETURN(FromPlan right, BuildNode(context, node->right.get(), &to_right, used, {}, inner));
  FromPlan plan;
  plan.places = left.places;
  for (size_t i = 0; i < plan.places.size(); ++i) {
    if (right.places[i] != kNoPlace) {
      plan.places[i] = left.root->types().size() + right.places[i];
    }
  }
  JoinKeys keys = TakeKeys(of_left, of_right, left.places, right.places, &here);
  std::string text;
  KLIP_ASSIGN_OR_RETURN(BoundPtr condition, Combine(std::move(here), plan.places, &text));
  plan.root = MakeJoin(std::move(left.root), std::move(right.root), node->kind, std::move(keys), std::move(condition));
  TakeWithin(of_both, conjuncts, &after);
  KLIP_RETURN_IF_ERROR(Restrict(std::move(after), &plan));
  return plan;
}

void Split(BoundPtr condition, const std::shared_ptr<const std::string>& text, std::vector<bool>* scratch,
           std::vector<Conjunct>* out) {
  if (condition->kind() == BoundExpression::Kind::kAnd) {
    for (BoundPtr& operand : condition->operands()) {
      Split(std::move(operand), text, scratch, out);
    }
    return;
  }
  Conjunct conjunct;
  conjunct.columns = ColumnsIn(*condition, scratch);
  conjunct.condition = std::move(condition);
  conjunct.text = text;
  out->push_back(std::move(conjunct));
}

Expected<FromPlan> BuildNode(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                             const std::vector<bool>& used, const ScanOrder& order, bool below_inner) {
  if (node->left != nullptr) {
    return BuildJoin(context, node, conjuncts, used, below_inner);
  }
  return node->table != nullptr ? BuildTable(context, node, conjuncts, used, order)
                                : BuildDerived(node, conjuncts, used.size());
}

// Whether its rows are those of FROM, perhaps fewer.
bool SelectsRows(const Select& select) {
  return select.from != nullptr && !select.distinct && select.group_by.empty() && select.having == nullptr &&
         select.set_operands.empty() && select.limit == nullptr && select.offset == nullptr &&
         std::ranges::none_of(select.items, [](const SelectItem& item) { return HasAggregate(*item.expression); });
}

}  // namespace

std::vector<Conjunct> SplitConjuncts(BoundPtr condition, std::string text, size_t columns) {
  std::vector<Conjunct> conjuncts;
  std::vector<bool> scratch(columns);
  Split(std::move(condition), std::make_shared<const std::string>(std::move(text)), &scratch, &conjuncts);
  return conjuncts;
}

Expected<FromPlan> BuildFrom(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                             const std::vector<bool>& used, const ScanOrder& order) {
  return BuildNode(context, node, conjuncts, used, order, /*below_inner=*/false);
}

Expected<double> SampleOf(const Value& percent) {
  const Expected<Value> number =
      IsNumber(percent.type()) ? Convert(percent, {.type = Type::kDouble}) : Expected<Value>(Value());
  if (!number.ok() || number->is_null() || number->real() < 0 || number->real() > 100) {
    return SqlError(601, "42P00", "Syntax error. TABLESAMPLE needs a number from 0 to 100, not " + percent.ToString());
  }
  return number->real() / 100;
}

Expected<TableColumn> DynamicColumn(const TableDefinition& table, const ColumnDefinition& dynamic) {
  const auto of_family = [&](const TableColumn& other) { return other.family == dynamic.family; };
  const bool known = table.schema.has_value() || dynamic.family.empty() || dynamic.family == table.DynamicFamily() ||
                     std::ranges::any_of(table.columns, of_family);
  if (!known) {
    return SqlError(1001, "42I01", "Undefined column family. familyName=" + dynamic.family);
  }
  TableColumn column;
  column.family = dynamic.family.empty() ? table.DynamicFamily() : dynamic.family;
  column.name = column.qualifier = dynamic.name;
  column.type = dynamic.type;
  return column;
}

Expected<TablePtr> WithDynamicColumns(TablePtr table, const std::vector<ColumnDefinition>& columns) {
  if (columns.empty()) {
    return table;
  }
  auto wider = std::make_shared<TableDefinition>(*table);
  for (const ColumnDefinition& dynamic : columns) {
    KLIP_ASSIGN_OR_RETURN(TableColumn column, DynamicColumn(*wider, dynamic));
    const bool exists = std::ranges::any_of(wider->columns, [&](const TableColumn& other) {
      return other.name == column.name && (other.key_position >= 0 || other.family == column.family);
    });
    if (exists) {
      return SqlError(514, "42892",
                      "A duplicate column name was detected in the object definition or ALTER TABLE/VIEW statement. "
                      "columnName=" +
                          column.name);
    }
    wider->columns.push_back(std::move(column));
  }
  return TablePtr(std::move(wider));
}

std::string NameOfFirst(const FromItem& item) {
  if (item.kind == FromItem::Kind::kJoin) {
    return NameOfFirst(*item.left);
  }
  if (item.kind == FromItem::Kind::kSelect && SelectsRows(*item.select)) {
    return NameOfFirst(*item.select->from);
  }
  return item.alias.empty() ? PhysicalName(item.table) : item.alias;
}

bool CallsInJoins(const FromItem& item, RowPart part) {
  return item.kind == FromItem::Kind::kJoin && ((item.on != nullptr && CallsRowFunction(*item.on, part)) ||
                                                CallsInJoins(*item.left, part) || CallsInJoins(*item.right, part));
}

Status NameColumns(const FromItem& item, std::vector<Column>* columns) {
  const size_t names = item.columns.size();
  if (names > 0 && names != columns->size()) {
    return SqlError(601, "42P00",
                    "Syntax error. WITH " + QuotedName(item.table.name) + " names " + std::to_string(names) +
                        " columns, but the query has " + std::to_string(columns->size()) + ".");
  }
  for (size_t i = 0; i < names; ++i) {
    (*columns)[i].label = item.columns[i];
  }
  return Status::Ok();
}

}  // namespace klip::sql
