// If one bit of a file with a checksum changed, trying all bits finds it, and the copy has the file as it was.
//
// Otherwise: CATALOG says which table and family each of RocksDB's column families belongs to. What it does not name, an open
// drops. So a repaired one names them all:
//
//   1. the tables of the damaged file, if its JSON can be read, whose families exist
//   2. tables of snapshots, for families that no table has yet
//   3. one table "lost_f<id>" with the family "f" for each other one
//
// Since their settings may be wrong, they keep all versions and never expire.
//
// Example: RocksDB has f1, f2 and f4. CATALOG is unreadable, and a snapshot has table t with f1 and f2. The copy has t, as it
// was when the snapshot was taken, and lost_f4.
#include "engine/store/repair_files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "rocksdb/env.h"

#include "base/clock.h"
#include "engine/layout/file_lookup.h"
#include "engine/log/kept_logs.h"
#include "engine/store/catalog.h"
#include "engine/store/cluster_id_file.h"
#include "engine/store/database.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/peer_records.h"
#include "engine/store/sequence.h"
#include "engine/store/small_file.h"
#include "engine/store/snapshots.h"

namespace klip::engine {
namespace {

constexpr std::string_view kManifestPrefix = "MANIFEST-";

// Fails if the file exists and its checksum or contents are wrong.
Status CheckSealed(rocksdb::Env* env, const std::string& file) {
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, file));
  if (!there) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
  return Unseal(sealed, file).status();
}

// Without the checksum; empty if it cannot be read.
Catalog ReadDamagedCatalog(rocksdb::Env* env, const std::string& file) {
  const Expected<std::string> sealed = ReadSmallFile(env, file);
  const Expected<Catalog> catalog =
      sealed.ok() ? Catalog::FromJson(std::string_view(*sealed).substr(0, sealed->rfind("md5 ")), file)
                  : Expected<Catalog>(sealed.status());
  return catalog.ok() ? *catalog : Catalog::Empty();
}

class CatalogRepair {
 public:
  CatalogRepair(rocksdb::Env* env, const std::string& store, const ManifestState& manifest)
      : env_(env), store_(store), catalog_(Catalog::Empty()) {
    for (const auto& [number, name] : manifest.families) {
      uint32_t id = 0;
      if (name.starts_with('f') && std::from_chars(name.data() + 1, name.data() + name.size(), id).ec == std::errc()) {
        unclaimed_.insert(id);
      }
    }
    next_id_ = unclaimed_.empty() ? 1 : *unclaimed_.rbegin() + 1;
  }

  ReplacedFile Run() {
    Catalog damaged = ReadDamagedCatalog(env_, store_ + "/" + kCatalogName);
    const std::map<std::string, TableRecord, std::less<>> tables = std::exchange(damaged.tables, {});
    catalog_ = std::move(damaged);
    catalog_.next_family_id = std::max(catalog_.next_family_id, next_id_);
    for (const auto& [name, record] : tables) {
      Claim(record, " as far as it can be read");
    }
    AddSnapshots();
    for (const uint32_t id : std::set<uint32_t>(unclaimed_)) {
      Claim(LostTable(id), " of a family whose table is unknown");
    }
    return {kCatalogName,
            {},
            told_.empty() ? "no tables" : told_ + ". They keep all versions forever: alter them",
            Seal(catalog_.ToJson())};
  }

 private:
  void Claim(const TableRecord& record, const std::string& how) {
    const std::string& name = record.descriptor.name;
    const bool fits =
        !catalog_.tables.contains(name) &&
        std::ranges::all_of(record.family_ids, [&](const auto& family) { return unclaimed_.contains(family.second); });
    if (!fits || record.family_ids.empty()) {
      return;
    }
    for (const auto& [family, id] : record.family_ids) {
      unclaimed_.erase(id);
    }
    if (const size_t colon = name.find(':'); colon != std::string::npos) {
      const std::string space = name.substr(0, colon);
      catalog_.namespaces.emplace(space, NamespaceDescriptor{.name = space, .configuration = {}});
    }
    for (FamilyDescriptor& family : (catalog_.tables[name] = record).descriptor.families) {
      family.max_versions = std::numeric_limits<int32_t>::max();
      family.ttl_s = FamilyDescriptor().ttl_s;
    }
    told_ += (told_.empty() ? "table '" : ", table '") + name + "'" + how;
  }

  void AddSnapshots() {
    const std::string all = store_ + "/snapshots";
    const Expected<std::vector<std::string>> names = NamesIn(env_, all);
    for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
      if (const Expected<SnapshotRecord> record = ReadSnapshotRecord(env_, all + "/" + name); record.ok()) {
        Claim(record->table, " as in snapshot '" + name + "'");
      }
    }
  }

  TableRecord LostTable(uint32_t id) {
    TableRecord record;
    record.descriptor.name = "lost_" + FamilyColumnName(id);
    record.descriptor.families.push_back({.name = "f"});
    record.family_ids["f"] = id;
    catalog_.last_region_id = std::max(catalog_.last_region_id + 1, base::SystemMs());
    record.regions.push_back({.start_key = {}, .end_key = {}, .region_id = catalog_.last_region_id});
    return record;
  }

  rocksdb::Env* const env_;
  const std::string& store_;
  Catalog catalog_;
  std::set<uint32_t> unclaimed_;  // families that no table has yet
  uint32_t next_id_ = 1;
  std::string told_;
};

