// Compares indexes with brute force: random histories of every kind of write, with old timestamps, TTLs on a moving
// clock, flushes and compactions. After each step, the entries that readers accept must match a Get of every row.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "klip/index.h"
#include "rowkey/index_expression.h"
#include "table/admin/region_truncation.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"
#include "table/read/index_entry.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

constexpr int kTwinRows = 4;

// In place of SQL: "a+c" is the values of these columns, "-" for a missing one; NULL if the first one is "y". A lone letter is true for
// "x". "a/c/b" is "w" if only the first one of the first two is missing, else "v".
class TwinExpression final : public rowkey::IndexExpression {
 public:
  explicit TwinExpression(std::string text) : text_(std::move(text)) {
    for (size_t i = 0; i < text_.size(); i += 2) {
      inputs_.emplace_back(text_[i] == 'b' ? "g" : "f", text_.substr(i, 1));
    }
  }

  inline static int computed = 0;  // values

  const std::string& identity() const override { return text_; }
  const std::vector<std::pair<std::string, std::string>>& inputs() const override { return inputs_; }
  Expected<std::optional<std::string>> ValueOf(std::string_view /*row*/,
                                               std::span<const std::optional<std::string_view>> cells) const override {
    ++computed;
    std::optional<std::string> value;
    if (std::ranges::none_of(cells, [](const auto& cell) { return cell.has_value(); })) {
      return value;
    }
    if (text_.find('/') != std::string::npos) {
      return std::optional<std::string>(!cells[0].has_value() && cells[1].has_value() ? "w" : "v");
    }
    if (cells[0] == "y") {
      return value;
    }
    value.emplace();
    for (const std::optional<std::string_view>& cell : cells) {
      value->append(cell.value_or("-"));
    }
    return text_.size() == 1 ? (value == "x" ? std::optional(std::string(rowkey::kTrue)) : std::nullopt) : value;
  }

 private:
  std::string text_;
  std::vector<std::pair<std::string, std::string>> inputs_;
};

Expected<std::shared_ptr<const rowkey::IndexExpression>> MakeTwinExpression(const std::string& expression,
                                                                            const std::string& /*sql_table*/,
                                                                            const TableDescriptor& /*table*/) {
  return std::shared_ptr<const rowkey::IndexExpression>(std::make_shared<TwinExpression>(expression));
}

struct TwinIndex {
  const char* name;
  const char* text;
};
constexpr TwinIndex kTwinIndexes[] = {
    {"a", "f:a text"},
    {"covered", "f:a text, g:b text(3) INCLUDE f:c, g:b"},
    {"part", "g:b text(3), key.k WHERE f:c = 'x'"},
    {"count", "f:n i64 desc"},
    {"upper", "upper(f:a) text, bucket(key.r, 2)"},
    {"skip", "f:a text(1), g:b text(3) SKIP INVALID"},  // appends make f:a longer
    {"hash", "hash(g:b, 3), bucket(f:c, 5) WHERE f:a = 'y'"},
    {"computed", "sql('a+c') text FOR 't'"},
    {"computed_covered", "sql('c+b') text, f:a text INCLUDE f:a, g:b FOR 't'"},
    {"computed_flip", "sql('a/c/b') text FOR 't'"},
    {"computed_part", "sql('b+a+c') text, key.r WHERE sql('c') FOR 't'"},
    {"optional", "f:a text optional, g:b text(3) optional"},
    {"optional_part", "f:n i64 desc optional, key.r WHERE f:c = 'x'"},
    {"optional_skip", "f:a text(1) optional, g:b text(3) SKIP INVALID"},
    {"optional_sql", "sql('a+c') text optional, hash(f:c, 2) optional FOR 't'"},
    {"optional_include", "f:n i64 optional INCLUDE f:a, g:b"},
    {"covered_optional", "f:a text, f:n i64 desc optional INCLUDE f:c, g:b"},
    {"a_past", "f:a text HISTORY"},
    {"covered_past", "f:a text, g:b text(3) INCLUDE f:c, g:b HISTORY"},
    {"part_past", "g:b text(3), key.k WHERE f:c = 'x' HISTORY"},
    {"skip_past", "f:a text(1), g:b text(3) SKIP INVALID HISTORY"},
    {"all_past", "f:a text, g:b text(3), f:c text, f:n i64 desc HISTORY"},  // soon has too many combinations
};

