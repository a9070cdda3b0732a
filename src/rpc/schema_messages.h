// Descriptors of tables, families and namespaces to and from messages.
#pragma once

#include "klip/admin.h"
#include "klip/status.h"
#include "proto/HBase.pb.h"

namespace klip::rpc {

// Attributes that HBase writes into each family, with the value NONE by default; klip keeps them only if they are set.
inline constexpr const char* kEncodings[] = {"DATA_BLOCK_ENCODING", "INDEX_BLOCK_ENCODING"};

// Attributes with a meaning in klip become fields, all others stay attributes. Errors: kInvalidArgument naming the
// attribute with an invalid value.
Expected<TableDescriptor> ToTableDescriptor(const hbase::pb::TableSchema& message);
Expected<FamilyDescriptor> ToFamilyDescriptor(const hbase::pb::ColumnFamilySchema& message);
NamespaceDescriptor ToNamespace(const hbase::pb::NamespaceDescriptor& message);

void FillFamily(const FamilyDescriptor& family, hbase::pb::ColumnFamilySchema* message);
void FillTableSchema(const TableDescriptor& table, hbase::pb::TableSchema* message);
void FillNamespace(const NamespaceDescriptor& name_space, hbase::pb::NamespaceDescriptor* message);

// hbase:meta's own descriptor.
TableDescriptor MetaDescriptor();

}  // namespace klip::rpc
