// Conditions on columns in Scan::where: random ones on random rows, with and without indexes, compared with a separate
// test of each row.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "klip/filter.h"
#include "klip/transaction.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class WhereTest : public TableTest {
 protected:
  using Test = std::function<bool(const Result&)>;
  // A condition as text, and the rows for which it is true or false. As in SQL, it is neither if the column is missing.
  struct Condition {
    std::string text;
    Test holds;
    Test fails;
  };

  // "t" has indexes; "plain" has the same rows, and types written in the conditions.
  void Fill(int rows) {
    std::map<std::string, std::string> attributes = {{"KLIP_ROW_KEY", "k:digits(2) r:digits(4)"}};
    Create("plain", {Family("f", 3), Family("g")}, attributes);
    plain_ = Handle("plain");
    attributes["KLIP_INDEX$city"] = "f:city text INCLUDE f:city, g:age";
    attributes["KLIP_INDEX$age"] = "g:age i32 desc";
    attributes["KLIP_INDEX$both"] = "f:city text, g:age i32";
    attributes["KLIP_INDEX$n"] = "f:n u16";
    attributes["KLIP_INDEX$upper"] = "upper(f:city) text INCLUDE f:city";
    attributes["KLIP_INDEX$lower"] = "lower(f:city) text(8), g:age i32";
    attributes["KLIP_INDEX$buckets"] = "bucket(f:n, 4), f:n u16";
    attributes["KLIP_INDEX$hash"] = "hash(f:n, 1)";  // with collisions
    attributes["KLIP_INDEX$key"] = "bucket(key.k, 3), key.k, f:city text";
    Create("t", {Family("f", 3), Family("g")}, attributes);
    std::vector<klip::Put> puts;
    for (int i = 0; i < rows; ++i) {
      klip::Put put = {.row = std::to_string(10 + Pick(20)) + std::to_string(1000 + i)};
      put.Add("f", "x", "always");
      if (Pick(5) != 0) {
        put.Add("f", "city", "old").Add("f", "city", City());
        put.columns[1].timestamp_ms = 5;
      }
      if (Pick(5) != 0) {
        put.Add("g", "age", BigEndian<int32_t>(Pick(41) - 20));
      }
      if (Pick(3) != 0) {
        put.Add("f", "n", BigEndian<uint16_t>(static_cast<uint16_t>(Pick(600))));
      }
      puts.push_back(std::move(put));
    }
    ASSERT_TRUE(table_->Put(puts).ok());
    ASSERT_TRUE(plain_->Put(puts).ok());
    Expected<std::unique_ptr<ResultScanner>> scanner = plain_->Scan({});
    for (Result row; *(*scanner)->Next(&row);) {
      rows_.push_back(std::move(row));
    }
  }

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string City() {
    std::string city;
    for (int i = Pick(4); i > 0; --i) {
      city += std::vector<std::string>{"a", "A", "b", "\u00DF"}[static_cast<size_t>(Pick(4))];
    }
    return city;
  }
  // Of these letters, computed separately.
  static std::string InCase(std::string_view city, bool upper) {
    std::string out;
    for (size_t i = 0; i < city.size(); ++i) {
      const bool sharp = city[i] == '\xC3';
      out += !sharp  ? std::string(1, static_cast<char>(upper ? city[i] & ~0x20 : city[i] | 0x20))
             : upper ? "SS"
                     : "\u00DF";
      i += sharp ? 1 : 0;
    }
    return out;
  }

  // For values that `parse` converts to bytes and `Value` orders.
  template <typename Value>
  Condition Compare(std::string name, std::function<std::optional<Value>(const Result&)> value_of,
                    std::function<Value()> random, std::function<std::string(Value)> show) {
    const Value a = random();
    const Value b = random();
    const auto make = [&](const std::string& rest, const std::function<bool(const Value&)>& holds) {
      const auto test = [value_of, holds](bool wanted) {
        return [=](const Result& row) {
          const std::optional<Value> value = value_of(row);
          return value.has_value() && holds(*value) == wanted;
        };
      };
      return Condition{name + rest, test(true), test(false)};
    };
    const Test has = [value_of](const Result& row) { return value_of(row).has_value(); };
    const Test lacks = [value_of](const Result& row) { return !value_of(row).has_value(); };
    switch (Pick(9)) {
      case 0:
        return make("=" + show(a), [a](const Value& v) { return v == a; });
      case 1:
        return make("!=" + show(a), [a](const Value& v) { return v != a; });
      case 2:
        return make("<" + show(a), [a](const Value& v) { return v < a; });
      case 3:
        return make("<=" + show(a), [a](const Value& v) { return v <= a; });
      case 4:
        return make(">" + show(a), [a](const Value& v) { return v > a; });
      case 5:
        return make("=" + show(a) + ".." + show(b), [a, b](const Value& v) { return v >= a && v <= b; });
      case 6:
        return make("=" + show(a) + "," + show(b), [a, b](const Value& v) { return v == a || v == b; });
      case 7:
        return {name + "=*", has, lacks};
      default:
        return {name + "!=*", lacks, has};
    }
  }

  Condition OnColumn(bool typed) {
    const auto number = [](const Cell* cell) {
      return cell == nullptr ? std::optional<int>() : ReadBigEndian<int32_t>(cell->value.data());
    };
    const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
    switch (Pick(7)) {
      case 5:
      case 6: {
        const bool upper = Pick(2) == 0;
        return Compare<std::string>(
            upper ? "upper(f:city)" : "lower(f:city)",
            [upper](const Result& row) {
              const Cell* const cell = row.Find("f", "city");
              return cell == nullptr ? std::optional<std::string>() : InCase(cell->value, upper);
            },
            [this, upper] { return Pick(5) == 0 ? City() : InCase(City(), upper); }, quoted);
      }
      case 0:
        return Compare<int>(
            typed ? "g:age" : "g:age::i32", [=](const Result& row) { return number(row.Find("g", "age")); },
            [this] { return Pick(45) - 22; }, [](int v) { return std::to_string(v); });
      case 1:
        return Compare<int>(
            typed ? "f:n" : "f:n::u16",
            [](const Result& row) {
              const Cell* const cell = row.Find("f", "n");
              return cell == nullptr ? std::optional<int>() : ReadBigEndian<uint16_t>(cell->value.data());
            },
            [this] { return Pick(620); }, [](int v) { return std::to_string(v); });
      case 2: {
        const std::string prefix = City();
        const bool negated = Pick(3) == 0;
        const auto test = [prefix](bool wanted) {
          return [=](const Result& row) {
            const Cell* const cell = row.Find("f", "city");
            return cell != nullptr && cell->value.starts_with(prefix) == wanted;
          };
        };
        return {std::string("f:city") + (negated ? "!=" : "=") + quoted(prefix) + "*", test(!negated), test(negated)};
      }
      default:
        return Compare<std::string>(
            "f:city",
            [](const Result& row) {
              const Cell* const cell = row.Find("f", "city");
              return cell == nullptr ? std::optional<std::string>() : std::string(cell->value);
            },
            [this] { return City(); }, quoted);
    }
  }
  Condition OnKey() {
    return Compare<int>(
        "k", [](const Result& row) { return std::optional(std::stoi(std::string(row.row().substr(0, 2)))); },
        [this] { return 10 + Pick(20); }, [](int v) { return std::to_string(v); });
  }
  Condition Random(int depth, bool typed) {
    const int kind = depth == 0 ? Pick(2) : Pick(6);
    if (kind < 2) {
      return kind == 0 ? OnKey() : OnColumn(typed);
    }
    const Condition a = Random(depth - 1, typed);
    if (Pick(6) == 0) {  // the second alternative adds no row
      const Condition b = Random(depth - 1, typed);
      const bool first = Pick(2) == 0;
      const std::string both = "(" + a.text + " " + b.text + ")";
      return {"(" + (first ? a.text + " OR " + both : both + " OR " + a.text) + ")", a.holds, a.fails};
    }
    if (kind == 2) {
      return {"NOT (" + a.text + ")", a.fails, a.holds};
    }
    const Condition b = Random(depth - 1, typed);
    const auto both = [](const Test& x, const Test& y) -> Test {
      return [=](const Result& row) { return x(row) && y(row); };
    };
    const auto either = [](const Test& x, const Test& y) -> Test {
      return [=](const Result& row) { return x(row) || y(row); };
    };
    return kind == 3 ? Condition{"(" + a.text + " OR " + b.text + ")", either(a.holds, b.holds), both(a.fails, b.fails)}
                     : Condition{"(" + a.text + " " + b.text + ")", both(a.holds, b.holds), either(a.fails, b.fails)};
  }

  // The cells of all rows, with these columns, as ScanText shows them.
  std::map<std::string, std::string> CellsOf(const std::vector<ColumnSpec>& columns) {
    std::map<std::string, std::string> cells;
    for (const Result& row : rows_) {
      const Scan one = {.start_row = std::string(row.row()),
                        .stop_row = std::string(row.row()),
                        .include_stop = true,
                        .columns = columns};
      cells[std::string(row.row())] = ScanText(*plain_, one);
    }
    return cells;
  }

  // The matching rows that have any of the columns.
  std::vector<std::string> ByHand(const Condition& condition, const Scan& scan,
                                  std::map<std::string, std::string>& cells) {
    std::vector<std::string> rows;
    for (const Result& row : rows_) {
      if (condition.holds(row) && !cells[std::string(row.row())].empty()) {
        rows.push_back(std::string(row.row()));
      }
    }
    if (scan.reversed) {
      std::ranges::reverse(rows);
    }
    if (scan.limit_rows > 0) {
      rows.resize(std::min(rows.size(), static_cast<size_t>(scan.limit_rows)));
    }
    return rows;
  }

  static std::string BatchText(Table& table, const Scan& scan, const ColumnName& column) {
    const auto scanner = table.ScanBatches(scan, {column});
    if (!scanner.ok()) {
      return scanner.status().ToString();
    }
    std::string out;
    while (const RowBatch* batch = *(*scanner)->Next()) {
      for (size_t row = 0; row < batch->rows(); ++row) {
        out.append(batch->key(row)).append("=").append(batch->value(0, row).value_or("-")).append(" ");
      }
    }
    return out;
  }

  std::mt19937 random_{7};
  std::unique_ptr<Table> plain_;
  std::vector<Result> rows_;
};