class IndexTwinTest : public TableTest, public testing::WithParamInterface<int> {
 protected:
  IndexTwinTest() : TableTest(TempDirectory::Where::kMemory) {  // loads sync files
    rowkey::SetIndexExpressionMaker(&MakeTwinExpression);
  }
  ~IndexTwinTest() override { rowkey::SetIndexExpressionMaker(nullptr); }

  void Make(const FamilyDescriptor& policy) {
    FamilyDescriptor f = policy;
    f.name = "f";
    std::map<std::string, std::string> attributes = {{"KLIP_ROW_KEY", "k:text(1) r:digits(1)"}};
    for (const TwinIndex& index : kTwinIndexes) {
      attributes[std::string("KLIP_INDEX$") + index.name] = index.text;
    }
    Create("t", {f, Family("g", 2)}, attributes, {"k2"});
  }

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool Rarely() { return Pick(6) == 0; }
  std::string Row() { return "k" + std::to_string(Pick(kTwinRows)); }
  std::string Value() { return std::string(1, static_cast<char>('x' + Pick(2))); }
  int64_t Time() { return Pick(3) == 0 ? kLatestTimestamp : now_ms_ - Pick(8) * 250 + (Rarely() ? 500 : 0); }
  std::pair<std::string, std::string> Column() {
    return std::vector<std::pair<std::string, std::string>>{{"f", "a"}, {"g", "b"}, {"f", "c"}}[Pick(3)];
  }

  klip::Put RandomPut() {
    klip::Put put = {.row = Row()};
    put.ttl_ms = Rarely() ? 100 + Pick(8) * 250 : 0;
    for (int i = Pick(3); i >= 0; --i) {
      const auto [family, qualifier] = Column();
      put.Add(family, qualifier, Value(), Time());
    }
    if (Rarely()) {
      put.Add("f", "n", BigEndian<int64_t>(Pick(3) - 1), Time());
    }
    return put;
  }
  klip::Delete RandomDelete() {
    klip::Delete del = {.row = Row()};
    const auto [family, qualifier] = Column();
    const int64_t at_ms = Time();
    switch (Pick(6)) {
      case 0:
        del.timestamp_ms = at_ms;
        return del;
      case 1:
        return del.AddFamily(family, at_ms);
      case 2:
        return del.AddFamilyVersion(family, at_ms == kLatestTimestamp ? now_ms_.load() : at_ms);
      case 3:
        return del.AddColumns(family, qualifier, at_ms).AddColumns("f", "n", at_ms);
      default:
        return del.AddColumn(family, qualifier, at_ms);
    }
  }
  Mutation RandomMutation() { return Pick(3) == 0 ? Mutation(RandomDelete()) : Mutation(RandomPut()); }

  // Sends the cells as a source of replication does.
  Status Replicate() {
    auto& connection = static_cast<EmbeddedConnection&>(*connection_);
    const std::string row = Row();
    const auto [family, qualifier] = Column();
    const std::string value = Value();
    const int64_t at_ms = now_ms_ - Pick(8) * 250;
    const CellType type =
        std::vector<CellType>{CellType::kPut, CellType::kPut, CellType::kDelete, CellType::kDeleteColumn}[Pick(4)];
    const std::vector<Cell> cells = {
        {row, family, qualifier, at_ms, type, type == CellType::kPut ? std::string_view(value) : std::string_view()}};
    return (*connection.OpenTable("t"))->Replicate(cells, {{}});
  }

  // Cells of every kind, as HFiles have them.
  Status Load() {
    std::vector<Cell> cells;
    const std::string value = Value();
    for (const char* const family : {"f", "g"}) {
      for (const char* const qualifier : {"", "a", "b", "c"}) {
        const int64_t at_ms = now_ms_ - Pick(8) * 250;
        constexpr CellType kOfFamily[] = {CellType::kDeleteFamily, CellType::kDeleteFamilyVersion};
        constexpr CellType kOfColumn[] = {CellType::kPut, CellType::kPut, CellType::kDelete, CellType::kDeleteColumn};
        if (const CellType type = *qualifier == '\0' ? kOfFamily[Pick(2)] : kOfColumn[Pick(4)];
            Pick(type == CellType::kPut ? 2 : 4) == 0) {
          cells.push_back({"", family, qualifier, at_ms, type, type == CellType::kPut ? std::string_view(value) : ""});
        }
      }
    }
    auto loader = connection_->NewBulkLoader("t");
    KLIP_RETURN_IF_ERROR(loader.status());
    for (const char* const row : {"k0", "k1", "k2", "k3"}) {
      for (Cell& cell : cells) {
        cell.row = row;
      }
      KLIP_RETURN_IF_ERROR(Pick(2) == 0 ? Status::Ok() : (*loader)->Add(cells));
    }
    return (*loader)->Finish();
  }

