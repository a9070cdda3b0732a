#include "planner/mixed_tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "ops/random.h"
#include "planner/skew_values.h"

namespace klip::ops {
namespace {

// A field: how its values are written, spread, and depend on the field before or on the order of writing.
class MixedField {
 public:
  MixedField(size_t rows, bool last, Random* random) {
    static const std::vector<std::string> kTypes = {
        "u8",           "u16",       "u32",       "u64",       "i32",  "i64 desc",  "u32 desc", "text(12)",
        "text(10,'*')", "text('|')", "text('/')", "digits(6)", "date", "date desc", "ts",       "reverse_ts"};
    type_ = last && random->OneIn(6) ? "text" : random->Pick(kTypes);
    const std::vector<size_t> sizes = {1, 2, 7, 30, 250, 3000, rows / 20 + 1, rows / 2 + 1, 2 * rows + 1};
    values_ = random->Pick(sizes);
    values_ = type_ == "u8" ? std::min<size_t>(values_, 256) : values_;
    values_ = type_.starts_with("date") ? std::min<size_t>(values_, 3600) : std::min<size_t>(values_, 300'000);
    spread_ = static_cast<Spread>(random->Below(7));
    if (spread_ == Spread::kZipf || spread_ == Spread::kFollows) {
      zipf_.emplace(values_, 0.4 + 0.2 * static_cast<double>(random->Below(13)));
    }
    giants_ = 1 + random->Below(4);
    each_ = 1 + random->Below(40);
    orderly_ = random->OneIn(2);
  }

  const std::string& type() const { return type_; }
  bool has_prefixes() const {
    return type_.starts_with("text") || type_.starts_with("da") || type_.starts_with("digits");
  }

  size_t Rank(size_t made, size_t before, Random* random) const {
    switch (spread_) {
      case Spread::kEven:
        break;
      case Spread::kZipf:
        return zipf_->Next(random);
      case Spread::kGiants:
        return random->OneIn(5) ? random->Below(values_) : random->Below(giants_) % values_;
      case Spread::kBursts:
        return (made / (50 * each_) * 7919 + random->Below(3)) % values_;
      case Spread::kSequence:
        return made / each_ % values_;
      case Spread::kFollows:
        return random->OneIn(8) ? zipf_->Next(random) : (before * 31 + random->Below(2)) % values_;
      case Spread::kClose:  // of the rows of a field before
        return (before / 3 + made % each_) % values_;
    }
    return random->Below(values_);
  }

  std::string Text(size_t rank) const {
    const size_t n = orderly_ ? rank : Scattered(rank);
    if (type_.starts_with("date")) {
      return Day(orderly_ ? rank : rank * 7 % 3600);
    }
    if (type_ == "ts" || type_ == "reverse_ts") {
      return Number(1'500'000'000'000 + (orderly_ ? rank * 60'000 : n));
    }
    if (type_ == "digits(6)") {
      return Number(n % 1'000'000);
    }
    if (type_ == "u8" || type_ == "u16") {
      return Number((orderly_ ? rank : rank * 77) % (type_ == "u8" ? 256 : 65536));
    }
    if (type_.starts_with("i")) {
      return std::to_string(static_cast<int64_t>(n % 2'000'000'000) - 1'000'000);
    }
    if (!type_.starts_with("text")) {
      return Number(n);
    }
    static constexpr std::array kWords = {"ab", "www", "user", "x", "de", "long"};
    return std::string(kWords[rank % kWords.size()]) + Number(n % 1'000'000);
  }

  // One that no row has, most likely.
  std::string Absent() const { return Text(values_ + 5); }

 private:
  enum class Spread : uint8_t { kEven, kZipf, kGiants, kBursts, kSequence, kFollows, kClose };
  std::string type_;
  Spread spread_ = Spread::kEven;
  std::optional<Zipf> zipf_;
  size_t values_ = 1;
  size_t giants_ = 1;
  size_t each_ = 1;
  bool orderly_ = false;
};

class TableMaker {
 public:
  TableMaker(size_t number, size_t most_rows, Random* random) : random_(*random) {
    table_.name = "mixed" + Number(number);
    const std::vector<size_t> sizes = {
        0,         1,         2,        40, most_rows / 30, most_rows / 8, most_rows / 8, most_rows / 2, most_rows / 2,
        most_rows, most_rows, most_rows};
    count_ = random_.Pick(sizes);
    table_.state = static_cast<State>(random_.OneIn(3) ? 0 : random_.Below(6));
    const bool shares = table_.state != State::kMemory && table_.state != State::kExpired;
    table_.files = shares ? 1 + random_.Below(table_.state == State::kDeleted ? 2 : 3) : 1;
    table_.in_turn = random_.OneIn(2);
    table_.cells = random_.OneIn(4) ? 1 + random_.Below(5) : 1;
  }

  MixedTable Make() {
    MakeSchema();
    MakeRows();
    for (int i = 0; i < 15; ++i) {
      table_.queries.push_back(Query());
      table_.limits.push_back(random_.OneIn(6) ? 1 + static_cast<int64_t>(random_.Below(500)) : 0);
    }
    if (!table_.rows.empty()) {
      FillInAll(&table_);
    }
    return std::move(table_);
  }

 private:
  using State = MixedTable::State;

  void MakeSchema() {
    const size_t fields = 2 + random_.Below(4);
    for (size_t i = 0; i < fields; ++i) {
      fields_.emplace_back(count_, i + 1 == fields, &random_);
      names_.push_back("f" + Number(i));
      table_.schema += (i == 0 ? "" : random_.OneIn(12) ? " '_' " : " ") + names_[i] + ":" + fields_[i].type();
    }
    const size_t source = random_.Below(fields);
    switch (random_.Below(6)) {
      case 0:
        table_.schema = "salt(" + Number(2 + random_.Below(20)) + ") " + table_.schema;
        break;
      case 1:
        table_.schema = "bucket:salt(12," + names_[source] + ") " + table_.schema;
        break;
      case 2:
        table_.schema = "hash:md5(" + names_[source] + "," + Number(1 + random_.Below(4)) + ") " + table_.schema;
        break;
      default:
        break;
    }
    if (random_.OneIn(3)) {
      column_.emplace(count_, false, &random_);
      table_.indexed = table_.state != State::kExpired && random_.OneIn(2);  // no family with an index expires
    }
  }

  void MakeRows() {
    std::set<std::vector<std::string>> seen;
    for (size_t made = 0; made < count_; ++made) {
      std::vector<std::string> row;
      size_t before = 0;
      for (const MixedField& field : fields_) {
        before = field.Rank(made, before, &random_);
        row.push_back(field.Text(before));
      }
      if (seen.insert(row).second) {
        table_.rows.push_back(std::move(row));
        if (column_.has_value()) {
          table_.column.push_back(column_->Text(column_->Rank(made, before, &random_)));
        }
      }
    }
  }

  std::string Query() {
    if (!table_.rows.empty() && random_.OneIn(12)) {  // a row
      std::string query;
      const std::string row = "$" + Number(random_.Below(50)) + ".";
      for (const std::string& name : names_) {
        query += name + "=" + row + name + " ";
      }
      return query;
    }
    std::string query = Condition();
    switch (random_.Below(8)) {
      case 0:
      case 1:
      case 2:
        break;
      case 3:
        query += " OR " + Condition();
        break;
      case 4:
        query = "(" + query + " OR " + Condition() + ") " + Condition();
        break;
      case 5:
        query += " " + Condition() + " " + Condition();
        break;
      default:
        query += " " + Condition();
        break;
    }
    return query;
  }

  std::string Condition() {
    if (column_.has_value() && random_.OneIn(4)) {
      return ConditionOn("d:c", "$c", *column_);
    }
    const size_t at = random_.OneIn(3) ? fields_.size() - 1 : random_.Below(fields_.size());
    return ConditionOn(names_[at], "$" + names_[at], fields_[at]);
  }

  std::string ConditionOn(const std::string& name, const std::string& value, const MixedField& field) {
    if (table_.rows.empty()) {
      return name + "=" + field.Absent();
    }
    const size_t from = random_.Below(90);
    const std::string low = value + "." + Number(from);
    switch (random_.Below(field.has_prefixes() && name != "d:c" ? 14 : 13)) {
      case 0:
      case 1:
        return name + "=" + value + ".m";
      case 2:
        return name + "=" + value + ".r";
      case 3:
      case 4:
        return name + "=" + low + ".." + value + "." + Number(from + 1 + random_.Below(10));
      case 5:
        return name + "=" + value + ".h," + value + ".m," + value + ".r," + field.Absent();
      case 6:
        return name + "=" + value + "." + Number(random_.Below(100));
      case 7:
        return name + "=" + field.Absent();
      case 8:
        return name + (random_.OneIn(2) ? ">" : "<=") + low;
      case 9:
        return name + "!=" + value + ".h";
      case 10:
        return "NOT (" + name + "=" + low + ".." + value + "." + Number(from + 10) + ")";
      case 13:
        return name + "=" + value + ".p*";
      default:
        return name + "=" + value + ".h";
    }
  }

  Random& random_;
  MixedTable table_;
  size_t count_ = 0;
  std::vector<MixedField> fields_;
  std::vector<std::string> names_;
  std::optional<MixedField> column_;
};

}  // namespace

std::vector<MixedTable> MakeMixedTables(size_t tables, size_t most_rows, uint64_t seed) {
  Random random(seed);
  std::vector<MixedTable> made;
  for (size_t i = 0; i < tables; ++i) {
    made.push_back(TableMaker(i, most_rows, &random).Make());
  }
  return made;
}

}  // namespace klip::ops