TEST_F(WhereTest, IsWhatEachRowSays) {
  Fill(400);
  int by_index = 0;
  std::map<std::string, int> used;
  std::vector<std::pair<std::vector<ColumnSpec>, std::map<std::string, std::string>>> projections;
  for (const std::vector<ColumnSpec>& columns : std::vector<std::vector<ColumnSpec>>{{},
                                                                                     {{"f", "city"}},
                                                                                     {{"f", "city"}, {"g", {}}},
                                                                                     {{"f", "n"}, {"f", "none"}},
                                                                                     {{"g", "none"}},
                                                                                     {{"g", {}}}}) {
    projections.emplace_back(columns, CellsOf(columns));
  }
  for (int i = 0; i < 1500; ++i) {
    const bool typed = i % 2 == 0;
    Table& table = typed ? *table_ : *plain_;
    Condition condition = Random(Pick(4), typed);
    if (Pick(20) == 0) {
      condition = {"ANY OR " + condition.text, [](const Result&) { return true; }, {}};
    }
    Expected<KeyQuery> where = table.ParseQuery(condition.text);
    ASSERT_TRUE(where.ok()) << condition.text << ": " << where.status().ToString();
    Scan scan = {.reversed = Pick(4) == 0, .limit_rows = Pick(3) == 0 ? 1 + Pick(20) : 0, .where = *where};
    auto& [columns, cells] = projections[static_cast<size_t>(Pick(static_cast<int>(projections.size())))];
    scan.columns = columns;
    const std::vector<std::string> rows = ByHand(condition, scan, cells);
    std::string text;
    std::string cities;
    for (const std::string& row : rows) {
      text += (text.empty() ? "" : " ") + cells[row];
      const size_t city = cells[row].find("f:city@");
      const size_t value = cells[row].find('=', city);
      cities += row + "=" +
                (city == std::string::npos
                     ? "-"
                     : cells[row].substr(value + 1, cells[row].find_first_of(" }", value) - value - 1)) +
                " ";
    }
    ASSERT_EQ(ScanText(table, scan), text) << condition.text << (typed ? " of t" : " of plain");
    ASSERT_EQ(*table.CountRows(scan), static_cast<int64_t>(rows.size())) << condition.text;
    ASSERT_EQ(ToStringBinary(BatchText(table, scan, {"f", "city"})), cities) << condition.text;
    const auto transaction = *connection_->Begin({.isolation = IsolationLevel::kSerializable});
    ASSERT_EQ(ScanText(**transaction->GetTable(typed ? "t" : "plain"), scan), text) << condition.text;
    const Explain explain = *table.Explain(scan);
    by_index += explain.index.empty() ? 0 : 1;
    for (const Explain::Candidate& candidate : explain.candidates) {
      scan.plan = candidate.Name();
      if (const std::string forced = ScanText(table, scan); !forced.starts_with("InvalidArgument: no plan")) {
        ASSERT_EQ(forced, text) << condition.text << " by " << scan.plan;
        ++used[scan.plan];
      }
    }
    scan.plan.clear();
    scan.where = *table.ParseQuery(where->ToString());
    ASSERT_EQ(ScanText(table, scan), text) << where->ToString();
  }
  EXPECT_GT(by_index, 100);
  for (const char* const index : {"city", "age", "both", "n", "upper", "lower", "buckets", "hash", "key"}) {
    EXPECT_GT(used[std::string("index ") + index], 5) << index;
  }
}

