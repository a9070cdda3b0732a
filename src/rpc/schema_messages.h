// Descriptors of tables, families and namespaces as messages.
#pragma once

#include "klip/admin.h"
#include "klip/status.h"
#include "proto/HBase.pb.h"

namespace klip::rpc {

// Attributes that HBase writes into each family, as NONE where nobody has set them; klip keeps them only where somebody has.
inline constexpr const char* kEncodings[] = {"DATA_BLOCK_ENCODING", "INDEX_BLOCK_ENCODING"};

// Attributes that klip gives a meaning become fields, all others are kept as they are. Errors: kInvalidArgument naming the
// attribute whose value is none.
Expected<TableDescriptor> ToTableDescriptor(const hbase::pb::TableSchema& message);
Expected<FamilyDescriptor> ToFamilyDescriptor(const hbase::pb::ColumnFamilySchema& message);
NamespaceDescriptor ToNamespace(const hbase::pb::NamespaceDescriptor& message);

void FillFamily(const FamilyDescriptor& family, hbase::pb::ColumnFamilySchema* message);
void FillTableSchema(const TableDescriptor& table, hbase::pb::TableSchema* message);
void FillNamespace(const NamespaceDescriptor& name_space, hbase::pb::NamespaceDescriptor* message);

// hbase:meta's own descriptor.
TableDescriptor MetaDescriptor();

}  // namespace klip::rpc
