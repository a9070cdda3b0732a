#include "planner/skew_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "ops/random.h"
#include "planner/skew_values.h"

namespace klip::ops {
namespace {

using Row = std::vector<std::string>;

// Half of the rows on ten days of a year.
size_t BurstDay(Random* random) { return random->OneIn(2) ? 30 + 31 * random->Below(10) : random->Below(360); }

const std::vector<std::string>& Actions() {
  static const std::vector<std::string> kActions = {"view", "click", "like", "share", "buy", "refund"};
  return kActions;
}

const std::vector<std::string>& Countries() {
  static const std::vector<std::string> kCountries = {"us", "de", "fr", "jp", "in", "br", "it", "es", "pl", "se",
                                                      "no", "dk", "fi", "nl", "be", "at", "ch", "pt", "gr", "ie"};
  return kCountries;
}

std::vector<SkewTable> Templates() {
  std::vector<SkewTable> tables;
  const auto add = [&tables](std::string name, std::string schema, std::vector<std::string> queries) {
    tables.push_back({.name = std::move(name), .schema = std::move(schema), .rows = {}, .queries = std::move(queries)});
  };
  add("events", "user:u32 day:date action:text(8) seq:u32",
      {"user=$user.h", "user=$user.m", "day=$day.h", "day=$day.m", "day=$day.r", "action=$action.h", "action=$action.r",
       "user=$user.h day=$day.h", "user=$user.h action=$action.r", "day=$day.h action=$action.m",
       "day=$day.m action=$action.h", "day=$day.20..$day.30", "day=$day.40..$day.41 action=$action.h",
       "user=$user.h,$user.m day=$day.10..$day.60", "action!=$action.h", "user=$user.20..$user.40 day=$day.h",
       "user=$0.user day=$0.day action=$0.action seq=$0.seq", "seq=$0.seq", "day=$day.h OR action=$action.r"});
  add("clicks", "action:text(10) country:text(2) user:u32 at:ts",
      {"action=$action.h", "action=$action.m", "action=$action.r", "country=$country.h", "country=$country.m",
       "country=$country.r", "action=$action.r country=$country.h", "action=$action.h country=$country.r",
       "user=$user.h", "user=$user.m", "user=$user.h action=$action.h", "country=$country.h user=$user.h",
       "at=$at.20..$at.30", "action=$action.h at=$at.50..$at.51", "user=$user.10..$user.20",
       "action=$1.action country=$1.country user=$1.user", "country=$country.h,$country.m,$country.r user=$user.h"});
  add("orders", "id:u64 kind:u8 state:text(6)",
      {"kind=$kind.h", "kind=$kind.m", "kind=$kind.r", "state=$state.h", "state=$state.m",
       "kind=$2.kind state=$2.state", "kind=$kind.r state=$state.h", "id=$id.10..$id.20 kind=$kind.h",
       "id=$2.id kind=$2.kind state=$2.state", "id=$2.id", "id=$id.30..$id.31", "kind!=$kind.h"});
  add("parts", "id:u32 kind:u16",
      {"kind=$kind.h", "kind=$kind.m", "kind=$kind.r", "id=$id.h", "id=$id.m", "id=$id.10..$id.30 kind=$kind.h",
       "kind=$kind.10..$kind.20", "kind=$kind.80..", "id=$id.h kind=$kind.50..", "kind=$kind.h,$kind.m,$kind.r"});
  add("salted", "salt(16) user:text(10) day:date seq:u32",
      {"user=$user.h", "user=$user.m", "user=$user.h day=$day.h", "day=$day.h", "day=$day.m", "day=$day.30..$day.35",
       "user=$user.20..$user.25", "user=$user.m day=$day.30..$day.60", "user=u1*", "user=u12*"});
  add("hashed", "hash:md5(user,4) user:text('|') at:reverse_ts",
      {"user=$user.h", "user=$user.m", "user=$user.h at=$at.30..$at.40", "at=$at.30..$at.40", "at>=$at.90",
       "user=$user.h,$user.m", "user=u1*", "at<$at.2"});
  add("pages", "host:text('/') path:text('/') at:u32",
      {"host=$host.h", "host=$host.m", "path=$path.h", "path=$path.m", "host=$host.h path=$path.h",
       "host=$3.host path=$3.path", "at=$at.30..$at.31", "host=$host.h at=$at.50..$at.60",
       "path=$path.h at=$at.20..$at.40", "host=h1*", "host!=$host.h path=$path.h"});
  add("cities", "tenant:u16 region:text(3) city:text(8) order:u32",
      {"tenant=$tenant.h", "tenant=$tenant.m", "region=$region.h", "region=$region.m", "region=$region.r",
       "city=$city.h", "city=$city.m", "city=$city.r", "region=$4.region city=$4.city", "region=$region.h city=$city.r",
       "tenant=$4.tenant region=$4.region", "tenant=$tenant.h region=$region.m", "tenant=$tenant.h city=$city.h",
       "tenant=$tenant.20..$tenant.40 city=$city.h", "city=c1*", "region=~'r?1'",
       "region=$region.h order=$order.10..$order.11"});
  add("metrics", "day:date device:u32 metric:text(8) minute:u16",
      {"day=$day.h", "day=$day.m", "device=$device.h", "device=$device.m", "metric=$metric.h", "metric=$metric.r",
       "day=$day.h device=$device.h", "day=$day.h metric=$metric.h", "device=$device.h metric=$metric.r",
       "day=$day.10..$day.50 metric=$metric.m", "minute=$minute.10..$minute.11",
       "day=$day.h minute=$minute.40..$minute.50", "day=$day.10..$day.30 device=$device.h metric=$metric.h",
       "device=$device.20..$device.21"});
  add("visits", "username:text(10,'*') date:digits(8) domain:text(20,'*')",
      {"date=$date.h", "date=$date.m", "username=$username.h", "username=$username.m", "domain=$domain.h",
       "domain=$domain.m", "date=$date.m domain=$domain.h", "date=$date.h domain=$domain.m",
       "username=$username.h date=$date.m", "username=$username.h domain=$domain.h", "date=201401*",
       "date=20140115..20140120", "username=u1* date=$date.m", "NOT (date=$date.h)",
       "domain=$domain.h,$domain.m date=$date.40..$date.60"});
  return tables;
}

class RowMaker {
 public:
  RowMaker(std::string name, size_t rows) : name_(std::move(name)), rows_(rows), random_(rows + name_.size()) {}