  // Takes a snapshot and restores it at once. Its flush may drop surplus versions.
  Status Restore() {
    KLIP_RETURN_IF_ERROR(admin().Snapshot("s", "t"));
    KLIP_RETURN_IF_ERROR(admin().DisableTable("t"));
    KLIP_RETURN_IF_ERROR(admin().RestoreSnapshot("s"));
    KLIP_RETURN_IF_ERROR(admin().EnableTable("t"));
    return admin().DeleteSnapshot("s");
  }

  // Executes one step, and describes it for messages.
  std::string Step() {
    Status status;
    std::string what;
    switch (Pick(22)) {
      case 0:
      case 1:
        what = "put", status = table_->Put(RandomPut());
        break;
      case 2:
      case 3:
        what = "delete", status = table_->Delete(RandomDelete());
        break;
      case 4:
        what = "increment";
        status = table_->Increment({.row = Row(), .columns = {{"f", "n", Pick(3) - 1}}}).status();
        break;
      case 5:
        what = "append";
        status = table_->Append({.row = Row(), .columns = {{"f", "a", Value()}}}).status();
        break;
      case 6: {
        what = "mutate";
        RowMutations mutations = {.row = Row(), .mutations = {RandomPut(), RandomDelete(), RandomPut()}};
        for (Mutation& mutation : mutations.mutations) {
          std::visit([&](auto& one) { one.row = mutations.row; }, mutation);
        }
        status = table_->Mutate(mutations).status();
        break;
      }
      case 7: {
        what = "check and mutate";
        klip::Put put = RandomPut();
        klip::CheckAndMutate check;
        check.row = put.row;
        check.condition = {.family = "f", .qualifier = "a", .op = CompareOp::kEqual, .value = Value()};
        check.action = put;
        status = table_->CheckAndMutate(check).status();
        break;
      }
      case 8: {
        what = "batch";
        const std::vector<Action> actions = {RandomPut(), RandomDelete(), RandomPut()};
        for (const Expected<Result>& result : table_->Batch(actions)) {
          status = status.ok() ? result.status() : status;
        }
        break;
      }
      case 9: {
        what = "puts";
        const std::vector<klip::Put> puts = {RandomPut(), RandomPut(), RandomPut(), RandomPut()};
        status = table_->Put(puts);
        break;
      }
      case 10: {
        what = "apply";
        AtomicBatch batch;
        batch.steps = {{"t", RandomMutation()}, {"t", RandomMutation()}};
        status = connection_->Apply(batch).status();
        break;
      }
      case 11:
        what = "replicate", status = Replicate();
        break;
      case 12:
        what = "flush", status = admin().Flush("t", Pick(2) == 0 ? "f" : "");
        break;
      case 13:
        what = "compact", status = admin().Compact("t");
        break;
      case 14:
        what = "major compact", status = admin().MajorCompact("t");
        break;
      case 15:
      case 16:
        what = "load", status = Load();
        break;
      case 17:
        what = "truncate";
        status = Rarely() ? TruncateRegion(&static_cast<EmbeddedConnection&>(*connection_).shared(), "t",
                                           Pick(2) == 0 ? "" : "k2")
                          : Status::Ok();
        break;
      case 18:
        what = "restore", status = Rarely() ? Restore() : Status::Ok();
        break;
      case 19: {
        const char* const index =
            kTwinIndexes[static_cast<size_t>(Pick(static_cast<int>(std::size(kTwinIndexes))))].name;
        what = "rebuild";
        status = Rarely() ? (*admin().indexes())->RebuildIndex("t", index) : Status::Ok();
        break;
      }
      default:
        what = "time", now_ms_ += Pick(4) * 200;
        break;
    }
    EXPECT_TRUE(status.ok()) << what << ": " << status.ToString();
    return what;
  }

