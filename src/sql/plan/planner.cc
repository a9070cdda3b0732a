// Plans one SELECT at a time. FROM gives a scope, in which the other clauses are bound. Then operators are stacked in the
// order of their meaning in SQL: join and WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, the select list. With DISTINCT, the
// list precedes ORDER BY.
//
// Which columns a table must return is known only when all clauses are bound. So they are first bound over the whole
// scope, and then their columns are moved to the positions in which the operators below return them.
#include "sql/plan/planner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sql/catalog/definition.h"
#include "sql/catalog/system_tables.h"
#include "sql/exec/next_value.h"
#include "sql/plan/changes.h"
#include "sql/plan/from_clause.h"
#include "sql/plan/index_order.h"
#include "sql/plan/over_items.h"

namespace klip::sql {

class QueryBlock {
 public:
  // `part`: the first operand of a UNION, EXCEPT or INTERSECT, whose ORDER BY and LIMIT apply to the result.
  QueryBlock(Planner* planner, const Select& select, Scope* outer, bool part, OuterKeys* outer_keys)
      : planner_(planner), select_(select), part_(part), outer_keys_(outer_keys), binder_(planner, &scope_) {
    scope_.outer = outer;
    binder_.AllowNextValues(false);
  }

  Expected<PlannedQuery> Plan() {
    KLIP_RETURN_IF_ERROR(Bind());
    TakeOuterKeys();
    return Build();
  }

  std::vector<Scope::Correlation> TakeCorrelations() { return std::move(scope_.correlations); }

 private:
  Status Bind() {
    if (select_.from != nullptr) {
      KLIP_ASSIGN_OR_RETURN(from_, AddFrom(*select_.from));
      KLIP_RETURN_IF_ERROR(BindOn(from_.get()));
    }
    if (select_.where != nullptr) {
      KLIP_ASSIGN_OR_RETURN(BoundPtr where, binder_.BindCondition(*select_.where));
      where_ = SplitConjuncts(std::move(where), ToString(*select_.where), scope_.columns.size());
    }
    const bool of_table = from_ != nullptr && from_->table != nullptr;
    joined_ = !node_items_.empty() || (binder_.joins_subquery() && !part_ && of_table);
    KLIP_RETURN_IF_ERROR(BindViews());
    KLIP_RETURN_IF_ERROR(ExpandItems());
    KLIP_RETURN_IF_ERROR(BindGroups());
    KLIP_RETURN_IF_ERROR(BindHaving());
    KLIP_RETURN_IF_ERROR(BindItems());
    return BindLimits();
  }

  // An item of the select list with * expanded.
  struct Item {
    const Expression* expression = nullptr;
    ExpressionPtr made;  // of an expanded star
    std::string alias;   // as written
    std::string label;
    bool compiled = false;  // its text is not as written
    std::optional<size_t> scope_column;
  };

  std::span<const OrderTerm> order_by() const { return part_ ? std::span<const OrderTerm>() : select_.order_by; }

  // --- FROM ---

  Expected<std::unique_ptr<FromNode>> AddFrom(const FromItem& item) {
    auto node = std::make_unique<FromNode>();
    node->first_column = scope_.columns.size();
    if (item.kind == FromItem::Kind::kJoin) {
      KLIP_ASSIGN_OR_RETURN(node->left, AddFrom(*item.left));
      KLIP_ASSIGN_OR_RETURN(node->right, AddFrom(*item.right));
      static constexpr JoinKind kKinds[] = {JoinKind::kInner, JoinKind::kLeft, JoinKind::kRight, JoinKind::kFull,
                                            JoinKind::kInner};
      node->kind = kKinds[static_cast<size_t>(item.join)];
      node_items_.emplace_back(node.get(), &item);
      if (node->kind == JoinKind::kRight || node->kind == JoinKind::kFull) {
        MayBeNull(*node->left);
      }
      if (node->kind == JoinKind::kLeft || node->kind == JoinKind::kFull) {
        MayBeNull(*node->right);
      }
    } else if (item.kind == FromItem::Kind::kSelect) {
      KLIP_ASSIGN_OR_RETURN(PlannedQuery query, planner_->PlanSelect(*item.select, nullptr, nullptr));
      KLIP_RETURN_IF_ERROR(NameColumns(item, &query.columns));
      KLIP_RETURN_IF_ERROR(TakeName(item.alias));
      for (const Column& column : query.columns) {
        star_order_.push_back(scope_.columns.size());
        scope_.columns.push_back({.alias = item.alias, .name = NameIn(query.columns, column), .type = column.type});
      }
      node->derived = std::move(query.root);
    } else {
      KLIP_RETURN_IF_ERROR(AddTable(item, node.get()));
    }
    node->columns = scope_.columns.size() - node->first_column;
    return node;
  }

  // A column of a join has its own name outside of a derived table, unless another one has that name too; its label names the table.
  static std::string NameIn(const std::vector<Column>& columns, const Column& column) {
    const bool joined = !column.name.empty() && column.label.ends_with("." + column.name);
    return joined && std::ranges::count(columns, column.name, &Column::name) == 1 ? column.name : column.label;
  }

  // Of a table of FROM, by which columns are qualified.
  Status TakeName(const std::string& name) {
    return name.empty() || names_.insert(name).second
               ? Status::Ok()
               : SqlError(501, "42000", "Several tables of the query have the name " + name);
  }

