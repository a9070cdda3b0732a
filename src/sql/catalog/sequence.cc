#include "sql/catalog/sequence.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "klip/bytes.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/tenant.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr std::string_view kStatement = "statement";
constexpr std::string_view kTaken = "taken";

Status NoSequence(const TableName& name) {
  return SqlError(1201, "42Z01", "Sequence undefined. tableName=" + ToString(name));
}

// `error`: Phoenix's number for an argument that is not constant.
Status ReadNumber(const ExpressionPtr& written, int error, const std::string& what, int64_t* out) {
  if (written == nullptr) {
    return Status::Ok();
  }
  const Expression* number = written.get();
  const bool negative = number->kind == Expression::Kind::kNegate;
  number = negative ? number->operands[0].get() : number;
  if (number->kind != Expression::Kind::kLiteral || !IsWhole(number->value.type())) {
    return SqlError(error, "42Z0" + std::to_string(error - 1200),
                    "Sequence " + what + " value must be an integer or long constant.");
  }
  *out = negative ? -number->value.integer() : number->value.integer();
  return Status::Ok();
}

Expected<SequenceDefinition> Read(const CreateSequence& statement) {
  SequenceDefinition sequence;
  sequence.cycle = statement.cycle;
  KLIP_RETURN_IF_ERROR(ReadNumber(statement.increment, 1203, "INCREMENT BY", &sequence.increment));
  KLIP_RETURN_IF_ERROR(ReadNumber(statement.min, 1208, "MINVALUE", &sequence.min));
  KLIP_RETURN_IF_ERROR(ReadNumber(statement.max, 1209, "MAXVALUE", &sequence.max));
  KLIP_RETURN_IF_ERROR(ReadNumber(statement.cache, 1204, "CACHE", &sequence.cache));
  sequence.cache = std::max<int64_t>(sequence.cache, 1);
  if (statement.min != nullptr || statement.max != nullptr) {  // 1 otherwise, as in Phoenix
    sequence.start = sequence.increment > 0 ? sequence.min : sequence.max;
  }
  KLIP_RETURN_IF_ERROR(ReadNumber(statement.start, 1202, "START WITH", &sequence.start));
  if (sequence.increment == 0) {
    return SqlError(1214, "42Z14", "Sequence INCREMENT BY value cannot be zero.");
  }
  if (sequence.min > sequence.max) {
    return SqlError(1210, "42Z10", "Sequence MINVALUE must be less than or equal to MAXVALUE.");
  }
  if (sequence.start < sequence.min || sequence.start > sequence.max) {
    return SqlError(1211, "42Z11",
                    "STARTS WITH value must be greater than or equal to MINVALUE and less than or equal to MAXVALUE.");
  }
  return sequence;
}

std::string ToStatement(const TableName& name, const SequenceDefinition& sequence) {
  return "CREATE SEQUENCE " + ToString(name) + " START WITH " + std::to_string(sequence.start) + " INCREMENT BY " +
         std::to_string(sequence.increment) + " MINVALUE " + std::to_string(sequence.min) + " MAXVALUE " +
         std::to_string(sequence.max) + (sequence.cycle ? " CYCLE" : "") + " CACHE " + std::to_string(sequence.cache);
}

}  // namespace

// A cycling sequence that has passed the end restarts at the other end.
Expected<int64_t> SequenceDefinition::Value(int64_t taken, const TableName& name) const {
  const auto wide = static_cast<__int128>(start) + static_cast<__int128>(increment) * taken;
  if (wide >= min && wide <= max) {
    return static_cast<int64_t>(wide);
  }
  if (!cycle) {
    const bool above = wide > max;
    return SqlError(
        above ? 1212 : 1213, above ? "42Z12" : "42Z13",
        std::string("Reached ") + (above ? "MAXVALUE" : "MINVALUE") + " of sequence. tableName=" + ToString(name));
  }
  const __int128 step = increment > 0 ? increment : -static_cast<__int128>(increment);
  const __int128 before_end =
      (increment > 0 ? static_cast<__int128>(max) - start : static_cast<__int128>(start) - min) / step + 1;
  const __int128 a_round = (static_cast<__int128>(max) - min) / step + 1;
  const __int128 in_round = (taken - before_end) % a_round;
  return static_cast<int64_t>(increment > 0 ? min + in_round * step : max - in_round * step);
}

int64_t SequenceDefinition::BeyondEnd() const {
  const auto from = static_cast<__int128>(start);
  const __int128 to = increment > 0 ? max : min;
  const __int128 beyond = from + ((to - from) / increment + 1) * increment;
  return beyond > std::numeric_limits<int64_t>::max() || beyond < std::numeric_limits<int64_t>::min()
             ? static_cast<int64_t>(beyond - increment)
             : static_cast<int64_t>(beyond);
}

Sequences::Sequences(Connection* connection, const std::string& tenant)
    : connection_(connection), prefix_(TenantPrefix(tenant) + "sequence:") {}

Expected<Table*> Sequences::OpenTable() {
  if (table_ == nullptr) {
    KLIP_RETURN_IF_ERROR(Catalog::CreateCatalogTable(connection_));
    KLIP_ASSIGN_OR_RETURN(table_, connection_->GetTable(Catalog::kCatalogTable));
  }
  return table_.get();
}