  // The key bytes of the index's fields for a row, computed separately; none: the row has no entry.
  static std::optional<std::string> FieldsByHand(std::string_view index, const Result& row) {
    index = index.substr(0, index.find("_past"));
    const Cell* const a = row.Find("f", "a");
    const Cell* const b = row.Find("g", "b");
    const Cell* const c = row.Find("f", "c");
    const Cell* const n = row.Find("f", "n");
    const auto padded = [](const Cell* cell) { return std::string(cell->value) + "  "; };
    if (index == "a" && a != nullptr) {
      return std::string(a->value) + '\0';
    }
    if (index == "all" && a != nullptr && b != nullptr && c != nullptr && n != nullptr) {
      return std::string(a->value) + '\0' + padded(b) + std::string(c->value) + '\0' + Flipped(*n);
    }
    if (index == "covered" && a != nullptr && b != nullptr) {
      return std::string(a->value) + '\0' + padded(b);
    }
    if (index == "part" && b != nullptr && c != nullptr && c->value == "x") {
      return padded(b) + "k";
    }
    if (index == "skip" && a != nullptr && a->value.size() == 1 && b != nullptr) {
      return std::string(a->value) + padded(b);
    }
    const auto bucket = [](std::string_view value, uint32_t buckets) {  // by the first 4 bytes of its MD5
      return static_cast<char>(ReadBigEndian<uint32_t>(base::Md5(value).data()) % buckets);
    };
    if (index == "upper" && a != nullptr) {
      std::string upper(a->value);
      for (char& letter : upper) {
        letter = static_cast<char>(letter - 'x' + 'X');
      }
      return upper + '\0' + bucket(row.row().substr(1), 2);
    }
    if (index == "hash" && a != nullptr && a->value == "y" && b != nullptr && c != nullptr) {
      return base::Md5(b->value).substr(0, 3) + bucket(c->value, 5);
    }
    if (index.find("optional") != std::string_view::npos) {
      return OptionalByHand(index, row);
    }
    if (index.starts_with("computed")) {
      return ComputedByHand(index, a, b, c, row.empty() ? "" : row.row().substr(1));
    }
    if (index == "count" && n != nullptr) {
      return Flipped(*n);
    }
    return std::nullopt;
  }
  static std::optional<std::string> OptionalByHand(std::string_view index, const Result& row) {
    const Cell* const a = row.Find("f", "a");
    const Cell* const b = row.Find("g", "b");
    const Cell* const c = row.Find("f", "c");
    const Cell* const n = row.Find("f", "n");
    const auto text = [](const Cell* cell) {
      return cell == nullptr ? std::string(2, '\0') : '\x01' + std::string(cell->value) + '\0';
    };
    const std::string descending = n == nullptr ? '\xFF' + std::string(8, '\0') : '\xFE' + Flipped(*n);
    if (index == "optional" && (a != nullptr || b != nullptr)) {
      return text(a) + (b == nullptr ? std::string(4, '\0') : '\x01' + std::string(b->value) + "  ");
    }
    if (index == "optional_part" && c != nullptr && c->value == "x") {
      return descending + std::string(row.row().substr(1));
    }
    if (index == "optional_skip" && b != nullptr && (a == nullptr || a->value.size() == 1)) {
      return (a == nullptr ? std::string(2, '\0') : '\x01' + std::string(a->value)) + std::string(b->value) + "  ";
    }
    if (index == "optional_sql" && (a != nullptr || c != nullptr)) {
      const std::optional<std::string> joined = ComputedByHand("computed", a, b, c, "");
      return (joined.has_value() ? '\x01' + *joined : std::string(2, '\0')) +
             (c == nullptr ? std::string(3, '\0') : '\x01' + base::Md5(c->value).substr(0, 2));
    }
    if (index == "optional_include" && (a != nullptr || b != nullptr || n != nullptr)) {
      std::string flipped = n == nullptr ? std::string() : Flipped(*n);
      std::ranges::transform(flipped, flipped.begin(), [](char byte) { return static_cast<char>(~byte); });
      return n == nullptr ? std::string(9, '\0') : '\x01' + flipped;
    }
    if (index == "covered_optional" && a != nullptr) {
      return std::string(a->value) + '\0' + descending;
    }
    return std::nullopt;
  }
  static std::optional<std::string> ComputedByHand(std::string_view index, const Cell* a, const Cell* b, const Cell* c,
                                                   std::string_view r) {
    const auto text = [](std::initializer_list<const Cell*> cells) -> std::optional<std::string> {
      std::string joined;
      bool any = false;
      for (const Cell* const cell : cells) {
        joined += cell == nullptr ? "-" : cell->value;
        any = any || cell != nullptr;
      }
      const Cell* const first = *cells.begin();
      return any && (first == nullptr || first->value != "y") ? std::optional(joined + '\0') : std::nullopt;
    };
    if (index == "computed") {
      return text({a, c});
    }
    if (index == "computed_flip") {
      const bool none = a == nullptr && b == nullptr && c == nullptr;
      return none ? std::nullopt : std::optional((a == nullptr && c != nullptr ? "w" : "v") + std::string(1, '\0'));
    }
    if (index == "computed_covered") {
      const std::optional<std::string> first = text({c, b});
      return a == nullptr || !first.has_value() ? std::nullopt : std::optional(*first + std::string(a->value) + '\0');
    }
    const std::optional<std::string> first = text({b, a, c});
    return c == nullptr || c->value != "x" || !first.has_value() ? std::nullopt
                                                                 : std::optional(*first + std::string(r));
  }
  static std::string Flipped(const Cell& n) {  // of i64 desc
    const auto flipped = static_cast<uint64_t>(ReadBigEndian<int64_t>(n.value.data())) ^ (uint64_t{1} << 63);
    return BigEndian<uint64_t>(~flipped);
  }

