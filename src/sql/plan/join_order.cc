#include "sql/plan/join_order.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace klip::sql {
namespace {

bool IsInner(const FromNode& node) { return node.left != nullptr && node.kind == JoinKind::kInner; }

bool IsEquality(const Conjunct& conjunct) {
  return conjunct.condition->kind() == BoundExpression::Kind::kCompare &&
         conjunct.condition->compare() == Compare::kEqual;
}

// The tables of neighbouring inner joins, numbered in their order in FROM, and the equalities between them.
class JoinGraph {
 public:
  JoinGraph(FromNode* node, const std::vector<Conjunct>& where) {
    Collect(node);
    connected_.resize(size() * size());
    conditions_.resize(size());
    for (const FromNode* const join : joins_) {
      AddConditions(join->on);
    }
    AddConditions(where);
    (void)Count(*node, 0);
  }

  size_t size() const { return tables_.size(); }
  const FromNode& table(size_t table) const { return *tables_[table]; }
  bool connected(size_t a, size_t b) const { return connected_[a * size() + b]; }
  // How many conditions on it alone there are.
  size_t conditions(size_t table) const { return conditions_[table]; }

  // How many of the joins have no equality between their sides.
  size_t Unconnected() const { return unconnected_; }

 private:
  void Collect(FromNode* node) {
    if (!IsInner(*node)) {
      tables_.push_back(node);
      return;
    }
    joins_.push_back(node);
    Collect(node->left.get());
    Collect(node->right.get());
  }

  std::optional<size_t> TableWith(size_t column) const {
    const auto found = std::ranges::find_if(tables_, [&](const FromNode* table) {
      return column >= table->first_column && column < table->first_column + table->columns;
    });
    return found == tables_.end() ? std::nullopt : std::optional<size_t>(found - tables_.begin());
  }

  void AddConditions(const std::vector<Conjunct>& conjuncts) {
    for (const Conjunct& conjunct : conjuncts) {
      std::vector<size_t> of;
      bool outside = false;
      for (const size_t column : conjunct.columns) {
        const std::optional<size_t> table = TableWith(column);
        outside = outside || !table.has_value();
        if (table.has_value() && (of.empty() || of.back() != *table)) {
          of.push_back(*table);
        }
      }
      if (!outside && of.size() == 1) {
        ++conditions_[of[0]];
      } else if (!outside && of.size() == 2 && IsEquality(conjunct)) {
        connected_[of[0] * size() + of[1]] = connected_[of[1] * size() + of[0]] = true;
      }
    }
  }

  // Returns the number behind that of the node's last table; `first`: that of its first one.
  size_t Count(const FromNode& node, size_t first) {
    if (!IsInner(node)) {
      return first + 1;
    }
    const size_t middle = Count(*node.left, first);
    const size_t end = Count(*node.right, middle);
    bool any = false;
    for (size_t a = first; a < middle; ++a) {
      for (size_t b = middle; b < end; ++b) {
        any = any || connected(a, b);
      }
    }
    unconnected_ += any ? 0 : 1;
    return end;
  }

  std::vector<FromNode*> tables_;
  std::vector<const FromNode*> joins_;
  std::vector<bool> connected_;
  std::vector<size_t> conditions_;
  size_t unconnected_ = 0;
};

// By statistics, roughly; infinite: not known.
double EstimateOf(const PlanContext& context, const FromNode& node, size_t conditions) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  constexpr double kShare = 0.1;  // TUNING: of the rows that meet a condition
  if (node.table == nullptr) {
    return kUnknown;
  }
  SessionTables::Handle handle;
  const Expected<Table*> table = context.tables->Open(node.table->physical_name, &handle);
  if (!table.ok()) {
    return kUnknown;
  }
  const Expected<std::optional<double>> rows = (*table)->EstimateRows({});
  return rows.ok() && rows->has_value() ? **rows * (conditions > 0 ? kShare : 1) : kUnknown;
}

// The numbers of the tables, each connected to one before it, as far as there is such an order.
std::vector<size_t> ConnectedOrder(const JoinGraph& graph, const std::vector<double>& rows) {
  std::vector<size_t> order;
  std::vector<bool> taken(graph.size());
  std::vector<bool> reached(graph.size());
  while (order.size() < graph.size()) {
    std::optional<size_t> best;
    for (size_t table = 0; table < graph.size(); ++table) {
      const bool better = !best.has_value() || (reached[table] && !reached[*best]) ||
                          (reached[table] && reached[*best] && rows[table] < rows[*best]);
      if (!taken[table] && better) {
        best = table;
      }
    }
    taken[*best] = true;
    order.push_back(*best);
    for (size_t table = 0; table < graph.size(); ++table) {
      reached[table] = reached[table] || graph.connected(*best, table);
    }
  }
  return order;
}

size_t UnconnectedIn(const std::vector<size_t>& order, const JoinGraph& graph) {
  size_t count = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    count += std::none_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                          [&](size_t before) { return graph.connected(before, order[i]); })
                 ? 1
                 : 0;
  }
  return count;
}

// Takes the tables and conditions of inner joins out of the tree below `node`; `joins` gets the joins.
void TakeApart(FromNode* node, std::vector<std::unique_ptr<FromNode>>* tables, std::vector<Conjunct>* on,
               std::vector<std::unique_ptr<FromNode>>* joins) {
  std::move(node->on.begin(), node->on.end(), std::back_inserter(*on));
  node->on.clear();
  for (std::unique_ptr<FromNode>* const side : {&node->left, &node->right}) {
    if (IsInner(**side)) {
      TakeApart(side->get(), tables, on, joins);
      joins->push_back(std::move(*side));
    } else {
      tables->push_back(std::move(*side));
    }
  }
}

}  // namespace

void OrderJoins(const PlanContext& context, FromNode* node, const std::vector<Conjunct>& where) {
  if (!IsInner(*node) || (!IsInner(*node->left) && !IsInner(*node->right))) {
    return;
  }
  const JoinGraph graph(node, where);
  if (graph.Unconnected() == 0) {
    return;
  }
  std::vector<double> rows;
  for (size_t table = 0; table < graph.size(); ++table) {
    rows.push_back(EstimateOf(context, graph.table(table), graph.conditions(table)));
  }
  const std::vector<size_t> order = ConnectedOrder(graph, rows);
  if (UnconnectedIn(order, graph) >= graph.Unconnected()) {
    return;
  }
  std::vector<std::unique_ptr<FromNode>> tables;
  std::vector<std::unique_ptr<FromNode>> joins;
  std::vector<Conjunct> on;
  TakeApart(node, &tables, &on, &joins);
  std::unique_ptr<FromNode> left = std::move(tables[order[0]]);
  for (size_t i = 1; i + 1 < order.size(); ++i) {
    std::unique_ptr<FromNode> join = std::move(joins.back());
    joins.pop_back();
    join->left = std::move(left);
    join->right = std::move(tables[order[i]]);
    left = std::move(join);
  }
  node->left = std::move(left);
  node->right = std::move(tables[order.back()]);
  node->on = std::move(on);
}

}  // namespace klip::sql
