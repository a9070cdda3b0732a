#include "planner/other_tables.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "klip/row_key.h"
#include "ops/random.h"
#include "planner/skew_values.h"

namespace klip::ops {
namespace {

using Row = std::vector<std::string>;
using State = MixedTable::State;

constexpr size_t kQueries = 14;  // of each table

class RowSource {
 public:
  RowSource(size_t rows, Random* random) : rows_(rows), random_(*random) {}

  // A host, a path below it, a user. The rarer a host, the longer its name.
  Row Path() {
    const size_t host = tenants_.Next(&random_);
    const size_t path = host * 5 + types_.Next(&random_);
    return {std::string(1 + host % 23, static_cast<char>('a' + host % 26)) + Number(host),
            "p" + Number(path) + std::string(path % 31, '-'), "u" + Number(users_.Next(&random_))};
  }

  // A tenant, one of its users, a day, a type that large tenants use more often, and a number.
  Row Visit() {
    const size_t tenant = tenants_.Next(&random_);
    const size_t user = tenant * 100'000 + users_.Next(&random_) % (2 + 1000 / (tenant + 1));
    const size_t day = random_.OneIn(3) ? 40 + 31 * random_.Below(10) : random_.Below(360);
    const size_t type = std::min<size_t>(7, types_.Next(&random_) + (tenant > 20 ? 2 : 0));
    return {Number(tenant), Number(user), Day(day), "t" + Number(type), Number(++made_)};
  }