  // A Get of each row.
  std::vector<Result> Rows() {
    std::vector<Result> rows;
    for (int i = 0; i < kTwinRows; ++i) {
      rows.push_back(*table_->Get({.row = "k" + std::to_string(i)}));
    }
    return rows;
  }

  // The entries of an index, by Gets of the rows and by the index. Covered columns follow.
  std::set<std::string> ByRows(std::string_view index, const std::vector<Result>& rows) {
    std::set<std::string> entries;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (const auto fields = FieldsByHand(index, rows[i]); fields.has_value()) {
        entries.insert(*fields + "k" + std::to_string(i) + (index.starts_with("covered") ? CoveredText(rows[i]) : ""));
      }
    }
    return entries;
  }
  static std::string CoveredText(const Result& row) {
    std::string out;
    for (const auto& [family, qualifier] : {std::pair("f", "c"), std::pair("g", "b")}) {
      const Cell* const cell = row.Find(family, qualifier);
      out += cell == nullptr ? " -" : " " + std::to_string(cell->timestamp_ms) + "=" + std::string(cell->value);
    }
    return out;
  }
  static std::string CoveredText(const TableIndex& index, const EntryScanner::Entry& entry) {
    std::string out;
    for (const auto& [family, qualifier] : {std::pair("f", "c"), std::pair("g", "b")}) {
      const CoveredColumn* const cell = entry.Covered(*index.definition.ColumnIndex(family, qualifier));
      out += cell == nullptr ? " -" : " " + std::to_string(cell->timestamp_ms) + "=" + std::string(cell->value);
    }
    return out;
  }
  std::set<std::string> ByIndex(const std::string& name) {
    auto& connection = static_cast<EmbeddedConnection&>(*connection_);
    const InfoPtr info = *(*connection.FindSlot("t"))->Current();
    const TableIndex& index = *info->indexes->Find(name);
    const Limits limits;
    Expected<EntryScanner> scanner = EntryScanner::Open(RowSource(&connection.store(), limits), *info, index, {});
    std::set<std::string> entries;
    EntryScanner::Entry entry;
    for (Expected<bool> more = scanner->Next(&entry); more.ok() && *more; more = scanner->Next(&entry)) {
      std::string text(entry.key);
      if (name.starts_with("covered")) {
        text += entry.certain ? CoveredText(index, entry) : CoveredText(*table_->Get({.row = std::string(entry.row)}));
      }
      EXPECT_TRUE(entries.insert(text).second) << "twice: " << ToStringBinary(text);
      ++(entry.certain ? certain_ : checked_);
    }
    return entries;
  }

  void CheckEntries(const std::string& history) {
    std::map<std::string, std::set<std::string>> entries;
    std::vector<Result> rows;
    std::string before;
    do {  // a compaction in the background may change what Gets show
      rows = Rows();
      before = TextOf(rows);
      for (const TwinIndex& index : kTwinIndexes) {
        entries[index.name] = ByIndex(index.name);
      }
    } while (TextOf(Rows()) != before);
    for (const TwinIndex& index : kTwinIndexes) {
      ASSERT_EQ(entries[index.name], ByRows(index.name, rows)) << "index " << index.name << ", " << history;
    }
  }
  static std::string TextOf(const std::vector<Result>& rows) {
    std::string text;
    for (const Result& row : rows) {
      for (const Cell& cell : row) {
        text += std::string(cell.family) + ":" + std::string(cell.qualifier) + "@" + std::to_string(cell.timestamp_ms) +
                "=" + std::string(cell.value) + ";";
      }
      text += "\n";
    }
    return text;
  }

  // The rows that "skip" has to record, by Gets, and those that it has recorded: maybe more.
  void CheckSkippedRows(const std::string& history) {
    auto& connection = static_cast<EmbeddedConnection&>(*connection_);
    const InfoPtr info = *(*connection.FindSlot("t"))->Current();
    const Limits limits;
    const std::vector<std::string> recorded =
        *RecordedRows(RowSource(&connection.store(), limits), *info->indexes->Find("skip"), kSkipped);
    skipped_now_ = 0;
    for (int i = 0; i < kTwinRows; ++i) {
      const std::string key = "k" + std::to_string(i);
      const Expected<Result> row = table_->Get({.row = key});
      const Cell* const a = row->Find("f", "a");
      if (a != nullptr && a->value.size() != 1 && row->Find("g", "b") != nullptr) {
        ++skipped_;
        ++skipped_now_;
        ASSERT_NE(std::ranges::find(recorded, key), recorded.end()) << key << ": " << history;
      }
    }
    recorded_ += static_cast<int64_t>(recorded.size());
    too_many_ += static_cast<int64_t>(
        RecordedRows(RowSource(&connection.store(), limits), *info->indexes->Find("all_past"), kTooMany)->size());
  }

  // A filter of conditions that indexes answer, on any version or on the newest that the scan sees.
  FilterPtr RandomConditions() {
    std::vector<FilterPtr> filters;
    for (const auto& [family, qualifier] : {std::pair("f", "a"), std::pair("g", "b"), std::pair("f", "c")}) {
      for (int i = Pick(3) == 0 ? 2 : 1; i > 0; --i) {
        constexpr CompareOp kOps[] = {CompareOp::kEqual, CompareOp::kEqual, CompareOp::kLessOrEqual,
                                      CompareOp::kGreaterOrEqual};
        SingleColumnValue condition = {.family = family, .qualifier = qualifier, .op = kOps[Pick(4)]};
        condition.comparator = BinaryComparator(Value());
        condition.filter_if_missing = Pick(12) != 0;
        condition.latest_version_only = Pick(3) != 0;
        filters.push_back(SingleColumnValueFilter(condition));
      }
    }
    const CompareOp op = Pick(2) == 0 ? CompareOp::kEqual : CompareOp::kLess;
    filters.push_back(SingleColumnValueFilter({.family = "f",
                                               .qualifier = "n",
                                               .op = op,
                                               .comparator = BinaryComparator(BigEndian<int64_t>(Pick(3) - 1)),
                                               .filter_if_missing = true}));
    std::shuffle(filters.begin(), filters.end(), random_);
    filters.resize(static_cast<size_t>(1 + Pick(static_cast<int>(filters.size()))));
    const FilterPtr all = FilterList(ListOperator::kMustPassAll, filters);
    return Rarely() ? FilterList(ListOperator::kMustPassOne, {all, filters.front()}) : all;
  }
  klip::Scan RandomScanOfThePast() {
    klip::Scan scan = {.filter = RandomConditions()};
    const auto range = [&] {
      const int64_t from = now_ms_ - Pick(12) * 250;
      return TimeRange{Pick(2) == 0 ? 0 : from, Pick(3) == 0 ? kLatestTimestamp : from + 1 + Pick(6) * 250};
    };
    if (Pick(4) != 0) {
      scan.time_range = range();
    }
    if (Pick(4) == 0) {
      scan.family_time_ranges[Pick(2) == 0 ? "f" : "g"] = range();
    }
    scan.max_versions = Pick(2) == 0 ? 1 + Pick(4) : 1;
    scan.reversed = Rarely();
    scan.limit_rows = Pick(3) == 0 ? 1 + Pick(3) : 0;
    if (Rarely()) {
      scan.columns = {{"f", "c"}, {"g", "b"}};
    }
    return scan;
  }

  // Scans of the past by each index return what they return without one.
  void CheckPast(const std::string& history) {
    for (int i = 0; i < 3; ++i) {
      klip::Scan scan = RandomScanOfThePast();
      const std::vector<Explain::Candidate> plans = table_->Explain(scan)->candidates;
      scan.plan = "full walk";
      const std::string rows = ScanText(*table_, scan);
      for (const Explain::Candidate& plan : plans) {
        scan.plan = plan.Name();
        const std::string by_plan = plan.index.empty() ? rows : ScanText(*table_, scan);
        if (by_plan.starts_with("InvalidArgument: no plan")) {
          continue;
        }
        ASSERT_EQ(by_plan, rows) << "by " << scan.plan << ": " << scan.filter->ToString() << " from "
                                 << scan.time_range.min_ms << " to " << scan.time_range.max_ms << ", "
                                 << scan.max_versions << " versions, policy " << GetParam() << ": " << history;
        ++used_[plan.index];
        found_ += rows.empty() ? 0 : 1;
      }
    }
  }

  std::mt19937_64 random_;
  std::map<std::string, int64_t> used_;
  int64_t found_ = 0;
  int64_t skipped_ = 0;
  int64_t skipped_now_ = 0;
  int64_t recorded_ = 0;
  int64_t too_many_ = 0;
  int64_t certain_ = 0;
  int64_t checked_ = 0;
};