  // Of a side of an outer join: rows of the other side without a match have NULL in all of its columns.
  void MayBeNull(const FromNode& side) {
    for (ScopeColumn& column : std::span(scope_.columns).subspan(side.first_column, side.columns)) {
      column.nullable = true;
    }
  }

  Status AddTable(const FromItem& item, FromNode* node) {
    if (item.sample != nullptr) {
      KLIP_ASSIGN_OR_RETURN(node->sample, SampleOf(item.sample->value));
    }
    KLIP_ASSIGN_OR_RETURN(node->table, planner_->FindTable(item.table));
    planner_->tables_read_.insert(node->table->physical_name);
    KLIP_ASSIGN_OR_RETURN(node->table, WithDynamicColumns(node->table, item.dynamic_columns));
    AddRowColumns(node);
    const std::string alias = item.alias.empty() ? item.table.name : item.alias;
    KLIP_RETURN_IF_ERROR(TakeName(alias));
    if (!node->table->conditions.empty()) {
      views_.push_back({node, alias});
    }
    for (const size_t column : node->table->DeclaredOrder()) {
      star_order_.push_back(node->first_column + column);
    }
    std::ranges::move(ScopeColumnsOf(*node->table, alias), std::back_inserter(scope_.columns));
    if (node->table->system) {
      ReadSystemTable(node);
    }
    return Status::Ok();
  }

  // Columns for the functions of a row, if the query calls them.
  void AddRowColumns(FromNode* node) {
    if (node->table->system) {
      return;
    }
    for (const RowPart part : {RowPart::kKey, RowPart::kTime}) {
      if (CallsAnywhere(part)) {
        auto wider = std::make_shared<TableDefinition>(*node->table);
        wider->columns.push_back({.type = {.type = part == RowPart::kKey ? Type::kVarbinary : Type::kDate},
                                  .hidden = true,
                                  .row_part = part});
        node->table = std::move(wider);
      }
    }
  }

  bool CallsAnywhere(RowPart part) const {
    const auto calls = [&](const ExpressionPtr& expression) {
      return expression != nullptr && CallsRowFunction(*expression, part);
    };
    return std::ranges::any_of(select_.items, calls, &SelectItem::expression) || calls(select_.where) ||
           std::ranges::any_of(select_.group_by, calls) || calls(select_.having) ||
           std::ranges::any_of(select_.order_by, calls, &OrderTerm::expression) || CallsInJoins(*select_.from, part);
  }

  // Its rows come from the catalog instead of a scan.
  void ReadSystemTable(FromNode* node) {
    std::vector<DataType> types;
    for (const TableColumn& column : node->table->columns) {
      types.push_back(column.type);
    }
    const PlanContext& context = planner_->context();
    node->derived = MakeMadeRows(
        std::move(types),
        [table = node->table, catalog = context.catalog, sequences = context.sequences] {
          return SystemRows(*table, catalog, sequences);
        },
        "CLIENT 1-CHUNK PARALLEL 1-WAY FULL SCAN OVER " + ToString(node->table->name));
    node->table = nullptr;
  }

  // The conditions of views, each with the columns of its own table. Those of the only table count as part of WHERE.
  // Others stay with their table: an outer join must not see the rows that they exclude.
  Status BindViews() {
    for (const auto& [node, alias] : views_) {
      for (const std::shared_ptr<const Expression>& condition : node->table->conditions) {
        const ExpressionPtr of_table = Clone(*condition);
        Qualify(*node->table, alias, of_table.get());
        KLIP_ASSIGN_OR_RETURN(BoundPtr bound, binder_.BindCondition(*of_table));
        std::vector<Conjunct> conjuncts = SplitConjuncts(std::move(bound), ToString(*condition), scope_.columns.size());
        std::vector<Conjunct>& to = node == from_.get() ? where_ : node->on;
        std::move(conjuncts.begin(), conjuncts.end(), std::back_inserter(to));
      }
    }
    return Status::Ok();
  }

  // A column keeps its family if another family of the table has a column of the same name.
  static void Qualify(const TableDefinition& table, const std::string& alias, Expression* expression) {
    if (expression->kind == Expression::Kind::kColumn &&
        (expression->qualifier.empty() ||
         std::ranges::count(table.columns, expression->name, &TableColumn::name) == 1)) {
      expression->qualifier = alias;
    }
    for (const ExpressionPtr& operand : expression->operands) {
      Qualify(table, alias, operand.get());
    }
  }

  // ON sees all tables of its join, which are known only now.
  Status BindOn(FromNode* /*root*/) {
    for (const auto& [node, item] : node_items_) {
      if (item->on != nullptr) {
        KLIP_ASSIGN_OR_RETURN(BoundPtr on, binder_.BindCondition(*item->on));
        node->on = SplitConjuncts(std::move(on), ToString(*item->on), scope_.columns.size());
      }
    }
    return Status::Ok();
  }

  // --- SELECT ---

  // For a join's column, with the table as written.
  std::string LabelOf(const Expression& column) const { return joined_ ? ColumnText(column) : column.name; }

