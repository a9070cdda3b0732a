#include "sql/catalog/tenant.h"

#include <utility>

#include "klip/sql.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

// column = value
ExpressionPtr Equals(const std::string& column, const Value& value) {
  auto named = std::make_unique<Expression>();
  named->kind = Expression::Kind::kColumn;
  named->name = column;
  auto literal = std::make_unique<Expression>();
  literal->value = value;
  auto equals = std::make_unique<Expression>();
  equals->kind = Expression::Kind::kCompare;
  equals->operation = "=";
  equals->operands.push_back(std::move(named));
  equals->operands.push_back(std::move(literal));
  return equals;
}

// The tenant as a value of the column. Errors: it does not convert, or only to a nearby number.
Expected<Value> ToTenant(const std::string& tenant, const DataType& type) {
  const Value text = Value::Text(tenant);
  KLIP_ASSIGN_OR_RETURN(Value value, Convert(text, type));
  if (type.type == Type::kDecimal) {
    KLIP_ASSIGN_OR_RETURN(const Value exact, Convert(text, {.type = Type::kDecimal}));
    if (CompareValues(value, exact) != 0) {
      return Status(Code::kInvalidArgument, "the number has too many digits");
    }
  }
  return value;
}

}  // namespace

std::string TenantPrefix(const std::string& tenant) {
  return tenant.empty() ? std::string() : std::string(kTenantPrefix) + tenant + '\0';
}

Status CheckTenantColumn(const TableDefinition& table) {
  const bool has_column = table.key_columns >= 2 && table.key(0).not_null;
  for (const auto& [name, value] : table.properties) {
    if (name != "MULTI_TENANT") {
      continue;
    }
    if (value.type() != Type::kBoolean) {
      return SqlError(601, "42P00", "Syntax error. MULTI_TENANT must be true or false, not " + value.ToString());
    }
    if (value.boolean() && !has_column) {
      return SqlError(1040, "42Y96",
                      "A MULTI_TENANT table must have two or more PK columns with the first column being NOT NULL.");
    }
  }
  return Status::Ok();
}

Expected<TablePtr> TableOfTenant(TablePtr table, const std::string& tenant) {
  if (tenant.empty() || !table->HasProperty("MULTI_TENANT")) {
    return table;
  }
  auto seen = std::make_shared<TableDefinition>(*table);
  TableColumn& column = seen->columns[0];
  const Expected<Value> value = ToTenant(tenant, column.type);
  if (!value.ok()) {
    return SqlError(1041, "42Y97",
                    "TenantId could not be converted to correct format for this table. tableName=" +
                        ToString(table->name) + ": '" + tenant + "' is not of type " + ToString(column.type));
  }
  ExpressionPtr condition = Equals(column.name, *value);
  column.hidden = true;
  column.required = Clone(*condition->operands[1]);
  seen->conditions.push_back(std::move(condition));
  return TablePtr(std::move(seen));
}

}  // namespace klip::sql