FamilyDescriptor TwinPolicy(int number) {
  FamilyDescriptor family;
  family.max_versions = number % 2 == 0 ? 1 : 3;
  if (number == 2 || number == 3) {
    family.ttl_s = 1;
  } else if (number == 4) {
    family.max_versions = 3;
    family.min_versions = 2;
    family.ttl_s = 1;
  } else if (number == 5 || number == 6) {
    family.new_version_behavior = true;
    family.ttl_s = number == 6 ? 1 : kTtlForever;
  } else if (number == 7) {
    family.keep_deleted_cells = KeepDeletedCells::kTrue;
  }
  return family;
}

// A number of the environment.
uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// KLIP_SEEDS: how many histories of 150 steps. KLIP_FIRST_SEED: that of the first one. KLIP_CHECK_EVERY: steps between two
// checks.
TEST_P(IndexTwinTest, EntriesAreWhatGetsShow) {
  Make(TwinPolicy(GetParam()));
  const uint64_t seeds = Setting("KLIP_SEEDS", 6);
  const uint64_t check_every = Setting("KLIP_CHECK_EVERY", 1);
  const uint64_t first = Setting("KLIP_FIRST_SEED", 0);
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    random_.seed(seed * 100 + static_cast<uint64_t>(GetParam()));
    std::string history;
    for (uint64_t step = 1; step <= 150; ++step) {
      history += Step() + ", ";
      if (step % check_every == 0) {
        CheckEntries("policy " + std::to_string(GetParam()) + ", seed " + std::to_string(seed) + ": " + history);
        CheckSkippedRows(history);
        CheckPast(history);
      }
      if (HasFatalFailure()) {
        return;
      }
    }
    ASSERT_TRUE(admin().MajorCompact("t").ok());
    CheckSkippedRows(history);
    for (const TwinIndex& index : kTwinIndexes) {
      const Expected<IndexCheck> check = (*admin().indexes())->VerifyIndex("t", index.name);
      ASSERT_TRUE(check.ok() && check->ok()) << index.name << ": " << history;
      const bool swept = std::string_view(index.name).ends_with("_past");
      ASSERT_TRUE(!swept || check->stale == 0) << index.name << " has stale entries: " << history;
      ASSERT_EQ(check->skipped, std::string_view(index.name).find("skip") != std::string_view::npos ? skipped_now_ : 0)
          << history;
    }
    for (int i = 0; i < kTwinRows; ++i) {
      ASSERT_TRUE(table_->Delete({.row = "k" + std::to_string(i), .timestamp_ms = now_ms_ + 600}).ok());
    }
    now_ms_ += 1000;
  }
  std::printf("[  entries ] policy %d: %lld certain, %lld checked and true; %lld skipped of %lld recorded\n",
              GetParam(), static_cast<long long>(certain_), static_cast<long long>(checked_),
              static_cast<long long>(skipped_), static_cast<long long>(recorded_));
  std::printf("[   past   ] policy %d: %lld scans found rows; row with too many versions %lld times;", GetParam(),
              static_cast<long long>(found_), static_cast<long long>(too_many_));
  for (const auto& [index, times] : used_) {
    std::printf(" %s %lld", index.empty() ? "none" : index.c_str(), static_cast<long long>(times));
  }
  std::printf("\n");
  EXPECT_GT(skipped_, 0);
  EXPECT_TRUE(too_many_ > 0 || GetParam() != 7);
  for (const char* const index :
       {"a_past", "covered_past", "part_past", "skip_past", "all_past", "optional", "optional_skip"}) {
    EXPECT_GT(used_[index], 10) << index;
  }
}