// Numbers that no cell has: they grow with RocksDB's sequence numbers, and each open skips at most a million.
std::string UnusedSequence(const ManifestState& manifest) {
  constexpr uint64_t kAMillionOpens = uint64_t{1} << 40;
  return Seal(std::to_string(manifest.last_sequence + kAMillionOpens) + "\n");
}

class FileRepair {
 public:
  FileRepair(rocksdb::Env* env, std::string store) : env_(env), store_(std::move(store)) {}

  // If `status` is damage of `file` and not of one bit, adds what `other` returns. Returns other errors.
  Status Replace(const std::string& file, const Status& status, const std::function<ReplacedFile()>& other) {
    if (status.code() != Code::kCorruption) {
      return status;
    }
    const Expected<std::string> bytes = ReadSmallFile(env_, PathOf(file));
    std::optional<std::string> whole = bytes.ok() ? WithBitRestored(*bytes) : std::nullopt;
    if (whole.has_value()) {
      replaced_.push_back({file, {}, "the file as it was before one bit changed", std::move(whole)});
    } else {
      replaced_.push_back(other());
    }
    replaced_.back().damage = WithoutName(status, PathOf(file));
    return Status::Ok();
  }
  // As above, for a file with a checksum. `name`: the file, or a directory that is useless without it.
  Status ReplaceSealed(const std::string& file, const std::string& name, const std::string& instead,
                       const std::optional<std::string>& bytes) {
    const Status status = CheckSealed(env_, PathOf(file));
    return Replace(file, status, [&] { return ReplacedFile{name, {}, instead, bytes}; });
  }
  Status ReplaceSnapshots() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(env_, PathOf("snapshots")));
    for (const std::string& name : names) {
      const std::string directory = "snapshots/" + name;
      KLIP_RETURN_IF_ERROR(
          ReplaceSealed(directory + "/SNAPSHOT", directory, "no such snapshot: it is lost", std::nullopt));
    }
    return Status::Ok();
  }

  std::string PathOf(const std::string& name) const { return store_ + "/" + name; }
  std::vector<ReplacedFile> Take() { return std::move(replaced_); }

 private:
  rocksdb::Env* const env_;
  const std::string store_;
  std::vector<ReplacedFile> replaced_;
};

}  // namespace

Expected<Catalog> ReadCatalog(rocksdb::Env* env, const std::string& file) {
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, file));
  if (!there) {
    return Status(Code::kCorruption, "is missing");
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
  KLIP_ASSIGN_OR_RETURN(const std::string_view json, Unseal(sealed, file));
  return Catalog::FromJson(json, file);
}

Expected<std::string> FindManifestName(rocksdb::Env* env, const std::string& store,
                                       std::vector<ReplacedFile>* replaced) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(env, store));
  std::string newest;
  uint64_t highest = 0;
  for (const std::string& name : names) {
    uint64_t number = 0;
    const char* const end = name.data() + name.size();
    if (name.starts_with(kManifestPrefix) &&
        std::from_chars(name.data() + kManifestPrefix.size(), end, number).ptr == end && number >= highest) {
      newest = name;
      highest = number;
    }
  }
  const Expected<std::string> current = ReadSmallFile(env, store + "/CURRENT");
  for (const std::string& name : names) {
    if (name.starts_with(kManifestPrefix) && current.ok() && *current == name + "\n") {
      return name;
    }
  }
  if (newest.empty()) {
    return Status(Code::kCorruption, store + " has no MANIFEST: restore a backup");
  }
  replaced->push_back({"CURRENT", "does not name a MANIFEST", "one that names " + newest, newest + "\n"});
  return newest;
}

Expected<std::vector<ReplacedFile>> ReplaceDamagedFiles(rocksdb::Env* env, const std::string& store,
                                                        const ManifestState& manifest) {
  FileRepair repair(env, store);
  const Status format = ReadFormat(env, store).status();
  KLIP_RETURN_IF_ERROR(repair.Replace(kFormatName, format, [&] {
    return ReplacedFile{kFormatName, {}, "the newest format", FormatText(kFormatOfIndexes)};
  }));
  const Status catalog = ReadCatalog(env, repair.PathOf(kCatalogName)).status();
  KLIP_RETURN_IF_ERROR(
      repair.Replace(kCatalogName, catalog, [&] { return CatalogRepair(env, store, manifest).Run(); }));
  const Status cluster = CheckClusterId(store);
  KLIP_RETURN_IF_ERROR(repair.Replace(kClusterIdName, cluster, [&] {
    return ReplacedFile{
        kClusterIdName, {}, "no id: klip serve makes a new one, so other clusters see a new cluster", std::nullopt};
  }));
  KLIP_RETURN_IF_ERROR(
      repair.ReplaceSealed(kSequenceName, kSequenceName, "a number that no cell has", UnusedSequence(manifest)));
  KLIP_RETURN_IF_ERROR(
      repair.ReplaceSealed(kManifestMarkName, kManifestMarkName, "none: the next open makes one", std::nullopt));
  const std::string replication = kReplicationDirectory;
  KLIP_RETURN_IF_ERROR(repair.ReplaceSealed(
      replication + "/" + kPeersName, replication,
      "no peers: add them again, and copy the tables, since the edits that they had not received are lost",
      std::nullopt));
  const std::string archive = kArchiveDirectory;
  KLIP_RETURN_IF_ERROR(repair.ReplaceSealed(
      archive + "/BACKUPS", archive, "no logs for backups: times since the last one cannot be restored", std::nullopt));
  KLIP_RETURN_IF_ERROR(repair.ReplaceSnapshots());
  return repair.Take();
}

}  // namespace klip::engine
