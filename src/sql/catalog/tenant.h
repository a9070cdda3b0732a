// Tenants, as in Phoenix. A session of a tenant sees a MULTI_TENANT table as if it were a view on the tenant's rows: the
// first column of its key is hidden, and required to be the tenant. Worked example: of the table t (org VARCHAR NOT NULL,
// id INTEGER NOT NULL, ...), the tenant 'acme' sees SELECT * FROM t WHERE org = 'acme' without the column org, and
// UPSERT INTO t (id) VALUES (1) writes the row ('acme', 1). Views on the table inherit this.
#pragma once

#include <string>
#include <string_view>

#include "klip/status.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// The rows in KLIP_SQL of views and sequences that belong to tenants.
inline constexpr std::string_view kTenantPrefix = "tenant:";
// Those of one tenant; empty without a tenant.
std::string TenantPrefix(const std::string& tenant);

// Errors: 1040 (42Y96), a MULTI_TENANT table without a column for the tenant; 601, MULTI_TENANT is neither true nor false.
Status CheckTenantColumn(const TableDefinition& table);

// What the tenant sees of the table; the table itself without a tenant, or if it is not MULTI_TENANT. Errors: 1041
// (42Y97), the tenant's name does not convert to the column's type.
Expected<TablePtr> TableOfTenant(TablePtr table, const std::string& tenant);

}  // namespace klip::sql