  Row Next() {
    ++made_;
    const size_t user = users_.Next(&random_);
    if (name_ == "events") {
      return {Number(Scattered(user)), Day(BurstDay(&random_)), Actions()[actions_.Next(&random_)], Number(made_)};
    }
    if (name_ == "clicks") {
      const size_t action = actions_.Next(&random_);  // rarer actions come from later countries
      const size_t country = std::min<size_t>(countries_.Next(&random_) + 2 * action, Countries().size() - 1);
      const size_t at = 1400000000000 + BurstDay(&random_) * 86400000 + random_.Below(86400000);
      return {Actions()[action], Countries()[country], Number(Scattered(user)), Number(at)};
    }
    if (name_ == "orders") {
      const size_t kind = few_.Next(&random_);
      const std::string state = random_.OneIn(20) ? "odd" : "s" + Number(kind % 7);
      return {Number(random_.Bits() >> 1), Number(kind), state};
    }
    if (name_ == "parts") {  // many ids of one row, few of thousands
      return {Number(random_.OneIn(3) ? user % 50 : 100 + made_), Number(few_.Next(&random_) * 7 + random_.Below(7))};
    }
    if (name_ == "salted") {
      return {"u" + Number(user), Day(BurstDay(&random_)), Number(made_)};
    }
    if (name_ == "hashed") {
      return {"u" + Number(user), Number(1400000000000 + random_.Below(1U << 30) * random_.Below(3))};
    }
    if (name_ == "pages") {
      const size_t host = few_.Next(&random_);
      return {"h" + Number(host),
              "p" + Number(random_.Below(3) == 0 ? few_.Next(&random_) : host * 3 + random_.Below(3)),
              Number(random_.Below(1000) * random_.Below(1000))};
    }
    if (name_ == "cities") {
      const size_t tenant = few_.Next(&random_);
      const size_t region = random_.OneIn(10) ? random_.Below(12) : tenant % 12;
      return {Number(tenant), "r" + Number(region + 10).substr(0, 2),
              "c" + Number(region * 40 + actions_.Next(&random_) * 7), Number(made_)};
    }
    if (name_ == "metrics") {
      return {Day(BurstDay(&random_)), Number(Scattered(few_.Next(&random_))), "m" + Number(actions_.Next(&random_)),
              Number(random_.Below(1440))};
    }
    // Users of one visit, and a few who come every day.
    const bool regular = random_.OneIn(2);
    return {"u" + Number(regular ? random_.Below(20) : 1000 + made_), Day(BurstDay(&random_)),
            "d" + Number(few_.Next(&random_)) + ".com"};
  }

  std::vector<Row> All() {
    std::set<Row> rows;
    for (size_t i = 0; i < rows_; ++i) {
      rows.insert(Next());
    }
    return {rows.begin(), rows.end()};
  }

 private:
  const std::string name_;
  const size_t rows_;
  Random random_;
  size_t made_ = 0;
  const Zipf users_{rows_ / 5, 1.05};
  const Zipf few_{std::min<size_t>(200, rows_ / 10), 1.2};
  const Zipf actions_{6, 2.5};
  const Zipf countries_{20, 1.5};
};

// A field of a random table: how its values are written, distributed, and depend on the field before.
struct SkewField {
  enum class Kind : uint8_t { kSmallNumber, kNumber, kText, kDelimited, kDate };
  Kind kind = Kind::kNumber;
  std::optional<Zipf> skew;  // nullopt: evenly distributed
  size_t values = 1;
  bool follows = false;  // mostly decided by the previous field

