#include "planner/service_tables.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "klip/row_key.h"
#include "ops/random.h"
#include "planner/skew_values.h"

namespace klip::ops {
namespace {

using Row = std::vector<std::string>;
using State = MixedTable::State;

constexpr size_t kServiceQueries = 20;  // of each table
constexpr size_t kStartMs = 1'600'000'000'000;
constexpr size_t kDayMs = 86'400'000;

std::string Hex(uint64_t n, int digits) {
  std::array<char, 17> text = {};
  std::snprintf(text.data(), text.size(), "%0*llx", digits, static_cast<unsigned long long>(n));
  return text.data();
}

// Makes the rows of one service. The last value is that of d:c; empty: the row has none.
class Service {
 public:
  Service(size_t rows, Random* random) : rows_(rows), random_(*random) {}

  Row Event() {
    const size_t user = people_.Next(&random_);
    const size_t day = (user * 7 + random_.Below(3) * random_.Below(40)) % 300;  // active for some weeks
    return {"user" + Number(Scattered(user) % 100'000'000), Day(day), Kind(kinds_.Next(&random_)), Number(++made_),
            random_.OneIn(5) ? "e" + Number(kinds_.Next(&random_)) : ""};
  }

  // Each device at its own pace; some of them long ago.
  Row Reading() {
    const size_t device = things_.Next(&random_);
    const size_t pace_ms = 1000 * (1 + device % 13 * (device % 13) * 60);
    const size_t reading = readings_[device]++;
    const size_t first_ms = kStartMs + device % 50 * kDayMs;
    return {"dev-" + Hex(Scattered(device), 8), Number(first_ms + reading * pace_ms + random_.Below(pace_ms / 4 + 1)),
            Kind(reading % (1 + device % 4)), random_.OneIn(100) ? "alarm" + Number(random_.Below(3)) : ""};
  }

  Row Order() {
    const size_t customer = people_.Next(&random_);
    const size_t at = kStartMs + made_ * 200 * kDayMs / rows_ + random_.Below(kDayMs);
    const bool recent = made_ > rows_ * 9 / 10;
    static const std::vector<std::string> kOpen = {"new", "paid", "packed", "sent", "late"};
    ++made_;
    return {Number(customer), Number(at), Number(Scattered(made_)),
            recent              ? random_.Pick(kOpen)
            : random_.OneIn(20) ? "returned"
                                : "done"};
  }

  Row Session() {
    const size_t user = people_.Next(&random_);
    return {Hex(random_.Bits(), 16), Number(user), Day(random_.Below(60)), random_.OneIn(3) ? Kind(user % 5) : ""};
  }

  // Hosts from the back, and paths below them; pages near the root are asked for at more times.
  Row Page() {
    const size_t host = things_.Next(&random_);
    static const std::vector<std::string> kTop = {"com", "org", "net", "de", "io"};
    std::string path;
    for (size_t depth = random_.Below(5), at = host; depth > 0; --depth) {
      at = (at * 31 + kinds_.Next(&random_)) % 1000;
      path += (path.empty() ? "" : "/") + std::string(at % 3 == 0 ? "section" : "p") + Number(at);
    }
    return {kTop[host % 7 % kTop.size()] + "." + Kind(host % 11) + Number(host), path, Day(random_.Below(120)),
            random_.OneIn(4) ? Number(random_.Below(6) * 100) : "200"};
  }

  Row Mail() {
    const size_t user = people_.Next(&random_);
    const size_t folder = kinds_.Next(&random_);
    return {Number(Scattered(user)), Number(folder), Number(kStartMs + random_.Below(400 * kDayMs)),
            "x" + Number(things_.Next(&random_)), random_.OneIn(10) ? "flag" : ""};
  }

  // A city decides its country and most of its postal codes.
  Row Place() {
    const size_t city = things_.Next(&random_);
    static const std::vector<std::string> kCountries = {"us", "in", "de", "fr", "br", "jp", "no"};
    const size_t zip = city * 23 + random_.Below(2 + 300 / (city + 1));
    return {kCountries[city * city % 49 % 7], "City" + Number(city),
            Number(10'000 + zip % 90'000),    "Street " + Number(zip * 3 + kinds_.Next(&random_)),
            Number(1 + random_.Below(90)),    random_.OneIn(3) ? Kind(random_.Below(6)) : ""};
  }