  Status ExpandItems() {
    for (const SelectItem& item : select_.items) {
      if (item.expression->kind != Expression::Kind::kStar) {
        const bool column = item.expression->kind == Expression::Kind::kColumn;
        items_.push_back({.expression = item.expression.get(),
                          .alias = item.alias,
                          .label = !item.alias.empty() ? item.alias
                                   : column            ? LabelOf(*item.expression)
                                                       : ToString(*item.expression),
                          .compiled = !column && item.expression->kind != Expression::Kind::kLiteral});
        if (column) {
          KLIP_ASSIGN_OR_RETURN(items_.back().scope_column, scope_.Find(*item.expression));
        }
        continue;
      }
      const std::string& qualifier = item.expression->qualifier;
      const size_t before = items_.size();
      for (const size_t i : star_order_) {
        const ScopeColumn& column = scope_.columns[i];
        if (qualifier.empty() || qualifier == column.alias || qualifier == column.family) {
          auto expression = std::make_unique<Expression>();
          expression->kind = Expression::Kind::kColumn;
          expression->qualifier = column.alias;
          expression->name = column.name;
          items_.push_back({.made = std::move(expression), .label = column.name, .scope_column = i});
          items_.back().expression = items_.back().made.get();
        }
      }
      if (items_.size() == before) {
        return scope_.UndefinedQualifier(qualifier + ".*");
      }
    }
    return Status::Ok();
  }

  // --- GROUP BY ---

  Status BindGroups() {
    const auto has = [](const Expression* expression) { return expression != nullptr && HasAggregate(*expression); };
    for (const ExpressionPtr& written : select_.group_by) {
      KLIP_ASSIGN_OR_RETURN(const Expression* const expression, MeantWithin(*written));
      if (HasAggregate(*expression)) {
        return SqlError(1016, "42Y26", "Aggregates may not be used in GROUP BY. " + ToString(*expression));
      }
      KLIP_ASSIGN_OR_RETURN(BoundPtr bound, binder_.Bind(*expression));
      if (bound->is_literal()) {
        continue;  // makes no groups: without others, the result is one row, also of no rows
      }
      Aggregation::Group group;
      group.identity = GroupIdentity(*expression);
      group.text = ToString(*expression);
      group.type = bound->type();
      if (expression->kind == Expression::Kind::kColumn) {
        KLIP_ASSIGN_OR_RETURN(group.scope_column, scope_.Find(*expression));
      }
      aggregation_.groups.push_back(std::move(group));
      groups_.push_back(std::move(bound));
    }
    aggregates_ = !groups_.empty() || select_.having != nullptr ||
                  std::ranges::any_of(items_, has, &Item::expression) ||
                  std::ranges::any_of(order_by(), [&](const OrderTerm& term) { return has(term.expression.get()); });
    binder_.SetAggregation(aggregates_ ? &aggregation_ : nullptr);
    return Status::Ok();
  }

  // In GROUP BY and ORDER BY a number refers to an item of the list, and so does an alias that is not a column. Errors: 502
  // (42702), it is also a column, but the item is not.
  Expected<const Expression*> Meant(const Expression& expression) const {
    if (expression.kind == Expression::Kind::kLiteral && IsWhole(expression.value.type())) {
      const int64_t ordinal = expression.value.integer();
      if (ordinal < 0) {
        return &expression;
      }
      if (ordinal == 0 || static_cast<size_t>(ordinal) > items_.size()) {
        return SqlError(2003, "INT04", "The list of columns has no column " + std::to_string(ordinal));
      }
      return items_[static_cast<size_t>(ordinal) - 1].expression;
    }
    if (expression.kind == Expression::Kind::kColumn && expression.qualifier.empty()) {
      KLIP_ASSIGN_OR_RETURN(const std::optional<size_t> column, scope_.Find(expression));
      for (const Item& item : items_) {
        if (!column.has_value() && item.label == expression.name) {
          return item.expression;
        }
        if (item.alias == expression.name && item.scope_column != column) {
          return Ambiguous(expression.name);
        }
      }
    }
    return &expression;
  }

  // In HAVING, an alias that is not a column means the item.
  Status ReplaceAliases(ExpressionPtr* expression) const {
    if ((*expression)->kind == Expression::Kind::kColumn) {
      KLIP_ASSIGN_OR_RETURN(const Expression* const meant, Meant(**expression));
      *expression = meant == expression->get() ? std::move(*expression) : Clone(*meant);
      return Status::Ok();
    }
    for (ExpressionPtr& operand : (*expression)->operands) {
      KLIP_RETURN_IF_ERROR(ReplaceAliases(&operand));
    }
    return Status::Ok();
  }

  // With the items that aliases in it mean.
  Expected<const Expression*> MeantWithin(const Expression& expression) {
    KLIP_ASSIGN_OR_RETURN(const Expression* const meant, Meant(expression));
    if (meant != &expression || expression.operands.empty()) {
      return meant;
    }
    ExpressionPtr replaced = Clone(expression);
    KLIP_RETURN_IF_ERROR(ReplaceAliases(&replaced));
    return meant_.emplace_back(std::move(replaced)).get();
  }

  // A column of a star may have the name of another one.
  Expected<BoundPtr> BindItem(const Item& item) {
    return item.made != nullptr && !aggregates_
               ? MakeColumn(*item.scope_column, scope_.columns[*item.scope_column].type)
               : binder_.Bind(*item.expression);
  }