Status Sequences::Create(const CreateSequence& statement) {
  KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, Read(statement));
  KLIP_ASSIGN_OR_RETURN(Table* const table, OpenTable());
  CheckAndMutate check;
  check.row = RowOf(statement.name);
  check.condition = RowCondition::IfNotExists(std::string(Catalog::kCatalogFamily), std::string(kStatement));
  check.action = klip::Put{.row = check.row}.Add(std::string(Catalog::kCatalogFamily), std::string(kStatement),
                                                 ToStatement(statement.name, sequence));
  KLIP_ASSIGN_OR_RETURN(const CheckAndMutateResult made, table->CheckAndMutate(check));
  return made.success || statement.if_not_exists
             ? Status::Ok()
             : SqlError(1200, "42Z00", "Sequence already exists. tableName=" + ToString(statement.name));
}

Status Sequences::Drop(const TableName& name, bool if_exists) {
  const Expected<SequenceDefinition> found = Find(name);
  if (!found.ok()) {
    return if_exists ? Status::Ok() : found.status();
  }
  known_.erase(ToString(name));
  KLIP_ASSIGN_OR_RETURN(Table* const table, OpenTable());
  return table->Delete(klip::Delete{.row = RowOf(name)});
}

Expected<SequenceDefinition> Sequences::Find(const TableName& name) {
  if (const auto known = known_.find(ToString(name)); known != known_.end()) {
    return known->second;
  }
  KLIP_ASSIGN_OR_RETURN(Table* const table, OpenTable());
  KLIP_ASSIGN_OR_RETURN(const Result row, table->Get({.row = RowOf(name)}));
  const std::optional<std::string_view> statement = row.Value(Catalog::kCatalogFamily, kStatement);
  if (!statement.has_value()) {
    return NoSequence(name);
  }
  KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseStatement(*statement));
  const auto* const create = std::get_if<CreateSequence>(&parsed.statement);
  if (create == nullptr) {
    return Status(Code::kCorruption, "not the definition of a sequence: " + std::string(*statement));
  }
  KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, Read(*create));
  known_[ToString(name)] = sequence;
  return sequence;
}

Expected<std::vector<ListedSequence>> Sequences::List() {
  std::vector<ListedSequence> sequences;
  KLIP_ASSIGN_OR_RETURN(const bool exists, connection_->admin().TableExists(Catalog::kCatalogTable));
  if (!exists) {
    return sequences;
  }
  KLIP_ASSIGN_OR_RETURN(Table* const table, OpenTable());
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> rows, table->Scan(Scan::Prefix(prefix_)));
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more) {
      return sequences;
    }
    const std::string_view statement = row.Value(Catalog::kCatalogFamily, kStatement).value_or("");
    KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseStatement(statement));
    const auto* const create = std::get_if<CreateSequence>(&parsed.statement);
    if (create == nullptr) {
      return Status(Code::kCorruption, "not the definition of a sequence: " + std::string(statement));
    }
    const std::optional<std::string_view> taken = row.Value(Catalog::kCatalogFamily, kTaken);
    const bool any = taken.has_value() && taken->size() == sizeof(uint64_t);
    KLIP_ASSIGN_OR_RETURN(const SequenceDefinition definition, Read(*create));
    sequences.push_back({.name = create->name,
                         .definition = definition,
                         .taken = any ? static_cast<int64_t>(ReadBigEndian<uint64_t>(taken->data())) : 0});
  }
}

Expected<int64_t> Sequences::Take(const TableName& name, int64_t count) {
  KLIP_RETURN_IF_ERROR(Find(name).status());
  KLIP_ASSIGN_OR_RETURN(Table* const table, OpenTable());
  Increment take;
  take.row = RowOf(name);
  take.Add(std::string(Catalog::kCatalogFamily), std::string(kTaken), count);
  KLIP_ASSIGN_OR_RETURN(const Result taken, table->Increment(take));
  const std::optional<std::string_view> total = taken.Value(Catalog::kCatalogFamily, kTaken);
  return static_cast<int64_t>(ReadBigEndian<uint64_t>(total->data())) - count;
}

Expected<int64_t> Sequences::TakeBlock(const TableName& name, int64_t count) {
  KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, Find(name));
  KLIP_ASSIGN_OR_RETURN(Table* const table, OpenTable());
  const std::string family(Catalog::kCatalogFamily);
  const std::string qualifier(kTaken);
  Increment take;
  take.row = RowOf(name);
  take.Add(family, qualifier, count);
  while (true) {  // retries if another session took numbers meanwhile
    KLIP_ASSIGN_OR_RETURN(const Result row, table->Get({.row = take.row}));
    const std::optional<std::string_view> before = row.Value(Catalog::kCatalogFamily, kTaken);
    const int64_t taken = before.has_value() ? static_cast<int64_t>(ReadBigEndian<uint64_t>(before->data())) : 0;
    int64_t last = 0;
    if (__builtin_add_overflow(taken, count - 1, &last)) {
      last = std::numeric_limits<int64_t>::max();
    }
    KLIP_RETURN_IF_ERROR(sequence.Value(last, name).status());
    const RowCondition unchanged = before.has_value() ? RowCondition::IfEquals(family, qualifier, std::string(*before))
                                                      : RowCondition::IfNotExists(family, qualifier);
    KLIP_ASSIGN_OR_RETURN(const CheckAndMutateResult done,
                          table->CheckAndMutate({.row = take.row, .condition = unchanged, .action = take}));
    if (done.success) {
      return taken;
    }
  }
}

Expected<int64_t> Sequences::Current(const TableName& name) const {
  const auto current = current_.find(ToString(name));
  if (current == current_.end()) {
    return SqlError(1206, "42Z06", "NEXT VALUE FOR must be called before CURRENT VALUE FOR is called.");
  }
  return current->second;
}

}  // namespace klip::sql