// SQL computes expressions. A program without it could only write rows without their entries.
TEST_F(TableTest, AProgramWithoutSqlReadsATableWithSqlIndexes) {
  rowkey::SetIndexExpressionMaker(&MakeTwinExpression);
  Create("t", {Family("f")}, {{"KLIP_INDEX$i", "sql('a+c') text FOR 't'"}});
  ASSERT_TRUE(table_->Put(klip::Put{.row = "r"}.Add("f", "a", "x")).ok());
  rowkey::SetIndexExpressionMaker(nullptr);
  Open();
  Use("t");
  EXPECT_EQ(table_->Get({.row = "r"})->Value("f", "a"), "x");
  const Status refused = table_->Put(klip::Put{.row = "r"}.Add("f", "a", "z"));
  EXPECT_EQ(refused.code(), Code::kDoNotRetry);
  EXPECT_EQ(refused.message(),
            "the index 'i' has SQL expressions, and this program is not linked with SQL: it can read the table, but "
            "not write "
            "to it (klip/index.h)");
  EXPECT_FALSE(table_->Delete({.row = "r"}).ok());
  EXPECT_EQ((*admin().indexes())->RebuildIndex("t", "i").message(), refused.message());
  EXPECT_EQ((*admin().indexes())->CreateIndex("t", *IndexDescriptor::Parse("j", "sql('a') text FOR 't'")).code(),
            Code::kUnsupported);
  EXPECT_EQ(table_->Get({.row = "r"})->Value("f", "a"), "x");
}