  Status BindItems() {
    binder_.SetWindows(&windows_);
    binder_.AllowNextValues(!select_.distinct);
    for (const Item& item : items_) {
      BoundNotes notes;
      binder_.SetNotes(item.compiled ? &notes : nullptr);
      KLIP_ASSIGN_OR_RETURN(BoundPtr bound, BindItem(item));
      binder_.SetNotes(nullptr);
      Column column;
      column.source = select_.from == nullptr ? "" : NameOfFirst(*select_.from);
      column.label = item.label;
      column.type = bound->type();
      column.case_sensitive = IsCaseSensitive(*item.expression, item.alias);
      if (item.scope_column.has_value()) {
        const ScopeColumn& from = scope_.columns[*item.scope_column];
        column.table = from.table.name;
        column.schema = from.table.schema;
        column.name = from.name;
        column.nullable = from.nullable;
      } else {
        column.nullable = IsNullable(*item.expression, scope_);
        column.expression =
            item.compiled ? CompiledLabel(*item.expression, scope_, joined_, notes) : ToString(*item.expression);
        column.label = item.alias.empty() ? column.expression : item.alias;
      }
      columns_.push_back(std::move(column));
      const auto* const parameter = dynamic_cast<const SlotValue*>(bound.get());
      const bool untyped = parameter != nullptr && parameter->type().type == Type::kNull;
      parameters_.push_back(untyped ? std::vector{parameter->slot()} : std::vector<SlotPtr>());
      list_.push_back(std::move(bound));
    }
    binder_.AllowNextValues(false);
    for (const OrderTerm& term : order_by()) {
      KLIP_ASSIGN_OR_RETURN(const Expression* const expression, MeantWithin(*term.expression));
      SortTerm sort;
      if (select_.distinct) {
        KLIP_ASSIGN_OR_RETURN(sort.expression, OverItems(*expression));
      } else {
        KLIP_ASSIGN_OR_RETURN(sort.expression, binder_.Bind(*expression));
      }
      sort.descending = term.descending;
      sort.nulls_last = term.nulls_last.value_or(false);
      sort.text = SortText(*expression, term);
      order_.push_back(std::move(sort));
    }
    binder_.SetWindows(nullptr);
    return Status::Ok();
  }

  Status BindHaving() {
    if (select_.having == nullptr) {
      return Status::Ok();
    }
    ExpressionPtr meant = Clone(*select_.having);
    KLIP_RETURN_IF_ERROR(ReplaceAliases(&meant));
    Expected<BoundPtr> having = binder_.BindCondition(*meant);
    if (ErrorOf(having.status()).number == 1018 && !HasAggregate(*meant)) {
      return SqlError(1019, "42Y26",
                      "Only aggregates and columns of GROUP BY may be used in HAVING. " + ToString(*select_.having));
    }
    KLIP_ASSIGN_OR_RETURN(having_, std::move(having));
    return Status::Ok();
  }

  // What ORDER BY means after DISTINCT: an expression over the items of the select list.
  Expected<BoundPtr> OverItems(const Expression& expression) {
    std::vector<ListedItem> items;
    for (size_t i = 0; i < items_.size(); ++i) {
      items.push_back({items_[i].expression, items_[i].label, list_[i]->type()});
    }
    return BindOverItems(expression, items, planner_);
  }

  Status BindLimits() {
    for (const auto& [written, bound] :
         {std::pair(select_.limit.get(), &limit_), std::pair(select_.offset.get(), &offset_)}) {
      if (written != nullptr && !part_) {
        KLIP_ASSIGN_OR_RETURN(*bound, planner_->BindCount(&binder_, *written));
      }
    }
    return Status::Ok();
  }

  // --- Columns of the query around this one ---

  // An operand of an equality that is such a column, and the other one.
  struct OuterEquality {
    size_t outer_column = 0;
    BoundPtr* outer = nullptr;
    BoundPtr* inner = nullptr;
  };

  std::optional<OuterEquality> OuterEqualityIn(BoundExpression* condition) {
    using Kind = BoundExpression::Kind;
    if (condition->kind() != Kind::kCompare || condition->compare() != Compare::kEqual) {
      return std::nullopt;
    }
    std::vector<BoundPtr>& sides = condition->operands();
    for (size_t side = 0; side < 2; ++side) {
      const auto* const column = dynamic_cast<const SlotValue*>(Unconverted(&sides[side]).get());
      const auto found = std::ranges::find_if(scope_.correlations, [&](const Scope::Correlation& correlation) {
        return column != nullptr && correlation.slot == column->slot();
      });
      BoundPtr& inner = sides[1 - side];
      if (found != scope_.correlations.end() && PhysicalOf(sides[side]->type()) == PhysicalOf(inner->type())) {
        return OuterEquality{found->outer_column, &sides[side], &inner};
      }
    }
    return std::nullopt;
  }

  // Whether the condition makes a table's scan jump to the row keys with one value.
  bool IsLookup(const BoundExpression& inner, const FromNode& node) const {
    if (node.left != nullptr) {
      return IsLookup(inner, *node.left) || IsLookup(inner, *node.right);
    }
    const size_t column = inner.column() - node.first_column;
    return inner.kind() == BoundExpression::Kind::kColumn && node.table != nullptr && column < node.columns &&
           node.table->columns[column].key_position == 0;
  }

