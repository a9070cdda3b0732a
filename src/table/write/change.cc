#include "table/write/change.h"

#include <string>
#include <type_traits>

#include "klip/bytes.h"
#include "table/write/index_entries.h"

namespace klip::table {
namespace {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string_view RowOfSource(const ChangeSource& source) {
  return std::visit(Overloaded{[](std::span<const Cell> cells) { return std::string_view(cells.front().row); },
                               [](const auto* mutation) { return std::string_view(mutation->row); }},
                    source);
}

}  // namespace

Change::Change(ChangeSource change_source, uint32_t table_index)
    : source(change_source), row(RowOfSource(source)), table(table_index) {}

void AddChanges(const Mutation& mutation, std::vector<Change>* changes) {
  std::visit([&](const auto& one) { changes->emplace_back(&one); }, mutation);
}

void AddChanges(const RowMutations& mutations, std::vector<Change>* changes) {
  for (const Mutation& mutation : mutations.mutations) {
    AddChanges(mutation, changes);
  }
}

Status TakeChanges(const RowMutations& mutations, std::vector<Change>* changes) {
  KLIP_RETURN_IF_ERROR(CheckRow(mutations.row));
  AddChanges(mutations, changes);
  for (const Change& change : *changes) {
    if (change.row != mutations.row) {
      return {Code::kWrongRow, "The row in the recently added Mutation <" + ToStringBinary(change.row) +
                                   "> doesn't match the original one <" + ToStringBinary(mutations.row) + ">"};
    }
  }
  return Status::Ok();
}

Status TakeChanges(const CheckAndMutate& check, std::vector<Change>* changes) {
  return std::visit(
      [&](const auto& action) -> Status {
        if (action.row != check.row) {
          return {Code::kInvalidArgument, "The row of the action <" + ToStringBinary(action.row) +
                                              "> doesn't match the original one <" + ToStringBinary(check.row) + ">"};
        }
        if constexpr (std::is_same_v<decltype(action), const RowMutations&>) {
          return TakeChanges(action, changes);
        } else {
          AddChanges(action, changes);
          return Status::Ok();
        }
      },
      check.action);
}

Status CheckChange(const TableInfo& info, const Limits& limits, const Change& change) {
  return std::visit(Overloaded{[&](std::span<const Cell> cells) { return CheckCells(info, limits, cells); },
                               [&](const auto* mutation) { return CheckMutation(info, limits, *mutation); }},
                    change.source);
}

Status CheckIndexed(const TableIndexes& indexes, const Change& change) {
  if (const auto* put = std::get_if<const Put*>(&change.source); put != nullptr) {
    for (const Put::Column& column : (*put)->columns) {
      for (const TableIndex& index : indexes.all) {
        KLIP_RETURN_IF_ERROR(CheckNewValue(index, change.row, column.family, column.qualifier, column.value));
      }
    }
  }
  return Status::Ok();
}

Status AddCells(WriteStep* step, const Change& change) {
  return std::visit(Overloaded{[&](std::span<const Cell> cells) { return AddAsTheyAre(step, cells); },
                               [&](const auto* mutation) { return AddCells(step, *mutation); }},
                    change.source);
}

Durability DurabilityOf(const TableInfo& info, const Change& change) {
  return info.Resolve(std::visit(Overloaded{[](std::span<const Cell>) { return Durability::kUseDefault; },
                                            [](const auto* mutation) { return mutation->durability; }},
                                 change.source));
}

bool IsDelete(const Change& change) { return std::holds_alternative<const Delete*>(change.source); }

bool Counts(const Change& change) {
  return std::holds_alternative<const Increment*>(change.source) ||
         std::holds_alternative<const Append*>(change.source);
}

bool ReadsRow(const Change& change) {
  const auto* del = std::get_if<const Delete*>(&change.source);
  return Counts(change) || (del != nullptr && DeletesNewestVersion(**del));
}

size_t BytesOf(const Change& change) {
  const auto* put = std::get_if<const Put*>(&change.source);
  if (put == nullptr) {
    return change.row.size();
  }
  size_t bytes = change.row.size() * (*put)->columns.size();
  for (const Put::Column& column : (*put)->columns) {
    bytes += column.qualifier.size() + column.value.size();
  }
  return bytes;
}

}  // namespace klip::table