// Of cells with a TTL, the older ones are missing first: n cells can be seen in n + 1 states, not in 2^n.
TEST_F(TableTest, WritesComputeOnlyValuesThatReadsMaySee) {
  rowkey::SetIndexExpressionMaker(&MakeTwinExpression);
  const std::string letters = "acdefghijklmnopqrstuvwx";
  const auto sum_of = [&](size_t count) {
    std::string sum;
    for (const char letter : letters.substr(0, count)) {
      sum += std::string(sum.empty() ? 0 : 1, '+') + letter;
    }
    return "sql('" + sum + "') text FOR 't'";
  };
  const auto put = [&](size_t count, int64_t first_ms, int64_t step_ms) {
    klip::Put all = {.row = "r"};
    for (size_t i = 0; i < count; ++i) {
      all.Add("f", letters.substr(i, 1), "x", first_ms + static_cast<int64_t>(i) * step_ms);
    }
    return all;
  };
  FamilyDescriptor mortal = Family("f");
  mortal.ttl_s = 1000;
  Create("mortal", {mortal}, {{"KLIP_INDEX$i", sum_of(letters.size())}});
  TwinExpression::computed = 0;
  ASSERT_EQ(table_->Put(put(letters.size(), now_ms_ - 1000, 7)).ToString(), "ok");
  EXPECT_LT(TwinExpression::computed, 100);

  Create("versions", {Family("f", 3)}, {{"KLIP_INDEX$i", sum_of(13)}});
  ASSERT_EQ(table_->Put(put(13, 1, 0)).ToString(), "ok");
  ASSERT_EQ(table_->Put(put(13, 2, 0)).ToString(), "ok");
  klip::Delete newest = {.row = "r"};
  for (size_t i = 0; i < 13; ++i) {
    newest.AddColumn("f", letters.substr(i, 1), 2);
  }
  EXPECT_EQ(table_->Delete(newest).ToString(),
            "InvalidArgument: index 'i': row 'r': the expression's columns have more than 4096 combinations of "
            "versions that reads may see");
  rowkey::SetIndexExpressionMaker(nullptr);
}

INSTANTIATE_TEST_SUITE_P(Policies, IndexTwinTest, testing::Range(0, 8));

}  // namespace
}  // namespace klip::table