  // Turns all uses of outer columns into keys, if they are equalities of WHERE: then this query runs once, not for each row
  // of the outer one. It stays as it is if each run looks up a few rows.
  void TakeOuterKeys() {
    if (outer_keys_ == nullptr || aggregates_ || !windows_.calls.empty() || part_ || limit_ != nullptr ||
        offset_ != nullptr || from_ == nullptr || scope_.correlations.empty()) {
      return;
    }
    size_t equalities = 0;
    for (const Conjunct& conjunct : where_) {
      const std::optional<OuterEquality> found = OuterEqualityIn(conjunct.condition.get());
      equalities += found.has_value() ? 1 : 0;
      if (found.has_value() && IsLookup(**found->inner, *from_)) {
        return;
      }
    }
    if (equalities != scope_.correlations.size()) {
      return;
    }
    if (outer_keys_->only_exists) {
      list_.clear();
      columns_.clear();
    }
    std::erase_if(where_, [&](Conjunct& conjunct) {
      const std::optional<OuterEquality> found = OuterEqualityIn(conjunct.condition.get());
      if (found.has_value()) {
        outer_keys_->keys.push_back({found->outer_column, std::move(*found->outer)});
        list_.push_back(std::move(*found->inner));
        columns_.emplace_back();
      }
      return found.has_value();
    });
    order_.clear();
    scope_.correlations.clear();
  }

  // --- Operators ---

  std::vector<bool> UsedColumns() {
    std::vector<bool> used(scope_.columns.size());
    for (const Conjunct& conjunct : where_) {
      CollectColumns(*conjunct.condition, &used);
    }
    for (const auto& [node, item] : node_items_) {
      for (const Conjunct& conjunct : node->on) {
        CollectColumns(*conjunct.condition, &used);
      }
    }
    for (const auto& [node, alias] : views_) {
      for (const Conjunct& conjunct : node->on) {
        CollectColumns(*conjunct.condition, &used);
      }
    }
    ForEachOverScope([&](BoundExpression* expression) { CollectColumns(*expression, &used); });
    return used;
  }

  // Calls `f` for each expression evaluated over the scope's columns, except WHERE and ON.
  template <typename F>
  void ForEachOverScope(const F& f) {
    if (aggregates_) {
      for (const BoundPtr& group : groups_) {
        f(group.get());
      }
      for (const AggregateCall& call : aggregation_.calls) {
        for (const BoundPtr& argument : call.arguments) {
          f(argument.get());
        }
        for (const SortTerm& term : call.within) {
          f(term.expression.get());
        }
      }
      return;
    }
    for (const WindowSpec& spec : windows_.specs) {
      ForEachOfWindow(spec, f);
    }
    ForEachOfResult(f);
  }

  template <typename F>
  static void ForEachOfWindow(const WindowSpec& spec, const F& f) {
    for (const std::vector<SortTerm>* terms : {&spec.partition, &spec.order}) {
      for (const SortTerm& term : *terms) {
        f(term.expression.get());
      }
    }
    for (const WindowCall& call : spec.calls) {
      for (const BoundPtr& argument : call.function.arguments) {
        f(argument.get());
      }
    }
  }

  // For those evaluated last: over groups if there are any, with the results of window functions.
  template <typename F>
  void ForEachOfResult(const F& f) {
    for (const BoundPtr& item : list_) {
      f(item.get());
    }
    if (!select_.distinct) {
      for (const SortTerm& term : order_) {
        f(term.expression.get());
      }
    }
  }

  Expected<PlannedQuery> Build() {
    OperatorPtr root;
    bool scan_in_order = false;
    if (from_ == nullptr) {
      root = MakeOneRow();
      if (!where_.empty()) {
        std::vector<BoundPtr> conditions;
        for (Conjunct& conjunct : where_) {
          conditions.push_back(std::move(conjunct.condition));
        }
        KLIP_ASSIGN_OR_RETURN(BoundPtr where, MakeLogic(BoundExpression::Kind::kAnd, std::move(conditions)));
        root = MakeFilter(std::move(root), std::move(where), ToString(*select_.where));
      }
    } else if (const std::optional<std::vector<bool>> ends = Ends(); ends.has_value()) {
      KLIP_ASSIGN_OR_RETURN(root, PlanEnds(*ends));
    } else {
      std::optional<ScanOrder> order = OrderOfScan();
      order = order.has_value() ? order : OrderOfIndex();
      ScanOrder asked = order.value_or(ScanOrder());
      const bool streams =
          !aggregates_ && windows_.calls.empty() && !select_.distinct && (order_.empty() || order.has_value());
      asked.stops_early = streams && limit_ != nullptr;
      asked.limit = asked.stops_early && offset_ == nullptr ? limit_ : nullptr;
      asked.distinct_prefix = DistinctPrefix();
      KLIP_ASSIGN_OR_RETURN(FromPlan plan, PlanFrom(asked));
      root = std::move(plan.root);
      scan_in_order = order.has_value();
      if (scan_in_order && !plan.reorders) {
        order_.clear();
      }
    }
    planner_->keepable_ = planner_->keepable_ && !aggregates_ && windows_.calls.empty() && !select_.distinct &&
                          order_.empty() && node_items_.empty();
    if (aggregates_) {
      root = MakeAggregate(std::move(root), std::move(groups_), GoingDown(aggregation_.groups),
                           std::move(aggregation_.calls), AggregateText());
    }
    if (having_ != nullptr) {
      root = MakeHaving(std::move(root), std::move(having_), ToString(*select_.having));
    }
    root = PlanWindows(std::move(root));
    const bool distinct = select_.distinct;
    if (distinct) {
      root = MakeDistinct(MakeProject(std::move(root), std::move(list_)), GoingDown(items_));
    }
    if (!order_.empty()) {
      root = MakeSort(std::move(root), std::move(order_), limit_, offset_, scan_in_order);
    }
    if (limit_ != nullptr || offset_ != nullptr) {
      root = MakeLimit(std::move(root), limit_, offset_);
    }
    if (!distinct) {
      root = MakeProject(std::move(root), std::move(list_));
    }
    return PlannedQuery{.root = std::move(root), .columns = std::move(columns_), .parameters = std::move(parameters_)};
  }

