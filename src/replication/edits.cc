#include "replication/edits.h"

#include <algorithm>
#include <utility>

#include "engine/log/log_cells.h"
#include "replication/cluster_ids.h"
#include "replication/scope.h"
#include "rpc/cell_block.h"
#include "rpc/names.h"

namespace klip::replication {
namespace {

constexpr size_t kCallBytes = 2 << 20;   // TUNING: hbase.client.write.buffer, a usual size for servers
constexpr size_t kReadBytes = 64 << 20;  // of records that the peer does not want, until others get their turn
constexpr int64_t kCallCells = 25'000;   // replication.source.nb.capacity

}  // namespace

void Edits::Clear() {
  request_.Clear();
  block_.Clear();
  cells_ = 0;
  written_ms_ = 0;
}

Status Edits::Fill(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route, int64_t since_ms,
                   engine::LogTail* tail) {
  written_ms_ = since_ms;
  end_ = tail->position();
  families_ = store.views().LoggedFamilies();
  Status filled = ReadLog(store, peer, route, tail);
  families_.clear();  // tables may be dropped while a peer is away
  return filled;
}

Status Edits::ReadLog(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route,
                      engine::LogTail* tail) {
  size_t read_bytes = 0;
  std::string record;
  while (block_.size() < kCallBytes && cells_ < kCallCells && read_bytes < kReadBytes) {
    KLIP_ASSIGN_OR_RETURN(const bool more, tail->Next(&record));
    if (!more) {
      end_ = tail->position();
      break;
    }
    read_bytes += record.size();
    const int entries = request_.entry_size();
    const size_t bytes = block_.size();
    const int64_t cells = cells_;
    if (Status added = AddRecord(store, peer, route, tail->position().sequence, record); !added.ok()) {
      // a record is included as a whole or not at all
      request_.mutable_entry()->DeleteSubrange(entries, request_.entry_size() - entries);
      block_.Truncate(bytes);
      cells_ = cells;
      return added;
    }
    end_ = tail->position();
  }
  return Status::Ok();
}

Status Edits::AddRecord(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route,
                        uint64_t sequence, std::string_view record) {
  const int64_t now_ms = store.NowMs();
  bool looked_again = false;
  Origin last;
  return engine::ForEachLoggedCell(record, [&](const engine::LoggedCell& logged) {
    auto family = families_.find(logged.column_family);
    if (family == families_.end() && !std::exchange(looked_again, true)) {
      families_ = store.views().LoggedFamilies();  // for a new table
      last = {};
      family = families_.find(logged.column_family);
    }
    if (family == families_.end()) {
      return Status::Ok();  // dropped
    }
    const engine::TableView& table = *family->second.table;
    const FamilyDescriptor& descriptor = family->second.family->descriptor;
    if (descriptor.replication_scope == 0 || std::ranges::find(*logged.clusters, route.to) != logged.clusters->end() ||
        !Wants(peer, table.descriptor.name, descriptor.name)) {
      return Status::Ok();
    }
    const bool same_region = last.table == &table && last.region->Contains(logged.cell.row);
    if (!same_region || last.clusters != *logged.clusters) {
      last = {&table, &table.RegionOf(logged.cell.row), *logged.clusters};
      BeginEntry(last, route, sequence);
    }
    Cell cell = logged.cell;
    cell.family = descriptor.name;
    rpc::AppendCell(cell, rpc::CellCodec::kKeyValueWithTags, &block_);
    ++cells_;
    if (cell.timestamp_ms <= now_ms) {
      written_ms_ = std::max(written_ms_, cell.timestamp_ms);
    }
    hbase::pb::WALEntry* entry = request_.mutable_entry(request_.entry_size() - 1);
    entry->set_associated_cell_count(entry->associated_cell_count() + 1);
    entry->mutable_key()->set_write_time(static_cast<uint64_t>(written_ms_));
    return Status::Ok();
  });
}

void Edits::BeginEntry(const Origin& origin, const Route& route, uint64_t sequence) {
  hbase::pb::WALEntry* entry = request_.add_entry();
  hbase::pb::WALKey* key = entry->mutable_key();
  const std::string& table = origin.table->descriptor.name;
  key->set_encoded_region_name(rpc::EncodedRegionName(table, origin.region->start_key, origin.region->region_id));
  key->set_table_name(table);
  key->set_log_sequence_number(sequence);
  key->set_write_time(0);
  for (const engine::ClusterId& cluster : origin.clusters) {
    FillClusterId(cluster, key->add_cluster_ids());
  }
  if (std::ranges::find(origin.clusters, route.from) == origin.clusters.end()) {
    FillClusterId(route.from, key->add_cluster_ids());
  }
}

}  // namespace klip::replication