  static SkewField Make(size_t rows, Random* random) {
    SkewField field;
    field.kind = static_cast<Kind>(random->Below(5));
    const std::vector<size_t> sizes = {3, 12, 60, 400, rows / 10 + 1, rows / 2 + 1};
    field.values = sizes[random->Below(sizes.size())];
    if (field.kind == Kind::kSmallNumber || field.kind == Kind::kDate) {
      field.values = std::min<size_t>(field.values, 400);
    }
    if (!random->OneIn(3)) {
      field.skew.emplace(field.values, 0.5 + 0.25 * static_cast<double>(random->Below(8)));
    }
    field.follows = random->OneIn(3);
    return field;
  }
  std::string Type() const {
    constexpr std::array kTypes = {"u16", "u32", "text(7)", "text('|')", "date"};
    return kTypes[static_cast<size_t>(kind)];
  }
  std::string Text(size_t rank) const {
    switch (kind) {
      case Kind::kSmallNumber:
        return Number(rank * 3);
      case Kind::kNumber:
        return Number(Scattered(rank));
      case Kind::kText:
      case Kind::kDelimited:
        return "v" + Number(Scattered(rank) % 100000);
      case Kind::kDate:
        return Day(rank);
    }
    return "";
  }
};

std::string SkewCondition(const std::string& field, Random* random) {
  const std::string name = "$" + field;
  const size_t from = random->Below(90);
  switch (random->Below(7)) {
    case 0:
      return field + "=" + name + ".m";
    case 1:
      return field + "=" + name + ".r";
    case 2:
      return field + "=" + name + "." + Number(from) + ".." + name + "." + Number(from + 1 + random->Below(10));
    case 3:
      return field + "=" + name + ".h," + name + ".m," + name + ".r";
    case 4:
      return field + "=$" + Number(random->Below(50)) + "." + field;
    default:
      return field + "=" + name + ".h";
  }
}

SkewTable MakeRandomTable(size_t number, Random* random) {
  SkewTable table = {.name = "random" + Number(number), .schema = {}, .rows = {}, .queries = {}};
  const size_t count = 3000 + random->Below(30000);
  std::vector<SkewField> fields;
  for (size_t left = 1 + random->Below(4); left > 0; --left) {
    fields.push_back(SkewField::Make(count, random));
  }
  const size_t unique_at = random->OneIn(4) ? random->Below(fields.size() + 1) : fields.size();
  std::vector<std::string> names;
  for (size_t i = 0; i <= fields.size(); ++i) {
    const bool unique = i == unique_at;
    names.push_back(unique ? "seq" : "f" + Number(i));
    table.schema += (i == 0 ? "" : " ") + names.back() + ":" + (unique ? "u32" : fields[i - (i > unique_at)].Type());
  }
  if (random->OneIn(4)) {
    table.schema = (random->OneIn(2) ? "salt(8) " : "hash:md5(" + names.front() + ",2) ") + table.schema;
  }
  std::set<Row> rows;
  for (size_t made = 0; made < count; ++made) {
    Row row;
    size_t before = 0;
    for (const SkewField& field : fields) {
      size_t rank = field.skew.has_value() ? field.skew->Next(random) : random->Below(field.values);
      rank = field.follows && !random->OneIn(5) ? (before * 7 + rank % 3) % field.values : rank;
      row.push_back(field.Text(rank));
      before = rank;
    }
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(unique_at),
               Number(unique_at == 0 ? random->Below(1U << 31) : made));
    rows.insert(std::move(row));
  }
  table.rows.assign(rows.begin(), rows.end());
  for (size_t i = 0; i < 12; ++i) {
    const size_t first = random->Below(names.size());
    std::string query = SkewCondition(names[first], random);
    if (const size_t second = random->Below(names.size()); second != first) {
      query += " " + SkewCondition(names[second], random);
    }
    table.queries.push_back(std::move(query));
  }
  return table;
}

}  // namespace

std::vector<SkewTable> MakeSkewTables(size_t rows) {
  std::vector<SkewTable> tables = Templates();
  for (SkewTable& table : tables) {
    table.rows = RowMaker(table.name, rows).All();
    FillInAll(&table);
  }
  return tables;
}

std::vector<SkewTable> MakeRandomTables(size_t tables, uint64_t seed) {
  Random random(seed);
  std::vector<SkewTable> made;
  for (size_t i = 0; i < tables; ++i) {
    FillInAll(&made.emplace_back(MakeRandomTable(i, &random)));
  }
  return made;
}

}  // namespace klip::ops