TEST_F(WhereTest, TextInUpperCase) {
  Fill(0);
  int next = 0;
  for (const char* const city : {"berlin", "BERLIN", " Berlin", "M\u00FCnchen", "stra\u00DFe"}) {
    ASSERT_TRUE(table_->Put(Put{.row = "10100" + std::to_string(next++)}.Add("f", "city", city)).ok());
  }
  const auto cities = [&](const std::string& where) {
    const Scan scan = {.columns = {{"f", "city"}}, .where = *table_->ParseQuery(where)};
    EXPECT_EQ(table_->Explain(scan)->index, "upper") << where;
    EXPECT_TRUE(table_->Explain(scan)->index_only) << where;
    std::string out;
    auto scanner = *table_->Scan(scan);
    for (Result row; *scanner->Next(&row);) {
      out += std::string(*row.Value("f", "city")) + ",";
    }
    return out;
  };
  EXPECT_EQ(cities("upper(f:city)=BERLIN"), "berlin,BERLIN,");
  EXPECT_EQ(cities("UPPER( f:city )=berlin"), "");
  EXPECT_EQ(cities("upper(f:city)=M\u00DCNCHEN,STRASSE"), "M\u00FCnchen,stra\u00DFe,");
  EXPECT_EQ(cities("upper(f:city)=STRA*"), "stra\u00DFe,");
  const auto error = [&](const std::string& text) { return table_->ParseQuery(text).status().message(); };
  EXPECT_EQ(error("upper(g:age)=1"), "key query: at offset 6: upper takes text; the type of g:age is i32");
  EXPECT_EQ(error("upper(k)=1"), "key query: at offset 6: expected upper of a column, family:qualifier, found 'k'");
  EXPECT_EQ(error("upper(f:city=1"), "key query: at offset 12: expected ')', found '='");
  EXPECT_EQ(table_->ParseQuery("NOT LOWER(f:city)=a")->ToString(), "lower(f:city)!=a");
}