  Row Job() {
    const size_t at = kStartMs + ++made_ * 1000 + random_.Below(3000);
    static const std::vector<std::string> kLast = {"queued", "running", "failed"};
    const bool recent = made_ > rows_ * 49 / 50;
    return {recent              ? random_.Pick(kLast)
            : random_.OneIn(30) ? "failed"
                                : "done",
            Number(kinds_.Next(&random_) * 3), Number(at), Number(Scattered(made_)), "w" + Number(made_ / 500 % 16)};
  }

  // Edges of a graph: some vertices have very many.
  Row Edge() {
    const size_t from = people_.Next(&random_);
    const size_t to = random_.OneIn(2) ? people_.Next(&random_) : random_.Below(rows_);
    return {Number(Scattered(from)), Number(kinds_.Next(&random_)), Number(Scattered(to)),
            random_.OneIn(6) ? Number(random_.Below(1000)) : ""};
  }

  // Points around some towns.
  Row Point() {
    static constexpr std::string_view kDigits = "0123456789bcdefghjkmnpqrstuvwxyz";
    const size_t town = things_.Next(&random_);
    std::string hash;
    for (size_t i = 0; i < 8; ++i) {
      const bool of_town = i < 3 || (i == 3 && !random_.OneIn(3)) || (i == 4 && random_.OneIn(2));
      hash += kDigits[of_town ? (Scattered(town) >> (5 * i)) % 32 : random_.Below(32)];
    }
    return {hash, Number(++made_), Kind(town % 9), ""};
  }

  Row Stock() {
    const size_t store = random_.Below(40);
    const size_t item = things_.Next(&random_);
    return {Number(store), "SKU" + Number(100'000 + item * 17 % 90'000), Day(random_.Below(30)),
            Number(store * item % 97), random_.OneIn(8) ? "low" : "ok"};
  }

  // Attributes of entities, all in one table.
  Row Attribute() {
    static const std::vector<std::string> kTypes = {"usr", "ord", "itm", "log"};
    static const std::vector<std::string> kNames = {"name", "email", "city", "score", "created", "tag:vip"};
    const size_t type = kinds_.Next(&random_) % 4;
    const size_t id = random_.Below(rows_ / 6 + 1);
    return {kTypes[type], Hex(Scattered(id), 8), kNames[(random_.Below(4) + type) % 6], ""};
  }

 private:
  static std::string Kind(size_t n) {
    static const std::vector<std::string> kKinds = {"view", "click", "cart", "buy",    "login", "logout",
                                                    "help", "error", "ping", "refund", "gift",  "trial"};
    return kKinds[n % kKinds.size()];
  }

  const size_t rows_;
  Random& random_;
  size_t made_ = 0;
  std::map<size_t, size_t> readings_;
  const Zipf people_{rows_ / 8 + 2, 0.8 + 0.1 * static_cast<double>(random_.Below(6))};
  const Zipf things_{30 + random_.Below(900), 0.3 + 0.2 * static_cast<double>(random_.Below(5))};
  const Zipf kinds_{5 + random_.Below(8), 1 + 0.5 * static_cast<double>(random_.Below(4))};
};

// What programs ask of one field.
class Questions {
 public:
  Questions(std::string name, std::vector<std::string> values, bool is_text, bool has_prefixes)
      : name_(std::move(name)), is_text_(is_text), has_prefixes_(has_prefixes), values_(std::move(values)) {
    std::ranges::sort(values_, [is_text](const std::string& a, const std::string& b) {
      return is_text || a.size() == b.size() ? a < b : a.size() < b.size();
    });
    std::ranges::unique_copy(values_, std::back_inserter(distinct_));
  }

  const std::string& name() const { return name_; }
  bool empty() const { return values_.empty(); }

  std::string Equal(const std::string& value) const { return name_ + "=" + Quoted(value); }