  // Which of the groups or items are in descending order, as in the key.
  template <typename Part>
  std::vector<bool> GoingDown(const std::vector<Part>& parts) const {
    std::vector<bool> down;
    for (const Part& part : parts) {
      down.push_back(part.scope_column.has_value() && scope_.columns[*part.scope_column].descending);
    }
    return down;
  }

  // Adds the columns of window functions.
  OperatorPtr PlanWindows(OperatorPtr root) {
    std::vector<size_t> first;  // column of each window
    for (WindowSpec& spec : windows_.specs) {
      first.push_back(root->types().size());
      root = MakeWindow(std::move(root), std::move(spec));
    }
    std::vector<size_t> places;
    for (const Windows::Call& call : windows_.calls) {
      places.push_back(first[call.spec] + call.index);
    }
    ForEachOfResult([&](BoundExpression* expression) { PlaceWindows(expression, places); });
    return root;
  }

  // The rows of FROM that meet WHERE.
  Expected<FromPlan> PlanFrom(const ScanOrder& order) {
    KLIP_ASSIGN_OR_RETURN(FromPlan plan, BuildFrom(planner_->context(), from_.get(), &where_, UsedColumns(),
                                                   from_->table != nullptr ? order : ScanOrder()));
    if (!where_.empty()) {  // no table's: WHERE 1 = 0, or only outer columns above an outer join
      std::vector<BoundPtr> conditions;
      for (Conjunct& conjunct : where_) {
        MoveColumns(conjunct.condition.get(), plan.places);
        conditions.push_back(std::move(conjunct.condition));
      }
      KLIP_ASSIGN_OR_RETURN(BoundPtr where, MakeLogic(BoundExpression::Kind::kAnd, std::move(conditions)));
      plan.root = MakeFilter(std::move(plan.root), std::move(where), ToString(*select_.where));
    }
    ForEachOverScope([&](BoundExpression* expression) { MoveColumns(expression, plan.places); });
    return plan;
  }

  // --- MIN and MAX of key columns ---

  // Whether its value is in the last row, instead of the first; nullopt: it is in neither.
  std::optional<bool> EndOf(const AggregateCall& call) const {
    if ((call.name != "MIN" && call.name != "MAX") || call.arguments.size() != 1 ||
        call.arguments[0]->kind() != BoundExpression::Kind::kColumn) {
      return std::nullopt;
    }
    const TableColumn& column = from_->table->columns[call.arguments[0]->column()];
    for (int earlier = 0; earlier < column.key_position; ++earlier) {
      if (!IsFixed(static_cast<size_t>(earlier))) {
        return std::nullopt;
      }
    }
    return column.key_position >= 0 && column.not_null ? std::optional((call.name == "MAX") != column.descending)
                                                       : std::nullopt;
  }

  // The ends of the scan with all that the query wants, as directions: false is the first row. nullopt: it reads all rows.
  std::optional<std::vector<bool>> Ends() const {
    if (!aggregates_ || !groups_.empty() || aggregation_.calls.empty() || from_->table == nullptr ||
        from_->table->salt_buckets > 0 || from_->table->schema.has_value() ||
        std::ranges::any_of(where_, [](const Conjunct& conjunct) {  // a join with a subquery may change the order
          return conjunct.condition->kind() == BoundExpression::Kind::kSubquery;
        })) {
      return std::nullopt;
    }
    std::set<bool> ends;
    for (const AggregateCall& call : aggregation_.calls) {
      const std::optional<bool> end = EndOf(call);
      if (!end.has_value()) {
        return std::nullopt;
      }
      ends.insert(*end);
    }
    return std::vector<bool>(ends.begin(), ends.end());
  }

  Expected<OperatorPtr> PlanEnd(bool reversed) {
    planner_->limits_.push_back(MakeConstant(Value::Integer(1)));
    BoundExpression* const one = planner_->limits_.back().get();
    const ScanOrder order = {
        .reversed = reversed, .stops_early = true, .limit = where_.empty() ? one : nullptr};  // WHERE may drop rows
    KLIP_ASSIGN_OR_RETURN(FromPlan plan, PlanFrom(order));
    return MakeLimit(std::move(plan.root), one, nullptr);
  }

  Expected<OperatorPtr> PlanEnds(const std::vector<bool>& ends) {
    KLIP_ASSIGN_OR_RETURN(OperatorPtr root, PlanEnd(ends[0]));
    if (ends.size() == 1) {
      return root;
    }
    QueryBlock other(planner_, select_, scope_.outer, part_, nullptr);  // a condition belongs to one scan
    KLIP_RETURN_IF_ERROR(other.Bind());
    std::vector<OperatorPtr> rows;
    rows.push_back(std::move(root));
    KLIP_ASSIGN_OR_RETURN(rows.emplace_back(), other.PlanEnd(ends[1]));
    std::ranges::move(other.TakeCorrelations(), std::back_inserter(scope_.correlations));
    return MakeUnion(std::move(rows));
  }

