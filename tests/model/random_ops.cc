#include "model/random_ops.h"

#include <map>
#include <utility>

#include "klip/bytes.h"

namespace klip::ops {
namespace {

const std::vector<std::string> kRows = {"\\x00",  "\\x00\\x00", "\\x00\\xFF", "\\x01", "a", "a\\x00", "a\\x00\\x01",
                                        "a\\xFF", "ab",         "b",          "ba",    "c", "\\xFF",  "\\xFF\\xFF"};
const std::vector<std::string> kQualifiers = {"", "\\x00", "p", "q", "q\\x00", "\\xFF"};
const std::vector<std::string> kFamilies = {"f", "g"};
const std::vector<std::string> kValues = {"", "v", "w", "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07", "\\xFF\\x00"};
constexpr int64_t kClock = 1000000;  // where StoreSession's clock starts

class Generator {
 public:
  Generator(uint64_t seed, bool files) : random_(seed), files_(files) {}

  RandomCase Make(size_t op_count) {
    RandomCase out;
    out.create = "create t " + Family("f") + " " + Family("g");
    if (random_.OneIn(3)) {
      out.create += random_.OneIn(2) ? " splits=a\\x00,b" : " splits=a";
    }
    out.options.memtable_bytes = random_.OneIn(2) ? 256 << 10 : 16 << 20;
    out.options.block_cache_bytes = random_.OneIn(2) ? 64 << 10 : 8 << 20;
    out.options.sync_wal = false;
    flush_in_ = random_.Pick<size_t>({5, 20, 1000});
    while (out.ops.size() < op_count) {
      out.ops.push_back(random_.OneIn(flush_in_) ? StoreOp() : random_.OneIn(2) ? Write() : Read());
    }
    out.ops.push_back("scan versions=all");
    out.ops.push_back("scan versions=all reversed");
    return out;
  }

 private:
  // What is asked of a table depends on its families: see reference_table.h.
  std::string Family(const std::string& name) {
    std::string out = name + "(BLOOMFILTER=" +
                      random_.Pick<std::string>({"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH,BLOOM_PREFIX=1"});
    out += ",BLOCKSIZE=" + random_.Pick<std::string>({"1024", "65536"});
    switch (random_.Below(6)) {
      case 0:
        few_versions_ = true;
        return out + ",VERSIONS=" + random_.Pick<std::string>({"1", "2", "3"}) + ")";
      case 1:
        keep_deleted_ = true;
        return out + ",VERSIONS=1000,KEEP_DELETED_CELLS=TRUE)";
      case 2:
        new_version_behavior_ = true;
        return out + ",VERSIONS=1000,NEW_VERSION_BEHAVIOR=true)";
      case 3:
        return out + ",VERSIONS=1000,TTL=" + random_.Pick<std::string>({"1", "3"}) + ")";
      case 4:
        few_versions_ = true;
        return out + ",VERSIONS=3,TTL=2,MIN_VERSIONS=" + random_.Pick<std::string>({"1", "2"}) + ")";
      default:
        return out + ",VERSIONS=1000)";
    }
  }

  std::string Row() { return random_.Pick(kRows); }
  std::string Column() { return random_.Pick(kFamilies) + ":" + random_.Pick(kQualifiers); }
  std::string At() { return random_.OneIn(2) ? "" : "@" + Timestamp(); }
  std::string Timestamp() { return std::to_string(kClock + random_.Between(-2, 4)); }
  std::string TimeRange() {
    if (few_versions_ || !random_.OneIn(4)) {
      return "";
    }
    const int64_t low = kClock + random_.Between(-2, 5);
    const std::string name = random_.OneIn(4) ? " time:" + random_.Pick(kFamilies) : " time";
    return name + "=" + std::to_string(low) + ".." + std::to_string(low + random_.Between(0, 4));
  }
  // Sorted and distinct, as stores return what they wrote.
  std::vector<std::string> Columns(size_t most) {
    std::map<std::string, std::string> columns;  // bytes -> as written
    for (size_t i = 0; i <= random_.Below(most); ++i) {
      const std::string column = Column();
      columns[FromStringBinary(column)] = column;
    }
    std::vector<std::string> words;
    for (const auto& [bytes, word] : columns) {
      words.push_back(word);
    }
    return words;
  }

  std::string Put(const std::string& row) {
    std::string out = "put " + row;
    for (const std::string& column : Columns(3)) {
      out += " " + column + At() + "=" + random_.Pick(kValues);
    }
    if (!few_versions_ && random_.OneIn(6)) {
      out += " ttl=" + random_.Pick<std::string>({"1", "500", "2000"});
    }
    return out;
  }

  std::string Delete(const std::string& row) {
    switch (random_.Below(few_versions_ ? 4 : 6)) {
      case 0:
        return "delete-row " + row + (random_.OneIn(2) ? "" : " ts=" + Timestamp());
      case 1:
        return "delete-family " + row + " " + random_.Pick(kFamilies) + At();
      case 2:
      case 3:
        return "delete-column " + row + " " + Column() + At();
      case 4:
        return "delete-family-version " + row + " " + random_.Pick(kFamilies) + "@" + Timestamp();
      default:
        return "delete-version " + row + " " + Column() + At();
    }
  }