  std::string Condition(Random* random) const {
    switch (random->Below(has_prefixes_ ? 12 : 10)) {
      case 0:
      case 1:
      case 2:
        return Equal(random->Pick(values_));
      case 3:
        return Equal(random->Pick(distinct_));
      case 4:
        return Set(2 + random->Below(random->OneIn(4) ? 40 : 4), random);
      case 5:
        return name_ + "!=" + Quoted(random->Pick(values_));
      case 6:
        return "NOT " + (random->OneIn(2) ? Range(random) : Set(3, random));
      case 7:
        return name_ + (random->OneIn(2) ? ">=" : "<") + Quoted(random->Pick(values_));
      case 10:
      case 11:
        return Prefix(random);
      default:
        return Range(random);
    }
  }

 private:
  static std::string Quoted(const std::string& value) { return "'" + value + "'"; }

  // A narrow one by rows, a narrow one by values, or any.
  std::string Range(Random* random) const {
    const std::vector<std::string>& of = random->OneIn(2) ? values_ : distinct_;
    const size_t span = random->OneIn(3) ? of.size() / 2 : of.size() / 40;
    const size_t from = random->Below(of.size());
    const size_t to = std::min(of.size() - 1, from + random->Below(span + 1));
    return name_ + "=" + Quoted(of[from]) + ".." + Quoted(of[to]);
  }

  std::string Set(size_t count, Random* random) const {
    std::string list = name_ + "=";
    for (size_t i = 0; i < count; ++i) {
      const std::string& value = random->Pick(random->OneIn(3) ? distinct_ : values_);
      list += (i == 0 ? "" : ",") + Quoted(i + 1 == count && is_text_ ? value.substr(0, value.size() / 2) : value);
    }
    return list;
  }

  std::string Prefix(Random* random) const {
    const std::string& value = random->Pick(values_);
    return name_ + "=" + Quoted(value.substr(0, 1 + random->Below(std::max<size_t>(1, value.size())))) + "*";
  }

  std::string name_;
  bool is_text_;
  bool has_prefixes_;
  std::vector<std::string> values_;  // of the rows, sorted
  std::vector<std::string> distinct_;
};

class ServiceTables {
 public:
  ServiceTables(size_t rows, uint64_t seed) : rows_(rows), random_(seed) {}

  // `columns`: of the values that `make` returns, those in the key, in order.
  MixedTable& Add(const std::string& name, const std::string& schema, Row (Service::*make)(),
                  const std::vector<size_t>& columns, State state = State::kFiles) {
    MixedTable& table = tables_.emplace_back();
    table.name = name;
    table.schema = schema;
    table.state = state;
    table.files = state == State::kFiles || state == State::kPartlyMemory || state == State::kErased
                      ? 1 + random_.Below(3) + (state == State::kFiles ? 0 : 1)
                      : 1;
    table.in_turn = random_.OneIn(2);
    table.cells = 1 + random_.Below(3) / 2;
    const size_t count = random_.OneIn(3) ? rows_ / 5 + 1 : rows_;
    Service service(count, &random_);
    std::set<Row> seen;
    for (size_t i = 0; i < count; ++i) {
      const Row all = (service.*make)();
      Row row;
      for (const size_t column : columns) {
        row.push_back(all[column]);
      }
      if (seen.insert(row).second) {
        table.rows.push_back(std::move(row));
        table.column.push_back(all.back());
      }
    }
    table.indexed = state != State::kExpired && random_.OneIn(3);
    AddQueries(&table);
    return table;
  }