  std::string AggregateText() const {
    if (aggregation_.groups.empty()) {
      return "    SERVER AGGREGATE INTO SINGLE ROW";
    }
    std::string by;
    for (const Aggregation::Group& group : aggregation_.groups) {
      by += (by.empty() ? "" : ", ") + group.text;
    }
    return "    SERVER AGGREGATE INTO DISTINCT ROWS BY [" + by + "]";
  }

  // How a scan of the only table returns the rows in the order of ORDER BY; nullopt: it cannot.
  std::optional<ScanOrder> OrderOfScan() const {
    if (order_.empty() || aggregates_ || !windows_.calls.empty() || select_.distinct || from_->table == nullptr ||
        from_->table->salt_buckets > 0 || from_->table->schema.has_value()) {
      return std::nullopt;
    }
    std::optional<bool> reversed;
    size_t position = 0;
    for (const SortTerm& term : order_) {
      if (term.expression->kind() != BoundExpression::Kind::kColumn) {
        return std::nullopt;
      }
      const TableColumn& column = from_->table->columns[term.expression->column()];
      if (!column.not_null && term.nulls_last != term.descending) {  // NULLs come first in the key
        return std::nullopt;
      }
      while (position < from_->table->key_columns && static_cast<int>(position) != column.key_position &&
             IsFixed(position)) {
        ++position;
      }
      if (column.key_position != static_cast<int>(position) || (column.descending && !column.not_null)) {
        return std::nullopt;
      }
      if (const bool backwards = term.descending != column.descending; reversed.value_or(backwards) != backwards) {
        return std::nullopt;
      } else {
        reversed = backwards;
      }
      ++position;
    }
    return ScanOrder{.reversed = *reversed};
  }

  // The same by an index, if few rows are wanted.
  std::optional<ScanOrder> OrderOfIndex() const {
    constexpr int64_t kMostRows =
        1000;  // TUNING: with more, looking each up costs more than reading all of many tables
    const auto count_of = [](BoundExpression* count) {
      const Value* const value = count == nullptr ? nullptr : count->constant();
      return value == nullptr || value->is_null() ? 0 : value->integer();
    };
    if (order_.empty() || aggregates_ || !windows_.calls.empty() || select_.distinct || from_->table == nullptr ||
        limit_ == nullptr || planner_->context().tables->in_past()) {  // an index has the order of today's values
      return std::nullopt;
    }
    const int64_t rows = count_of(limit_) + count_of(offset_);
    planner_->keepable_ = false;  // indexes may come and go
    ScanOrder order;
    order.index = rows < 1 || rows > kMostRows
                      ? std::string()
                      : IndexInOrder(*from_->table, *planner_->context().catalog->OwnIndexesOf(*from_->table), order_,
                                     where_, &order.reversed);
    return order.index.empty() ? std::nullopt : std::optional(std::move(order));
  }

  // The number of leading key columns whose distinct values are all that the query wants; 0: it wants something else.
  size_t DistinctPrefix() {
    const bool only_groups = aggregates_ && aggregation_.calls.empty() && !groups_.empty();
    if (from_->table == nullptr || from_->table->salt_buckets > 0 || from_->table->schema.has_value() ||
        !from_->table->empty_family.has_value() || !(select_.distinct || only_groups) ||
        (select_.distinct && !windows_.calls.empty()) || (select_.distinct && aggregates_)) {
      return 0;
    }
    std::vector<bool> read = UsedColumns();
    size_t columns = 0;
    while (columns < from_->table->key_columns && read[columns]) {
      read[columns++] = false;
    }
    return std::find(read.begin(), read.end(), true) == read.end() ? columns : 0;
  }

  // Whether WHERE fixes the key column to one value.
  bool IsFixed(size_t column) const {
    return std::any_of(where_.begin(), where_.end(), [&](const Conjunct& conjunct) {
      BoundExpression& condition = *conjunct.condition;
      return condition.kind() == BoundExpression::Kind::kCompare && condition.compare() == Compare::kEqual &&
             condition.operands()[0]->kind() == BoundExpression::Kind::kColumn &&
             condition.operands()[0]->column() == column && condition.operands()[1]->constant() != nullptr;
    });
  }

