// MasterService: the cluster's named procedures, with which clients before 2.6 flush a table (and some take snapshots);
// and FlushTable, the newer call.
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "proto/Master.pb.h"
#include "rpc/schema_messages.h"
#include "server/master/master_service.h"
#include "server/node/services.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

constexpr const char* kFlushProcedure = "flush-table-proc";    // MasterFlushTableProcedureManager
constexpr const char* kSnapshotProcedure = "online-snapshot";  // SnapshotManager
constexpr int64_t kFlushTimeoutMs = 60000;                     // hbase.flush.master.timeoutMillis

rpc::Error Flush(Node* node, const std::string& table, const std::vector<std::string>& families) {
  if (table == kMetaTable) {  // it is not in memory
    return CheckFamiliesToFlush(rpc::MetaDescriptor(), families);
  }
  const Expected<klip::TableDescriptor> descriptor = node->admin().GetDescriptor(table);
  if (!descriptor.ok()) {
    return descriptor.status();
  }
  KLIP_RPC_RETURN_IF_ERROR(CheckFamiliesToFlush(*descriptor, families));
  if (families.empty()) {
    return node->admin().Flush(table);
  }
  for (const std::string& family : families) {
    KLIP_RPC_RETURN_IF_ERROR(node->admin().Flush(table, family));
  }
  return {};
}

rpc::Error FlushTable(Node* node, const FlushTableRequest& request, FlushTableResponse* response) {
  return RunProcedure(node, request, response, [&] {
    const auto& families = request.column_family();
    return Flush(node, TableNameOf(request.table_name()), {families.begin(), families.end()});
  });
}

rpc::Error CheckKnown(const ProcedureDescription& procedure) {
  if (procedure.signature() == kFlushProcedure || procedure.signature() == kSnapshotProcedure) {
    return {};
  }
  return Status(Code::kDoNotRetry, "The procedure is not registered: " + procedure.signature());
}

std::vector<std::string> Property(const ProcedureDescription& procedure, std::string_view name) {
  std::vector<std::string> values;
  for (const NameStringPair& property : procedure.configuration()) {
    if (property.name() == name) {
      values.push_back(property.value());
    }
  }
  return values;
}

// The procedure is complete when the call returns.
rpc::Error ExecProcedure(Node* node, const ProcedureDescription& procedure, ExecProcedureResponse* response) {
  KLIP_RPC_RETURN_IF_ERROR(CheckKnown(procedure));
  response->set_expected_timeout(kFlushTimeoutMs);
  if (procedure.signature() == kFlushProcedure) {
    // Clients from 2.6 on separate several by commas.
    std::vector<std::string> families;
    for (const std::string& joined : Property(procedure, "family")) {
      for (const auto family : std::views::split(joined, ',')) {
        families.emplace_back(family.begin(), family.end());
      }
    }
    return Flush(node, procedure.instance(), families);
  }
  const std::vector<std::string> table = Property(procedure, "table");
  if (table.size() != 1) {
    return Status(Code::kDoNotRetry, "the procedure online-snapshot needs the property 'table'");
  }
  return node->admin().Snapshot(procedure.instance(), table.front());
}

}  // namespace

void AddProcedureMethods(Node* node, MethodTable* methods) {
  methods->Add<FlushTableRequest, FlushTableResponse>(
      "FlushTable", [node](const auto& request, auto* response, Call*) { return FlushTable(node, request, response); });
  for (const char* name : {"ExecProcedure", "ExecProcedureWithRet"}) {
    methods->Add<ExecProcedureRequest, ExecProcedureResponse>(name, [node](const auto& request, auto* response, Call*) {
      return ExecProcedure(node, request.procedure(), response);
    });
  }
  methods->Add<IsProcedureDoneRequest, IsProcedureDoneResponse>(
      "IsProcedureDone", [](const auto& request, IsProcedureDoneResponse* response, Call*) -> rpc::Error {
        KLIP_RPC_RETURN_IF_ERROR(CheckKnown(request.procedure()));
        response->set_done(true);
        *response->mutable_snapshot() = request.procedure();
        return {};
      });
}

}  // namespace klip::server