  std::string Counter(const std::string& row) {
    const bool increment = random_.OneIn(2);
    std::string out = (increment ? "increment " : "append ") + row;
    for (const std::string& column : Columns(2)) {
      out += " " + column + "=" + (increment ? std::to_string(random_.Between(-3, 3)) : random_.Pick(kValues));
    }
    return out + (random_.OneIn(8) ? " no-results" : "");
  }

  std::string Condition() {
    const std::string column = Column();
    return random_.OneIn(3) ? column + " absent"
                            : column + " " + random_.Pick<std::string>({"<", "<=", "=", "!=", ">=", ">"}) + " " +
                                  random_.Pick<std::string>({"v", "w", "vv"});
  }

  // Distinct columns: HBase does not define what one mutation of a row sees of those before it.
  std::string RowMutations(const std::string& row) {
    std::string out = "mutate " + row;
    std::string between = " ";
    for (const std::string& column : Columns(4)) {
      out += std::exchange(between, " ; ");
      out += random_.OneIn(3)   ? "delete-column " + row + " " + column + At()
             : random_.OneIn(3) ? "increment " + row + " " + column + "=2"
                                : "put " + row + " " + column + At() + "=" + random_.Pick(kValues);
    }
    return out;
  }

  std::string Write() {
    const std::string row = Row();
    switch (random_.Below(10)) {
      case 0:
      case 1:
        return Delete(row);
      case 2:
        return Counter(row);
      case 3:
        return "check " + row + " " + Condition() + " then " + (random_.OneIn(3) ? Delete(row) : Put(row));
      case 4:
        return files_ && random_.OneIn(3) ? Load() : new_version_behavior_ ? Put(row) : RowMutations(row);
      case 5:
        return Delete(row);
      default:
        return Put(row);
    }
  }

  // Of few rows, so that loads, and the files of memory, often share their first or last one.
  std::string Load() {
    std::map<std::string, std::string> puts;  // by row
    for (size_t i = 0; i <= random_.Below(3); ++i) {
      const std::string row = Row();
      puts[FromStringBinary(row)] = Put(row);
    }
    std::string out = "load";
    std::string between = " ";
    for (const auto& [row, put] : puts) {
      out += std::exchange(between, " ; ") + put;
    }
    return out;
  }

  // Restores and clones of any snapshot taken before.
  std::string SnapshotOp() {
    if (snapshots_ == 0 || random_.OneIn(3)) {
      return "snapshot s" + std::to_string(snapshots_++);
    }
    const std::string name = "s" + std::to_string(random_.Below(snapshots_));
    return random_.OneIn(2) ? "restore " + name : "clone " + name + (keep_deleted_ ? "" : " major");
  }

  std::string ReadOptions() {
    std::string out;
    if (random_.OneIn(3)) {
      for (const std::string& column : Columns(3)) {
        out += " " + (random_.OneIn(4) ? column.substr(0, 1) : column);
      }
    }
    if (random_.OneIn(2)) {
      out += " versions=" + random_.Pick<std::string>({"2", "3", "all"});
    }
    if (random_.OneIn(6)) {
      out +=
          " per-family=" + std::to_string(random_.Between(0, 3)) + " offset=" + std::to_string(random_.Between(0, 2));
    }
    return out + TimeRange();
  }

  std::string Read() {
    switch (random_.Below(8)) {
      case 0:
      case 1:
        return "get " + Row() + ReadOptions();
      case 2:
        return "exists " + Row() + ReadOptions();
      case 3:
        return random_.OneIn(2) ? "first" : "last";
      case 4:
        return "multi-get " + Row() + " " + Row() + " " + Row();
      default:
        return Scan();
    }
  }

  std::string Scan() {
    std::string out = random_.Pick<std::string>({"scan", "scan", "rows", "count"}) + ReadOptions();
    if (random_.OneIn(2)) {
      out += random_.Pick<std::string>({" start=", " start-after="}) + Row();
    }
    if (random_.OneIn(2)) {
      out += random_.Pick<std::string>({" stop=", " stop-at="}) + Row();
    }
    out += random_.OneIn(2) ? " reversed" : "";
    out += random_.OneIn(4) ? " limit=" + std::to_string(random_.Between(1, 4)) : "";
    out += random_.OneIn(4) ? " batch=" + std::to_string(random_.Between(1, 3)) : "";
    return out + (random_.OneIn(4) ? " threads=2" : "");
  }

  // No "compact": where it happens to take in all files it drops markers, as HBase's does.
  std::string StoreOp() {
    if (files_ && random_.OneIn(4)) {
      return SnapshotOp();
    }
    switch (random_.Below(flush_in_ == 1000 ? 3 : 12)) {
      case 0:
        return keep_deleted_ ? "flush" : "major";
      case 1:
        return "reopen";
      case 2:
      case 3:
        return "advance " + random_.Pick<std::string>({"1ms", "3ms", "600ms", "2s"});
      default:
        return "flush";
    }
  }

  Random random_;
  const bool files_;
  bool few_versions_ = false;
  bool keep_deleted_ = false;
  bool new_version_behavior_ = false;
  size_t flush_in_ = 20;
  size_t snapshots_ = 0;
};

}  // namespace

RandomCase MakeRandomCase(uint64_t seed, size_t op_count, bool files) { return Generator(seed, files).Make(op_count); }

}  // namespace klip::ops