  Planner* planner_;
  const Select& select_;
  bool part_;
  OuterKeys* outer_keys_;  // asked for; null: not
  Scope scope_;
  Binder binder_;
  std::unique_ptr<FromNode> from_;
  std::vector<ExpressionPtr> meant_;                               // of ORDER BY and GROUP BY, with aliases replaced
  std::set<std::string> names_;                                    // of tables
  std::vector<std::pair<FromNode*, const FromItem*>> node_items_;  // of joins
  bool joined_ = false;                                            // also with a subquery
  std::vector<size_t> star_order_;                                 // of the scope's columns, in the order of *
  std::vector<std::pair<FromNode*, std::string>> views_;           // with conditions, and their names in the query
  std::vector<Conjunct> where_;
  std::vector<Item> items_;
  std::vector<BoundPtr> list_;
  std::vector<std::vector<SlotPtr>> parameters_;  // PlannedQuery::parameters
  std::vector<Column> columns_;
  bool aggregates_ = false;
  Aggregation aggregation_;
  std::vector<BoundPtr> groups_;
  BoundPtr having_;
  Windows windows_;
  std::vector<SortTerm> order_;
  BoundExpression* limit_ = nullptr;
  BoundExpression* offset_ = nullptr;
};

Expected<TablePtr> Planner::FindTable(const TableName& name) {
  TableName full = name;
  if (full.schema.empty()) {
    full.schema = context_.schema;
  }
  KLIP_ASSIGN_OR_RETURN(TablePtr table, context_.catalog->Find(full));
  transactional_ = transactional_ || table->transactional();
  keepable_ = keepable_ && !table->view && !table->of_phoenix && !table->system;
  found_.emplace_back(std::move(full), table);
  return table;
}

bool Planner::IsCurrent() const {
  return std::ranges::all_of(found_, [&](const std::pair<TableName, TablePtr>& known) {
    const Expected<TablePtr> now = context_.catalog->Find(known.first);
    return now.ok() && *now == known.second;
  });
}

namespace {

// Whether a split point is longer than the first key column: then it is the bytes of a key.
bool IsBytesOfKey(const Value& point, const Status& as_column) {
  return ErrorOf(as_column).number == 206 && !point.is_array() && (IsText(point.type()) || IsBytes(point.type()));
}

}  // namespace

Expected<std::vector<std::string>> Planner::SplitPoints(const CreateTable& create) {
  std::vector<std::string> splits;
  if (create.split_on.empty()) {
    return splits;
  }
  KLIP_ASSIGN_OR_RETURN(const TableDefinition table, Define(create));
  Scope scope;
  Binder binder(this, &scope);
  for (const ExpressionPtr& written : create.split_on) {
    KLIP_ASSIGN_OR_RETURN(const BoundPtr point, binder.Bind(*written));
    const Value* const value = point->constant();
    if (value == nullptr || value->is_null()) {
      return SqlError(1105, "XCL05", "Split points must be constants. " + ToString(*written));
    }
    const TableColumn& first = table.key(0);
    const Expected<Value> converted = ToColumn(first, *value);
    if (!converted.ok() && IsBytesOfKey(*value, converted.status())) {
      splits.push_back(value->text());
      continue;
    }
    KLIP_RETURN_IF_ERROR(converted.status());
    EncodeValue(*converted, first.type, &splits.emplace_back(), first.descending);
  }
  std::sort(splits.begin(), splits.end());
  return splits;
}

Expected<OperatorPtr> Planner::PlanSubquery(const Select& select, Scope* outer,
                                            std::vector<Scope::Correlation>* correlations, OuterKeys* keys) {
  keepable_ = false;
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, select.set_operands.empty()
                                                ? PlanBlock(select, /*part=*/false, outer, correlations, keys)
                                                : PlanSetOperations(select, outer, correlations));
  return std::move(query.root);
}

Expected<BoundPtr> Planner::BindNextValue(const Expression& next, BoundPtr count) {
  keepable_ = false;  // the sequence may be dropped
  TableName name = next.sequence;
  name.schema = name.schema.empty() ? context_.schema : name.schema;
  std::shared_ptr<NumbersOfRows>& known = sequence_rows_[ToString(name)];
  known = known == nullptr ? std::make_shared<NumbersOfRows>() : known;
  std::shared_ptr<NumbersOfRows> rows = known;
  if (next.current) {
    return MakeCurrentValue(context_.sequences, name, std::move(rows));
  }
  return MakeNextValue(context_.sequences, name, std::move(count), std::move(rows));
}

Status Planner::CountWindow() {
  constexpr int kMaxWindows = 250;
  return ++windows_ <= kMaxWindows ? Status::Ok()
                                   : SqlError(601, "42P00",
                                              "Syntax error. The statement has more than " +
                                                  std::to_string(kMaxWindows) + " different windows.");
}

Expected<PlannedQuery> Planner::PlanSelect(const Select& select, Scope* outer,
                                           std::vector<Scope::Correlation>* correlations) {
  if (!select.set_operands.empty()) {
    return PlanSetOperations(select, outer, correlations);
  }
  return PlanBlock(select, /*part=*/false, outer, correlations);
}

Expected<PlannedQuery> Planner::PlanBlock(const Select& select, bool part, Scope* outer,
                                          std::vector<Scope::Correlation>* correlations, OuterKeys* keys) {
  QueryBlock block(this, select, outer, part, keys);
  KLIP_ASSIGN_OR_RETURN(PlannedQuery query, block.Plan());
  if (correlations != nullptr) {
    for (const Scope::Correlation& correlation : block.TakeCorrelations()) {
      correlations->push_back(correlation);
    }
  }
  return query;
}

Expected<BoundExpression*> Planner::BindCount(Binder* binder, const Expression& count) {
  KLIP_ASSIGN_OR_RETURN(BoundPtr bound, binder->Bind(count));
  if (bound->type().type == Type::kNull) {  // as Phoenix describes the parameter
    KLIP_ASSIGN_OR_RETURN(bound, MakeConvert(std::move(bound), {.type = Type::kInteger}));
  }
  KLIP_ASSIGN_OR_RETURN(bound, MakeConvert(std::move(bound), {.type = Type::kBigint}));
  if (bound->constant() == nullptr) {
    return SqlError(601, "42P00", "Syntax error. LIMIT and OFFSET must be a number or a parameter");
  }
  limits_.push_back(std::move(bound));
  return limits_.back().get();
}

}  // namespace klip::sql
