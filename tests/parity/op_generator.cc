#include "parity/op_generator.h"

#include <map>
#include <utility>

#include "klip/bytes.h"

namespace klip::ops {
namespace {

constexpr int64_t kClock = 1000000;  // where sessions' clocks start
const std::vector<std::string> kFamilies = {"f", "g"};

const Alphabet kAlphabet = {
    .rows = {"\\x00", "\\x00\\x00", "\\x00\\xFF", "\\x01", "a", "a\\x00", "a\\x00\\x01", "a\\xFF", "ab", "abc", "b",
             "ba", "bab", "c", "\\xFF", "\\xFF\\xFF"},
    .qualifiers = {"", "\\x00", "p", "pq", "q", "q\\x00", "\\xFF"},
    .values = {"", "v", "w", "vw", "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07",
               "\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFE", "\\xFF\\x00"},
    .row_prefixes = {"a", "b", "\\xFF", "\\x00"},
};

}  // namespace

const std::vector<std::string>& TableShapes() {
  static const std::vector<std::string> kShapes = {
      "f g",
      "f(VERSIONS=1000) g(VERSIONS=1000,BLOOMFILTER=ROWCOL)",
      "f(VERSIONS=1000,BLOOMFILTER=NONE,BLOCKSIZE=1024) g(VERSIONS=1000) splits=a\\x00,b",
      "f(VERSIONS=2) g(VERSIONS=3,BLOCKSIZE=1024) splits=a",
      "f(VERSIONS=3,TTL=2,MIN_VERSIONS=1) g(VERSIONS=3,TTL=2,MIN_VERSIONS=2)",
      "f(VERSIONS=1000,TTL=1) g(VERSIONS=1000,TTL=3)",
      "f(VERSIONS=1000,KEEP_DELETED_CELLS=TRUE) g(VERSIONS=1000,KEEP_DELETED_CELLS=TRUE)",
      "f(VERSIONS=1000,KEEP_DELETED_CELLS=TTL,TTL=2) g(VERSIONS=1000,KEEP_DELETED_CELLS=TRUE,TTL=3) splits=b",
      "f(VERSIONS=2,KEEP_DELETED_CELLS=TRUE) g(VERSIONS=3,KEEP_DELETED_CELLS=TRUE,TTL=2,MIN_VERSIONS=1)",
      "f(VERSIONS=1000,NEW_VERSION_BEHAVIOR=true) g(VERSIONS=1000,NEW_VERSION_BEHAVIOR=true)",
      "f(VERSIONS=2,NEW_VERSION_BEHAVIOR=true) g(VERSIONS=1,NEW_VERSION_BEHAVIOR=true) splits=a",
      "f(VERSIONS=1000) g(VERSIONS=1,BLOOMFILTER=ROWPREFIX_FIXED_LENGTH,BLOOM_PREFIX=1)",
  };
  return kShapes;
}

std::string OpGenerator::Column() {
  std::string qualifier = random_.Pick(alphabet_.qualifiers);
  if (qualifier.empty() && traits_.new_version_behavior) {
    qualifier = "p";  // left_out.h: nvb-empty-qualifier
  }
  return random_.Pick(kFamilies) + ":" + qualifier;
}
std::string OpGenerator::At() { return !traits_.cell_ttl && random_.OneIn(2) ? "" : "@" + Timestamp(); }
std::string OpGenerator::Timestamp() {
  if (traits_.cell_ttl) {
    return std::to_string(kClock - 5000 + ++last_timestamp_);  // left_out.h: same-time-ttl
  }
  return std::to_string(random_.OneIn(8) ? random_.Between(0, 9) : kClock + random_.Between(-2, 4));
}

std::string OpGenerator::TimeRange(const std::string& name) {
  const int64_t low = random_.OneIn(4) ? 0 : kClock + random_.Between(-2, 5);
  if (random_.OneIn(6)) {
    return " " + name + "=" + std::to_string(low);
  }
  const int64_t high = low == 0 ? kClock + random_.Between(-2, 5) : low + random_.Between(0, 4);
  return " " + name + "=" + std::to_string(low) + ".." + (random_.OneIn(4) ? "" : std::to_string(high));
}

// Sorted and distinct.
std::vector<std::string> OpGenerator::Columns(size_t most) {
  std::map<std::string, std::string> columns;  // bytes -> as written
  for (size_t count = 1 + random_.Below(most); count > 0; --count) {
    const std::string column = Column();
    columns[FromStringBinary(column)] = column;
  }
  std::vector<std::string> words;
  for (const auto& [bytes, word] : columns) {
    words.push_back(word);
  }
  return words;
}

std::string OpGenerator::Put(const std::string& row) {
  std::string out = "put " + row;
  for (const std::string& column : Columns(3)) {
    out += " " + column + At() + "=" + random_.Pick(alphabet_.values);
  }
  if (traits_.cell_ttl && random_.OneIn(3)) {
    out += " ttl=" + random_.Pick<std::string>({"3000", "5200", "7000"});
  }
  return out + (!traits_.cell_ttl && random_.OneIn(12) ? " ts=" + Timestamp() : "");
}

std::string OpGenerator::Delete(const std::string& row) {
  switch (random_.Below(8)) {
    case 0:
      return "delete-row " + row + (random_.OneIn(2) ? "" : " ts=" + Timestamp());
    case 1:
      return "delete-family " + row + " " + random_.Pick(kFamilies) + At();
    case 2:
    case 3:
    case 4:
      return "delete-column " + row + " " + Column() + At();
    case 5:
      return "delete-family-version " + row + " " + random_.Pick(kFamilies) + "@" + Timestamp();
    default:
      return "delete-version " + row + " " + Column() + At();
  }
}

std::string OpGenerator::Counter(const std::string& row) {
  const bool increment = random_.OneIn(2);
  std::string out = (increment ? "increment " : "append ") + row;
  for (const std::string& column : Columns(2)) {
    out += " " + column + "=" + (increment ? std::to_string(random_.Between(-3, 3)) : random_.Pick(alphabet_.values));
  }
  out += traits_.cell_ttl && random_.OneIn(4) ? " ttl=" + random_.Pick<std::string>({"1", "500", "2000"}) : "";
  out += random_.OneIn(8) ? TimeRange("time") : "";
  return out + (random_.OneIn(8) ? " no-results" : "");
}

std::string OpGenerator::Condition() {
  const std::string column = Column();
  std::string out = random_.OneIn(3) ? column + " absent"
                                     : column + " " + random_.Pick<std::string>({"<", "<=", "=", "!=", ">=", ">"}) +
                                           " " + random_.Pick<std::string>({"v", "w", "vv", "\"\""});
  return out + (random_.OneIn(6) ? TimeRange("time") : "");
}

std::string OpGenerator::Check(const std::string& row) {
  std::string action;
  switch (random_.Below(5)) {
    case 0:
      action = Delete(row);
      break;
    case 1:
      action = Counter(row);
      break;
    case 2:
      action = RowMutations(row).substr(("mutate " + row + " ").size());
      break;
    default:
      action = Put(row);
  }
  return "check " + row + " " + Condition() + " then " + action;
}

// Distinct columns: HBase does not define what one mutation of a row sees of those before it.
std::string OpGenerator::RowMutations(const std::string& row) {
  std::string out = "mutate " + row;
  std::string between = " ";
  for (const std::string& column : Columns(4)) {
    out += std::exchange(between, " ; ");
    out += random_.OneIn(3)   ? "delete-column " + row + " " + column + At()
           : random_.OneIn(3) ? "increment " + row + " " + column + "=2"
           : random_.OneIn(3) ? "append " + row + " " + column + "=v"
                              : "put " + row + " " + column + At() + "=" + random_.Pick(alphabet_.values);
  }
  return out;
}

// Of distinct rows: HBase promises no order between the actions of a batch.
std::string OpGenerator::Batch() {
  std::string out = "batch";
  std::string between = " ";
  std::map<std::string, bool> rows;
  for (size_t count = 1 + random_.Below(4); count > 0; --count) {
    const std::string row = Row();
    if (std::exchange(rows[row], true)) {
      continue;
    }
    out += std::exchange(between, " ; ");
    switch (random_.Below(5)) {
      case 0:
        out += "get " + row;
        break;
      case 1:
        out += Delete(row);
        break;
      case 2:
        out += Counter(row);
        break;
      case 3:
        out += random_.OneIn(3) ? "put " + row + " nof:q=1" : Put(row);
        break;
      default:
        out += Put(row);
    }
  }
  return out;
}

std::string OpGenerator::Write() {
  const std::string row = Row();
  switch (random_.Below(12)) {
    case 0:
    case 1:
    case 2:
      return Delete(row);
    case 3:
    case 4:
      return Counter(row);
    case 5:
      return Check(row);
    case 6:
      return RowMutations(row);
    case 7:
      return Batch();
    default:
      return Put(row);
  }
}

std::string OpGenerator::ReadOptions() {
  std::string out;
  if (random_.OneIn(3)) {
    // A family, or columns of it: given both, HBase's client forgets one.
    const bool whole[] = {random_.OneIn(4), random_.OneIn(4)};
    for (const std::string& column : Columns(3)) {
      const std::string family = " " + column.substr(0, 1);
      const std::string word = whole[column[0] - 'f'] ? family : " " + column;
      out += out.ends_with(word) ? "" : word;
    }
  }
  if (random_.OneIn(2)) {
    out += " versions=" + random_.Pick<std::string>({"2", "3", "all"});
  }
  if (random_.OneIn(6)) {
    out += " per-family=" + std::to_string(random_.Between(0, 3));
  }
  if (random_.OneIn(6)) {
    out += " offset=" + std::to_string(random_.Between(0, 2));
  }
  if (random_.OneIn(4)) {
    out += TimeRange(random_.OneIn(4) ? "time:" + random_.Pick(kFamilies) : "time");
  }
  return out;
}

std::string OpGenerator::ScanOptions() {
  std::string out;
  if (random_.OneIn(8)) {
    out += " prefix=" + random_.Pick(alphabet_.row_prefixes);
  } else {
    out += random_.OneIn(2) ? random_.Pick<std::string>({" start=", " start-after="}) + Row() : "";
    out += random_.OneIn(2) ? random_.Pick<std::string>({" stop=", " stop-at="}) + Row() : "";
    out += random_.OneIn(3) ? " reversed" : "";
  }
  out += random_.OneIn(4) ? " limit=" + std::to_string(random_.Between(1, 4)) : "";
  out += random_.OneIn(4) ? " batch=" + std::to_string(random_.Between(1, 3)) : "";
  return out;
}

std::string OpGenerator::Scan() {
  if (random_.OneIn(6)) {
    return "scan raw versions=" + random_.Pick<std::string>({"1", "2", "all"}) + ScanOptions() +
           (random_.OneIn(3) ? TimeRange("time") : "");
  }
  if (random_.OneIn(12)) {
    return "scan" + ReadOptions() + ScanOptions() + " partial=" + std::to_string(random_.Between(1, 300));
  }
  return random_.Pick<std::string>({"scan", "scan", "rows", "count"}) + ReadOptions() + ScanOptions();
}

std::string OpGenerator::Read() {
  switch (random_.Below(10)) {
    case 0:
    case 1:
    case 2:
      return "get " + Row() + ReadOptions() + (random_.OneIn(8) ? " existence" : "");
    case 3:
      return "exists " + Row() + ReadOptions();
    case 4:
      return random_.OneIn(2) ? "first" : "last";
    case 5:
      return "multi-get " + Row() + " " + Row() + " " + Row();
    default:
      return Scan();
  }
}

CaseTraits TraitsOf(const std::string& create) {
  CaseTraits traits;
  traits.few_versions =
      create.find("VERSIONS=1000") == std::string::npos || create.find("VERSIONS=1,") != std::string::npos;
  traits.one_version = create.starts_with("create t f g") || create.find("VERSIONS=1,") != std::string::npos;
  traits.keep_deleted = create.find("KEEP_DELETED") != std::string::npos;
  traits.min_versions = create.find("MIN_VERSIONS") != std::string::npos;
  traits.expires = create.find("TTL=") != std::string::npos;
  traits.new_version_behavior = create.find("NEW_VERSION") != std::string::npos;
  return traits;
}

ConnectionOptions RandomOptions(Random& random) {
  ConnectionOptions options;
  options.memtable_bytes = random.OneIn(2) ? 256 << 10 : 16 << 20;
  options.block_cache_bytes = random.OneIn(2) ? 64 << 10 : 8 << 20;
  options.sync_wal = false;
  return options;
}

ParityCase MakeOpCase(uint64_t seed, size_t op_count, std::map<std::string_view, size_t>* left_out) {
  Random random(seed);
  ParityCase out{.seed = seed};
  out.options = RandomOptions(random);
  out.ops.push_back("create t " + random.Pick(TableShapes()));
  CaseTraits traits = TraitsOf(out.ops[0]);
  traits.flushes = random.OneIn(2);
  traits.cell_ttl = random.OneIn(3);
  if (traits.keep_deleted) {
    // left_out.h: keep-deleted-major. A put older than all markers, in each region.
    out.ops.push_back("put \\x00! f:!@0=! g:!@0=!");
    out.ops.push_back("put a! f:!@0=! g:!@0=!");
    out.ops.push_back("put b! f:!@0=! g:!@0=!");
  }
  const size_t store_op_in = random.Pick<size_t>({8, 20, 60});
  OpGenerator generator(random, traits, kAlphabet);
  while (out.ops.size() < op_count) {
    std::string op;
    if (!random.OneIn(store_op_in)) {
      op = random.OneIn(2) ? generator.Write() : generator.Read();
    } else if (!traits.flushes || random.OneIn(4)) {
      op = "advance " + random.Pick<std::string>({"1ms", "3ms", "600ms", "2s"});
    } else {
      op = random.OneIn(3) ? "major" : "flush";
    }
    if (const std::string_view reason = LeftOut(traits, op); !reason.empty()) {
      ++(*left_out)[reason];
      continue;
    }
    out.ops.push_back(std::move(op));
  }
  out.ops.push_back("scan versions=all");
  out.ops.push_back("scan versions=all reversed");
  return out;
}

}  // namespace klip::ops