TEST_F(WhereTest, ReturnsOnlyTheColumnsAskedFor) {
  Fill(0);
  PutOne(
      "10"
      "0001",
      "f:city", "bonn", 9);
  table_->Put(Put{.row = "100001"}.Add("g", "age", BigEndian<int32_t>(-3), 9)).ok();
  const Scan scan = {.columns = {{"f", "city"}}, .where = *table_->ParseQuery("g:age=-5..-1")};
  EXPECT_EQ(ScanText(scan), "100001{f:city@9=bonn}");
  EXPECT_EQ(table_->Explain(scan)->index, "age");
  const Scan covered = {.columns = {{"f", "city"}}, .where = *table_->ParseQuery("f:city=bonn,ulm g:age<0")};
  EXPECT_EQ(ScanText(covered), "100001{f:city@9=bonn}");
}

// The matching rows are the last of the table, and too many for reading the whole index.
TEST_F(WhereTest, ALimitReadsOnlyTheFirstEntries) {
  Create("many", {Family("f")}, {{"KLIP_INDEX$city", "f:city text"}});
  std::vector<klip::Put> puts;
  for (int i = 1000; i < 5000; ++i) {
    puts.push_back(Put{.row = std::to_string(i)}
                       .Add("f", "city", i < 4000 ? "bonn" : "ulm")
                       .Add("f", "last", std::to_string(i % 100)));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  const auto read = [&](const Scan& scan, std::string* rows) {
    auto scanner = *table_->Scan(scan);
    for (Result row; *scanner->Next(&row);) {
      *rows += std::string(row.row()) + " ";
    }
    return scanner->statistics();
  };
  std::string rows;
  Scan scan = {.limit_rows = 3, .where = *table_->ParseQuery("f:city=ulm")};
  EXPECT_LE(read(scan, &rows).rows_read, 4);
  EXPECT_EQ(rows, "4000 4001 4002 ");
  EXPECT_EQ(table_->Explain(scan)->index, "city");
  // The filter drops most of the found rows: more are read.
  rows.clear();
  scan.where = *table_->ParseQuery("f:city=ulm f:last=99");
  const ScanStatistics dropped = read(scan, &rows);
  EXPECT_EQ(rows, "4099 4199 4299 ");
  EXPECT_EQ(dropped.rows_returned, 3);
  EXPECT_LE(dropped.rows_read, 400);
  rows.clear();
  scan.where = *table_->ParseQuery("f:city=ulm f:last=99 f:last!=99");
  read(scan, &rows);
  EXPECT_EQ(rows, "");
  scan.reversed = true;
  scan.where = *table_->ParseQuery("f:city=ulm");
  EXPECT_LE(read(scan, &rows).entries_read, 5);
  EXPECT_EQ(rows, "4999 4998 4997 ");
  // The first row of each value of a list.
  for (const bool reversed : {false, true}) {
    rows.clear();
    scan.reversed = reversed;
    scan.where = *table_->ParseQuery("f:city=ulm,bonn,nowhere");
    EXPECT_LE(read(scan, &rows).entries_read, 10);
    EXPECT_EQ(rows, reversed ? "4999 4998 4997 " : "1000 1001 1002 ");
    rows.clear();
    scan.where = *table_->ParseQuery("f:city=ulm,bonn f:last=0");
    read(scan, &rows);
    EXPECT_EQ(rows, reversed ? "4900 4800 4700 " : "1000 1100 1200 ");
  }
}

// All rows of the scan's range count as read: another transaction's write to any of them is a conflict.
TEST_F(WhereTest, InASerializableTransaction) {
  Create("bare", {Family("f")});
  PutOne("r", "f:x", "1");
  const auto transaction = *connection_->Begin({.isolation = IsolationLevel::kSerializable});
  const auto seen = *transaction->GetTable("bare");
  ASSERT_TRUE(seen->Put(Put{.row = "s"}.Add("f", "x", "2")).ok());
  EXPECT_EQ(RowsText(*seen, {.where = *seen->ParseQuery("f:x=1,2")}), "r s");
  PutOne("t", "f:x", "1");
  EXPECT_EQ(transaction->Commit().code(), Code::kTransactionConflict);
}

TEST_F(WhereTest, IsAnAttributeOfOtherClients) {
  Fill(200);
  const std::string text = "k>=15 f:city=b*";
  const Scan same = {.limit_rows = 4, .where = *table_->ParseQuery(text)};
  Scan scan = {.limit_rows = 4, .attributes = {{"klip.where", text}}};
  EXPECT_EQ(RowsText(scan), RowsText(same));
  EXPECT_EQ(table_->Explain(scan)->index, table_->Explain(same)->index);
  scan.limit_rows = 0;
  EXPECT_EQ(*table_->CountRows(scan), *table_->CountRows({.where = same.where}));
  EXPECT_LT(*table_->CountRows(scan), 200);
  scan.where = same.where;
  EXPECT_EQ(RowsText(scan), "InvalidArgument: a scan has both where and the attribute klip.where: give one of them");
  EXPECT_EQ(RowsText({.attributes = {{"klip.where", "day=1"}}}),
            "InvalidArgument: key query: at offset 0: the row key has no field 'day'; its fields are k, r; a column is "
            "written family:qualifier");
}

TEST_F(WhereTest, ErrorsNameWhatThereIs) {
  Fill(0);
  const auto error = [](Table& table, const std::string& text) { return table.ParseQuery(text).status().message(); };
  EXPECT_EQ(error(*table_, "h:x=1"),
            "key query: at offset 0: table 't' has no column family 'h'; its families are f, g");
  EXPECT_EQ(error(*table_, "day=1"),
            "key query: at offset 0: the row key has no field 'day'; its fields are k, r; a column is "
            "written family:qualifier");
  EXPECT_EQ(error(*table_, "f:n=70000"), "key query: at offset 3: field 'f:n': 70000 is not in 0..65535");
  EXPECT_EQ(error(*table_, "f:city=~'a?'"),
            "key query: at offset 6: field 'f:city': byte masks (=~) do not work on columns");
  EXPECT_EQ(error(*table_, "f:=1"),
            "key query: at offset 2: expected a qualifier; one that is empty is written '', found '='");
  EXPECT_EQ(error(*table_, "f:x::i12=1"),
            "key query: at offset 5: 'i12' is not a type of a column; the types are text, bytes, digits(n), date, ts, "
            "u8, u16, u32, "
            "u64, i8, i16, i32 and i64");
  Create("bare", {Family("f")});
  EXPECT_EQ(
      error(*table_, "day=1"),
      "key query: at offset 0: table 'bare' has no row-key schema (attribute KLIP_ROW_KEY), so 'day' is not a field; a "
      "column is written family:qualifier");
  EXPECT_EQ(RowsText({.raw = true, .where = *table_->ParseQuery("f:x=1")}),
            "InvalidArgument: a raw scan does not support conditions on columns");
}

TEST_F(WhereTest, NamesOddColumns) {
  Create("odd", {Family("f")});
  PutOne("r", "f:", "1");
  PutOne("s", "f:a b=\x01", "2");
  PutOne("t", "f:day", "20140628");
  PutOne("u", "f:OR", "3");
  const auto rows = [&](const std::string& text) { return RowsText({.where = *table_->ParseQuery(text)}); };
  EXPECT_EQ(rows("f:''=1"), "r");
  EXPECT_EQ(rows("f:\"a b=\\x01\">1"), "s");
  EXPECT_EQ(rows("f:day::date=2014-06"), "t");
  EXPECT_EQ(rows("'f':OR=3 OR f:''=1"), "r u");
  EXPECT_EQ(table_->ParseQuery("f:\"a b=\\x01\">=1 f:day::date>2014-06 f:OR!=*")->ToString(),
            "f:\"a b=\\x01\">=1 f:day::date>20140630 f:OR!=*");
}

}  // namespace
}  // namespace klip::table
