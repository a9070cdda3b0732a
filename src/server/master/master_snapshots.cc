// MasterService: snapshots.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/store/snapshots.h"
#include "engine/store/store.h"
#include "proto/Master.pb.h"
#include "server/master/master_service.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

constexpr int64_t kSnapshotTimeoutMs = 300000;  // hbase.snapshot.master.timeout.millis
constexpr int32_t kSnapshotVersion = 2;         // of HBase's format: shown by its clients

rpc::Error TakeSnapshot(Node* node, const SnapshotRequest& request, SnapshotResponse* response) {
  response->set_expected_timeout(kSnapshotTimeoutMs);
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    const SnapshotDescription& snapshot = request.snapshot();
    const Expected<bool> exists = node->admin().TableExists(snapshot.table());
    if (exists.ok() && !*exists) {
      return rpc::Error::Hbase("snapshot.SnapshotCreationException",
                               "Table '" + snapshot.table() + "' doesn't exist, can't take snapshot.", true);
    }
    return node->admin().Snapshot(snapshot.name(), snapshot.table(),
                                  {.ttl_s = std::max<int64_t>(0, snapshot.ttl()),
                                   .max_file_bytes = std::max<int64_t>(0, snapshot.max_file_size()),
                                   .skip_flush = snapshot.type() == SnapshotDescription::SKIPFLUSH});
  });
}

// Restores its own table if it exists, else creates a new one.
rpc::Error RestoreSnapshot(Node* node, const RestoreSnapshotRequest& request, RestoreSnapshotResponse* response) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    const Expected<SnapshotInfo> found = node->store().snapshots().Find(request.snapshot().name());
    if (!found.ok()) {
      return found.status();
    }
    const SnapshotInfo& snapshot = *found;
    if (snapshot.ExpiredAt(node->NowMs())) {
      return rpc::Error::Hbase("snapshot.SnapshotTTLExpiredException",
                               "TTL for snapshot '" + snapshot.name + "' has already expired.", true);
    }
    const std::string& target = request.snapshot().table();
    const Expected<bool> exists = node->admin().TableExists(target);
    if (!exists.ok()) {
      return exists.status();
    }
    if (!*exists) {
      return node->admin().CloneSnapshot(snapshot.name, target);
    }
    if (target != snapshot.table) {
      return Status(Code::kUnsupported,
                    "klip can restore a snapshot only to its own table (" + snapshot.table + "), not to " + target);
    }
    const Status restored = node->admin().RestoreSnapshot(snapshot.name);
    if (restored.code() == Code::kTableNotDisabled) {  // HBase's master throws an exception that is not an IOException
      return Status(Code::kIoError, "java.lang.UnsupportedOperationException: Table '" + target +
                                        "' must be disabled in order to perform a restore snapshot operation.");
    }
    return restored;
  });
}

void FillSnapshot(const SnapshotInfo& info, SnapshotDescription* message) {
  message->set_name(info.name);
  message->set_table(info.table);
  message->set_creation_time(info.created_ms);
  message->set_type(static_cast<SnapshotDescription::Type>(info.type));  // their numbers are the same
  message->set_version(kSnapshotVersion);
  message->set_ttl(info.ttl_s);
  message->set_max_file_size(info.max_file_bytes);
}

}  // namespace

void AddSnapshotMethods(Node* node, MethodTable* methods) {
  methods->Add<SnapshotRequest, SnapshotResponse>(
      "Snapshot", [node](const auto& request, auto* response, Call*) { return TakeSnapshot(node, request, response); });
  methods->Add<GetCompletedSnapshotsRequest, GetCompletedSnapshotsResponse>(
      "GetCompletedSnapshots", [node](const auto&, GetCompletedSnapshotsResponse* response, Call*) -> rpc::Error {
        const Expected<std::vector<SnapshotInfo>> listed = node->admin().ListSnapshots();
        if (!listed.ok()) {
          return listed.status();
        }
        for (const SnapshotInfo& one : *listed) {
          FillSnapshot(one, response->add_snapshots());
        }
        return {};
      });
  methods->Add<DeleteSnapshotRequest, DeleteSnapshotResponse>(
      "DeleteSnapshot", [node](const auto& request, auto*, Call*) -> rpc::Error {
        return node->admin().DeleteSnapshot(request.snapshot().name());
      });
  methods->Add<IsSnapshotDoneRequest, IsSnapshotDoneResponse>(
      "IsSnapshotDone", [node](const auto& request, IsSnapshotDoneResponse* response, Call*) -> rpc::Error {
        const Expected<SnapshotInfo> found = node->store().snapshots().Find(request.snapshot().name());
        if (!found.ok()) {
          return found.status();
        }
        response->set_done(true);
        FillSnapshot(*found, response->mutable_snapshot());
        return {};
      });
  methods->Add<RestoreSnapshotRequest, RestoreSnapshotResponse>(
      "RestoreSnapshot",
      [node](const auto& request, auto* response, Call*) { return RestoreSnapshot(node, request, response); });
}

}  // namespace klip::server