  // A device, and a time within an hour of many; a code.
  Row Burst() {
    const size_t device = tenants_.Next(&random_);
    const size_t hour = random_.OneIn(4) ? random_.Below(9000) : device * 37 + types_.Next(&random_) * 500;
    const size_t at = 1'500'000'000'000 + hour * 3'600'000 + random_.Below(90'000);
    return {Number(device), Number(at), Number(random_.OneIn(30) ? 100 + random_.Below(100) : device % 3)};
  }

  // Ids, a postal code, and the city that it decides for all but a few; a number.
  Row Address() {
    const size_t zip = zips_.Next(&random_);
    const size_t city = random_.OneIn(40) ? random_.Below(60) : zip / 7;
    return {Number(Scattered(random_.Below(rows_ / 3 + 1))), Number(10'000 + zip), "c" + Number(city), Number(++made_)};
  }

  Row Same() { return {"7", "same", Number(Scattered(++made_))}; }

 private:
  const size_t rows_;
  Random& random_;
  size_t made_ = 0;
  const Zipf tenants_{120, 0.8 + 0.1 * static_cast<double>(random_.Below(7))};
  const Zipf users_{rows_ / 10 + 2, 0.7 + 0.1 * static_cast<double>(random_.Below(7))};
  const Zipf types_{8, 1.5};
  const Zipf zips_{400, 0.6 + 0.1 * static_cast<double>(random_.Below(8))};
};

std::string AbsentOf(const KeyField& field) {
  switch (field.type) {
    case KeyFieldType::kText:
      return "zz9";
    case KeyFieldType::kDate:
      return "20990101";
    case KeyFieldType::kTimestamp:
    case KeyFieldType::kReverseTimestamp:
      return "1900000000000";
    case KeyFieldType::kUnsigned:
      return field.width_bytes == 1 ? "251" : "65001";
    default:
      return "99998";
  }
}

std::string ConditionOn(const KeyField& field, Random* random) {
  const std::string& name = field.name;
  const std::string value = "$" + name;
  const size_t from = random->Below(90);
  const std::string range =
      name + "=" + value + "." + Number(from) + ".." + value + "." + Number(from + 1 + random->Below(9));
  switch (random->Below(field.type == KeyFieldType::kText ? 13 : 12)) {
    case 0:
    case 1:
      return name + "=" + value + ".m";
    case 2:
      return name + "=" + value + ".r";
    case 3:
    case 4:
      return range;
    case 5:
      return "NOT (" + range + ")";
    case 6:
      return name + "=" + value + ".h," + value + ".r," + AbsentOf(field);
    case 7:
      return name + "!=" + value + ".h";
    case 8:
      return name + "=" + AbsentOf(field);
    case 9:
      return name + (random->OneIn(2) ? ">" : "<=") + value + "." + Number(from);
    case 12:
      return name + "=" + value + ".p*";
    default:
      return name + "=" + value + ".h";
  }
}

// Up to three conditions, or two values of one row.
std::string QueryOn(const std::vector<KeyField>& fields, Random* random) {
  const auto any = [&]() -> const KeyField& { return fields[random->Below(fields.size())]; };
  if (random->OneIn(5)) {
    const std::string row = "$" + Number(random->Below(90)) + ".";
    const std::string& a = any().name;
    const std::string& b = any().name;
    return a + "=" + row + a + (a == b ? "" : " " + b + "=" + row + b);
  }
  std::string query = ConditionOn(any(), random);
  switch (random->Below(6)) {
    case 0:
      return query;
    case 1:
      return query + " OR " + ConditionOn(any(), random);
    case 2:
      return "(" + query + " OR " + ConditionOn(any(), random) + ") " + ConditionOn(any(), random);
    default:
      return query + " " + ConditionOn(any(), random);
  }
}

class OtherTables {
 public:
  OtherTables(size_t rows, uint64_t seed) : rows_(rows), random_(seed) {}

  // `columns`: of the values that `make` returns, those in the key, in order.
  MixedTable& Add(const std::string& name, const std::string& schema, Row (RowSource::*make)(),
                  const std::vector<size_t>& columns, size_t rows) {
    MixedTable& table = tables_.emplace_back();
    table.name = name;
    table.schema = schema;
    RowSource source(rows_, &random_);
    std::set<Row> seen;
    for (size_t i = 0; i < rows; ++i) {
      const Row all = (source.*make)();
      Row row;
      for (const size_t column : columns) {
        row.push_back(all[column]);
      }
      if (seen.insert(row).second) {
        table.rows.push_back(std::move(row));
      }
    }
    AddQueries(&table);
    return table;
  }

  std::vector<MixedTable> All();

 private:
  void AddQueries(MixedTable* table) {
    std::vector<KeyField> fields;
    const RowKeySchema schema = *RowKeySchema::Parse(table->schema);
    std::ranges::copy_if(schema.fields(), std::back_inserter(fields), [](const KeyField& field) {
      return !field.derived() && field.type != KeyFieldType::kLiteral;
    });
    const size_t queries = table->rows.empty() ? 1 : kQueries;
    for (size_t i = 0; i < queries; ++i) {
      table->queries.push_back(table->rows.empty() ? fields[0].name + "=" + AbsentOf(fields[0])
                                                   : QueryOn(fields, &random_));
      table->limits.push_back(random_.OneIn(10) ? 1 + static_cast<int64_t>(random_.Below(300)) : 0);
    }
    if (!table->rows.empty()) {
      FillInAll(table);
    }
  }

  const size_t rows_;
  Random random_;
  std::vector<MixedTable> tables_;
};

std::vector<MixedTable> OtherTables::All() {
  Add("paths", "host:text('.') path:text('/') user:text", &RowSource::Path, {0, 1, 2}, rows_).files = 2;
  Add("users", "user:text('|') host:text('|') path:text('|')", &RowSource::Path, {2, 0, 1}, rows_ / 3);
  Add("hashed", "hash:md5(tenant,2) tenant:u32 user:u32 day:date type:text(6) seq:u32", &RowSource::Visit,
      {0, 1, 2, 3, 4}, rows_);
  Add("salted", "salt(8) tenant:text('|') user:text('|') day:date type:text", &RowSource::Visit, {0, 1, 2, 3}, rows_)
      .files = 3;
  Add("visits", "tenant:u16 user:u32 day:date type:text(4)", &RowSource::Visit, {0, 1, 2, 3}, rows_);
  Add("bursts", "device:u32 at:reverse_ts code:u8", &RowSource::Burst, {0, 1, 2}, rows_).files = 2;
  Add("latest", "at:reverse_ts device:text('/') code:u8", &RowSource::Burst, {1, 0, 2}, rows_);
  Add("pairs", "id:u32 zip:u32 city:text(8) seq:u32", &RowSource::Address, {0, 1, 2, 3}, rows_);
  Add("cities", "id:text('|') zip:digits(5) city:text", &RowSource::Address, {0, 1, 2}, rows_);
  for (const bool in_turn : {true, false}) {
    const std::string which = in_turn ? "" : "ranges";
    MixedTable& deleted =
        Add("deleted" + which, "tenant:u16 user:u32 day:date seq:u32", &RowSource::Visit, {0, 1, 2, 4}, rows_ / 2);
    deleted.state = State::kDeleted;
    deleted.in_turn = in_turn;
    MixedTable& expired =
        Add("expired" + which, "device:u16 code:u8 at:reverse_ts", &RowSource::Burst, {0, 2, 1}, rows_ / 2);
    expired.state = State::kExpired;
    expired.in_turn = in_turn;
  }
  Add("same", "kind:u8 name:text('|') n:u32", &RowSource::Same, {0, 1, 2}, rows_ / 4);
  Add("one", "tenant:u16 user:text", &RowSource::Visit, {0, 1}, 1);
  Add("none", "tenant:u16 user:text", &RowSource::Visit, {0, 1}, 0);
  return std::move(tables_);
}

}  // namespace

std::vector<MixedTable> MakeOtherTables(size_t rows, uint64_t seed) { return OtherTables(rows, seed).All(); }

}  // namespace klip::ops