  std::vector<MixedTable> All() {
    Add("events", "user:text('|') day:date kind:text('|') seq:u32", &Service::Event, {0, 1, 2, 3});
    Add("days", "day:date user:text('|') kind:text(6) seq:u32", &Service::Event, {1, 0, 2, 3}, State::kErased);
    Add("readings", "device:text('#') at:reverse_ts metric:text", &Service::Reading, {0, 1, 2}, State::kPartlyMemory);
    Add("spread", "hash:md5(device,1) device:text(12) metric:text(5) at:ts", &Service::Reading, {0, 2, 1},
        State::kExpired);
    Add("orders", "salt(16) customer:u32 at:ts id:u32", &Service::Order, {0, 1, 2});
    Add("sessions", "session:text(16) user:u32 day:date", &Service::Session, {0, 1, 2});
    Add("logins", "hash:md5(user,4) user:u32 day:date desc session:text", &Service::Session, {1, 2, 0}, State::kErased);
    Add("pages", "host:text('/') day:date path:text", &Service::Page, {0, 2, 1}, State::kOverwritten);
    Add("mail", "user:u32 folder:u8 at:reverse_ts sender:text", &Service::Mail, {0, 1, 2, 3});
    Add("places", "country:text(2) city:text('|') zip:digits(5) street:text('|') no:u16", &Service::Place,
        {0, 1, 2, 3, 4});
    Add("zips", "zip:digits(5) no:u16 city:text('|') street:text", &Service::Place, {2, 4, 1, 3}, State::kDeleted);
    Add("jobs", "state:text(8) queue:u8 at:ts id:u32", &Service::Job, {0, 1, 2, 3}, State::kPartlyMemory);
    Add("edges", "from:u32 label:u8 to:u32", &Service::Edge, {0, 1, 2});
    Add("points", "geohash:text(8) id:u32 kind:text", &Service::Point, {0, 1, 2}, State::kMemory);
    Add("stock", "bucket:salt(10,item) item:text('-') store:u16 day:date n:u32", &Service::Stock, {1, 0, 2, 3});
    Add("attributes", "type:text(3) ':' id:text(8) ':' name:text", &Service::Attribute, {0, 1, 2}, State::kErased);
    return std::move(tables_);
  }

 private:
  void AddQueries(MixedTable* table) {
    std::vector<Questions> fields;
    const RowKeySchema schema = *RowKeySchema::Parse(table->schema);
    for (const KeyField& field : schema.fields()) {
      if (field.derived() || field.type == KeyFieldType::kLiteral) {
        continue;
      }
      std::vector<std::string> values;
      for (const Row& row : table->rows) {
        values.push_back(row[fields.size()]);
      }
      const bool is_text = field.type == KeyFieldType::kText || field.type == KeyFieldType::kDigits;
      fields.emplace_back(field.name, std::move(values), is_text, is_text);
    }
    std::vector<std::string> set;
    std::ranges::copy_if(table->column, std::back_inserter(set),
                         [](const std::string& value) { return !value.empty(); });
    const Questions column("d:c", std::move(set), true, false);
    for (size_t i = 0; i < kServiceQueries; ++i) {
      table->queries.push_back(Query(*table, fields, column));
      const std::vector<int64_t> limits = {1, 10, 1000};
      table->limits.push_back(random_.OneIn(5) ? random_.Pick(limits) : 0);
      table->reversed.push_back(random_.OneIn(8));
    }
  }

  std::string Query(const MixedTable& table, const std::vector<Questions>& fields, const Questions& column) {
    const auto condition = [&] {
      const bool of_column = !column.empty() && random_.OneIn(6);
      return (of_column ? column : random_.Pick(fields)).Condition(&random_);
    };
    if (random_.OneIn(6)) {  // some values of a row
      const Row& row = random_.Pick(table.rows);
      std::string query;
      for (size_t i = 0; i < fields.size(); ++i) {
        query += random_.OneIn(2) ? fields[i].Equal(row[i]) + " " : "";
      }
      return query.empty() ? condition() : query;
    }
    switch (random_.Below(8)) {
      case 0:
      case 1:
        return condition();
      case 2:
        return condition() + " OR " + condition();
      case 3:
        return "(" + condition() + " OR " + condition() + ") " + condition();
      case 4:
        return condition() + " " + condition() + " " + condition();
      default:
        return condition() + " " + condition();
    }
  }

  const size_t rows_;
  Random random_;
  std::vector<MixedTable> tables_;
};

}  // namespace

std::vector<MixedTable> MakeServiceTables(size_t rows, uint64_t seed) { return ServiceTables(rows, seed).All(); }

}  // namespace klip::ops
