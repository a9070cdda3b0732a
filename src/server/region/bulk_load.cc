// ClientService: the calls of HBase's completebulkload. The files are on a disk of this machine; the tool itself splits
// those that span regions.
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "proto/Client.pb.h"
#include "server/node/cluster_messages.h"
#include "server/node/services.h"
#include "table/load/hfile_load.h"

namespace klip::server {
namespace {

using hbase::pb::BulkLoadHFileRequest;
using hbase::pb::BulkLoadHFileResponse;
using hbase::pb::CleanupBulkLoadRequest;
using hbase::pb::CleanupBulkLoadResponse;
using hbase::pb::PrepareBulkLoadRequest;
using hbase::pb::PrepareBulkLoadResponse;

// The path in "file:/a", "file:///a" or "/a".
Expected<std::string> LocalPath(std::string_view uri) {
  constexpr std::string_view kScheme = "file:";
  std::string_view path = uri;
  if (path.starts_with(kScheme)) {
    path.remove_prefix(kScheme.size());
    if (path.starts_with("///")) {
      path.remove_prefix(2);
    }
  }
  if (!path.starts_with('/') || path.starts_with("//")) {
    return Status(Code::kUnsupported, "klip loads HFiles only from its own machine's file system (file:/path), not '" +
                                          std::string(uri) + "': copy them there first");
  }
  if (path.find('\0') != std::string_view::npos) {
    return Status(Code::kInvalidArgument, "the path contains a NUL byte");
  }
  return std::string(path);
}

// A client that may load tables should not learn which files exist on this machine, and their sizes.
Status WithoutDetails(const Status& status) {
  const bool tells = status.code() == Code::kDoNotRetry || status.code() == Code::kCorruption ||
                     status.code() == Code::kIoError || status.code() == Code::kInvalidArgument;
  return tells ? Status(Code::kDoNotRetry, "one of the paths is not an HFile that this server can read") : status;
}

rpc::Error BulkLoadHFile(Node* node, const BulkLoadHFileRequest& request, BulkLoadHFileResponse* response) {
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  std::vector<LoadedFile> files;
  for (const BulkLoadHFileRequest::FamilyPath& one : request.family_path()) {
    Expected<std::string> path = LocalPath(one.path());
    if (!path.ok()) {
      return path.status();
    }
    files.push_back({one.family(), *std::move(path)});
  }
  const Expected<std::unique_ptr<table::HFileLoad>> load =
      table::HFileLoad::Open(&node->embedded->shared(), region.region->table, files, region.region->start_key);
  if (!load.ok()) {
    return WithoutDetails(load.status());
  }
  // False makes the tool look up the regions again, and split the files, as after a split of the region.
  response->set_loaded((*load)->FitsInto(region.region->start_key, region.region->end_key));
  if (!response->loaded()) {
    return {};
  }
  KLIP_RPC_RETURN_IF_ERROR((*load)->Run());
  // HBase moves the files into its store. A file that cannot be removed only takes space.
  for (const LoadedFile& file : files) {
    if (!request.copy_file()) {
      unlink(file.path.c_str());
    }
  }
  return {};
}

// Calls a hook of BulkLoadObserver, which does not get the files.
rpc::Error CallHook(Node* node, std::string_view hook, const hbase::pb::RegionSpecifier& specifier) {
  if (node->coprocessors == nullptr) {
    return {};
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(specifier, &region));
  const engine::TablePtr& table = region.table_regions->view;
  return node->coprocessors->CallHook(hook, table, table->RegionOf(region.region->start_key));
}

}  // namespace

void AddBulkLoadMethods(Node* node, MethodTable* methods) {
  methods->Add<BulkLoadHFileRequest, BulkLoadHFileResponse>(
      "BulkLoadHFile",
      [node](const auto& request, auto* response, Call*) { return BulkLoadHFile(node, request, response); });
  // HBase creates a staging directory for files, whose name clients send back; klip reads files where they are.
  methods->Add<PrepareBulkLoadRequest, PrepareBulkLoadResponse>(
      "PrepareBulkLoad",
      [node](const PrepareBulkLoadRequest& request, PrepareBulkLoadResponse* response, Call*) -> rpc::Error {
        static std::atomic<int64_t> number = 0;
        const std::string table = TableNameOf(request.table_name());
        if (const Expected<TableRegionsPtr> regions = node->regions.Of(table); !regions.ok()) {
          return regions.status();
        }
        KLIP_RPC_RETURN_IF_ERROR(CallHook(node, "prePrepareBulkLoad", request.region()));
        response->set_bulk_token(table + "__" + std::to_string(++number));
        return {};
      });
  methods->Add<CleanupBulkLoadRequest, CleanupBulkLoadResponse>(
      "CleanupBulkLoad", [node](const CleanupBulkLoadRequest& request, auto*, Call*) {
        return request.has_region() ? CallHook(node, "preCleanupBulkLoad", request.region()) : rpc::Error();
      });
}

}  // namespace klip::server
