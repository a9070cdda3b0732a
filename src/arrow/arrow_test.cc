#include "klip/arrow.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/column_reader.h"
#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "klip/sql.h"

namespace klip::arrow {
namespace {

// A value as text: numbers, text, bytes printable, times in milliseconds; "null".
std::string Show(const ColumnReader& values, int64_t row) {
  if (values.is_null(row)) {
    return "null";
  }
  switch (values.kind()) {
    case ValueKind::kBool:
      return values.boolean(row) ? "true" : "false";
    case ValueKind::kInteger:
      return std::to_string(values.integer(row));
    case ValueKind::kUnsigned:
      return std::to_string(values.unsigned_integer(row));
    case ValueKind::kReal:
      return std::to_string(values.real(row));
    case ValueKind::kTime:
      return std::to_string(*values.time_ms(row));
    default:
      return ToStringBinary(values.bytes(row));
  }
}

struct Contents {
  std::string schema;  // "user:u day:tdD"
  std::vector<std::string> rows;
  int arrays = 0;
  std::string error;
};

// Reads a stream to its end and releases it.
Contents ReadAll(ArrowArrayStream* stream) {
  Contents out;
  ArrowSchema schema;
  EXPECT_EQ(stream->get_schema(stream, &schema), 0);
  std::vector<ColumnReader> columns;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    out.schema += (i == 0 ? "" : " ") + std::string(child.name) + ":" + child.format;
    const Expected<ColumnReader> column = ColumnReader::Open(child);
    columns.push_back(column.ok() ? *column : ColumnReader());
  }
  schema.release(&schema);
  while (true) {
    ArrowArray array;
    if (stream->get_next(stream, &array) != 0) {
      out.error = stream->get_last_error(stream);
      break;
    }
    if (array.release == nullptr) {
      break;
    }
    ++out.arrays;
    for (size_t i = 0; i < columns.size(); ++i) {
      EXPECT_EQ(array.children[i]->length, array.length);
      EXPECT_TRUE(columns[i].kind() == ValueKind::kNull || columns[i].Read(array.children[i], 0).ok());
    }
    for (int64_t row = 0; row < array.length; ++row) {
      std::string line;
      for (const ColumnReader& column : columns) {
        line += (line.empty() ? "" : " ") + Show(column, row);
      }
      out.rows.push_back(line);
    }
    array.release(&array);
  }
  stream->release(stream);
  return out;
}

class ArrowTest : public ::testing::Test {
 protected:
  void Make(const std::string& name, const std::string& row_key) {
    TableDescriptor table = {.name = name, .families = {{.name = "d"}, {.name = "e"}}};
    if (!row_key.empty()) {
      table.attributes[std::string(RowKeySchema::kTableAttribute)] = row_key;
    }
    ASSERT_EQ(connection_->admin().CreateTable(table).ToString(), "ok");
    table_ = *connection_->GetTable(name);
  }

  void Put(const std::string& row, const std::string& qualifier, const std::string& value,
           const std::string& family = "d") {
    ASSERT_EQ(table_->Put(klip::Put{.row = row}.Add(family, qualifier, value)).ToString(), "ok");
  }

  Contents Scanned(const ArrowOptions& options, const Scan& scan = {}) {
    ArrowArrayStream stream;
    const Status status = ScanArrow(table_.get(), scan, options, &stream);
    return status.ok() ? ReadAll(&stream) : Contents{.schema = {}, .rows = {}, .arrays = 0, .error = status.ToString()};
  }

  // Expects the same cells in both tables, but for timestamps; returns the number of rows.
  int64_t CompareRows(Table* from, const Scan& scan) {
    const auto before = *from->Scan(scan);
    const auto after = *table_->Scan(scan);
    Result one;
    Result other;
    int64_t rows = 0;
    for (; *before->Next(&one); ++rows) {
      EXPECT_TRUE(*after->Next(&other));
      EXPECT_EQ(one.size(), other.size());
      for (size_t i = 0; i < one.size() && i < other.size(); ++i) {
        EXPECT_EQ(one[i].row, other[i].row);
        EXPECT_EQ(one[i].qualifier, other[i].qualifier);
        EXPECT_EQ(one[i].value, other[i].value) << one[i].qualifier;
      }
    }
    EXPECT_FALSE(*after->Next(&other));
    return rows;
  }

  TempDirectory directory_;
  std::unique_ptr<Connection> connection_ = *Connection::Open("klip:" + directory_.path(), {.sync_wal = false});
  std::unique_ptr<Table> table_;
};

using Rows = std::vector<std::string>;

TEST_F(ArrowTest, HasTypedColumnsForKeyFieldsAndCells) {
  Make("logins",
       "s:salt(4) user:text(6,'*') day:date '_' at:reverse_ts n:i16 code:bytes(2) big:digits(20) small:digits(4)");
  const RowKeySchema schema = *table_->row_key_schema();
  const std::string alice = *schema.Encode({"alice", "20140628", "1000", "-5", "\\x00A", "123", "42"});
  Put(alice, "visits", BigEndian<int64_t>(-7));
  Put(alice, "from", "Bonn");
  Put(alice, "rate", BigEndian(std::bit_cast<uint64_t>(0.5)));
  Put(alice, "ok", std::string(1, '\xff'));
  const Contents got = Scanned({.columns = {{"d", "visits", "i64"},
                                            {"d", "from", "text"},
                                            {"d", "rate", "f64"},
                                            {"d", "ok", "boolean"},
                                            {"d", "none"},
                                            {"e", "from", "bytes"}}});
  EXPECT_EQ(got.schema,
            "user:u day:tdD at:tsm:UTC n:s code:z big:u small:l visits:l d:from:u rate:g ok:b none:z e:from:z");
  EXPECT_EQ(got.rows, Rows{"alice 1403913600000 1000 -5 \\x00A 123 42 -7 Bonn 0.500000 true null null"});
  EXPECT_EQ(got.error, "");
}

TEST_F(ArrowTest, ReadsKeysAlone) {
  Make("t", "");
  EXPECT_EQ(Scanned({}).rows, Rows{});
  Put("a", "x", "1");
  Put("b\xff", "y", "2", "e");
  const Contents got = Scanned({});
  EXPECT_EQ(got.schema, "row:z");
  EXPECT_EQ(got.rows, (Rows{"a", "b\\xFF"}));
  EXPECT_EQ(Scanned({.columns = {{"d", "x"}}, .key_fields = false}).rows, Rows{"1"});
}

TEST_F(ArrowTest, MapsAllCells) {
  Make("t", "user:text");
  Put("a", "x", "1");
  Put("a", std::string("\0y", 2), "22");
  Put("b", "z", "", "e");
  ArrowArrayStream stream;
  ASSERT_TRUE(ScanArrow(table_.get(), {}, {.columns = {{"d", "x"}}, .all_cells = true}, &stream).ok());
  ArrowSchema schema;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  const ArrowSchema& map = *schema.children[2];
  EXPECT_EQ(std::string(map.name) + map.format + map.children[0]->format, "cells+m+s");
  EXPECT_EQ(map.children[0]->flags, 0);
  schema.release(&schema);
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  const auto* ends = static_cast<const int32_t*>(array.children[2]->buffers[1]);
  EXPECT_EQ(std::vector<int32_t>(ends, ends + 3), (std::vector<int32_t>{0, 2, 3}));
  const ArrowArray& entries = *array.children[2]->children[0];
  EXPECT_EQ(entries.length, 3);
  EXPECT_EQ(std::string(static_cast<const char*>(entries.children[0]->buffers[2]), 13), "d:\\x00yd:xe:z");
  EXPECT_EQ(std::string(static_cast<const char*>(entries.children[1]->buffers[2]), 3), "221");
  array.release(&array);
  stream.release(&stream);
  EXPECT_NE(Scanned({.columns = {{"d", "cells"}}, .all_cells = true}).error.find("the same name"), std::string::npos);
}

TEST_F(ArrowTest, TakesTheScansConditions) {
  Make("t", "user:text('|') n:u32");
  const RowKeySchema schema = *table_->row_key_schema();
  for (int i = 0; i < 100; ++i) {
    Put(*schema.Encode({i % 2 == 0 ? "a" : "b", std::to_string(i)}), "x", std::to_string(i));
  }
  const ArrowOptions options = {.columns = {{"d", "x", "text"}}, .batch_rows = 2};
  const Contents got = Scanned(options, {.limit_rows = 5, .where = *schema.ParseQuery("n>=90")});
  EXPECT_EQ(got.rows, (Rows{"a 90 90", "a 92 92", "a 94 94", "a 96 96", "a 98 98"}));
  EXPECT_EQ(got.arrays, 3);
  EXPECT_EQ(Scanned(options, {.reversed = true, .limit_rows = 1}).rows, Rows{"b 99 99"});
  Put(*schema.Encode({"b", "7"}), "z", "last");
  EXPECT_EQ(Scanned({}, {.where = *table_->ParseQuery("d:z=last")}).rows, Rows{"b 7"});
  EXPECT_EQ(Scanned(options, {.threads = 4}).rows.size(), 100U);
}

TEST_F(ArrowTest, ReportsBytesThatAreNotOfTheType) {
  Make("t", "user:text('|') n:u32");
  const RowKeySchema schema = *table_->row_key_schema();
  Put(*schema.Encode({"a", "1"}), "x", "\xff");
  EXPECT_EQ(
      Scanned({.columns = {{"d", "x", "text"}}}).error,
      "InvalidArgument: row 'a|\\x00\\x00\\x00\\x01': column 'x': '\\xFF' is not UTF-8; read the column as bytes");
  EXPECT_EQ(Scanned({.columns = {{"d", "x", "i64"}}}).error,
            "InvalidArgument: row 'a|\\x00\\x00\\x00\\x01': column 'x': '\\xFF' has 1 bytes, not 8");
  Put("nokey", "x", "1");
  const Contents got = Scanned({.columns = {{"d", "x"}}});
  EXPECT_NE(got.error.find("row 'nokey': field 'user' at offset 0"), std::string::npos) << got.error;
}

TEST_F(ArrowTest, RefusesBadRequests) {
  Make("t", "user:text");
  const auto error = [&](std::vector<ArrowColumn> columns) { return Scanned({.columns = std::move(columns)}).error; };
  EXPECT_NE(error({{"d", "x", "int"}}).find("column 'd:x': "), std::string::npos);
  EXPECT_NE(error({{"d", "x", "md5(2)"}}).find("'md5(2)' is not a type of cells"), std::string::npos);
  EXPECT_NE(error({{"d", "x"}, {"d", "x"}}).find("column 'd:x': it is named twice"), std::string::npos);
  EXPECT_NE(error({{"d", "x", "bytes", "user"}}).find("another column has the name 'user'"), std::string::npos);
  EXPECT_NE(Scanned({.key_fields = false}).error.find("no columns"), std::string::npos);
  EXPECT_NE(Scanned({.batch_rows = 0}).error.find("batch_rows"), std::string::npos);
  EXPECT_NE(Scanned({}, {.columns = {{"d"}}}).error.find("columns of a stream"), std::string::npos);
  EXPECT_NE(Scanned({}, {.raw = true}).error.find("raw"), std::string::npos);
  EXPECT_NE(error({{"nofamily", "x"}}).find("nofamily"), std::string::npos);
}

TEST_F(ArrowTest, HasResultsOfSql) {
  const std::unique_ptr<sql::Session> session = *sql::Session::Open(connection_.get());
  ASSERT_TRUE(session
                  ->Execute("CREATE TABLE p (k INTEGER PRIMARY KEY, t VARCHAR, d DECIMAL(10,2), b BOOLEAN, "
                            "at TIMESTAMP, day DATE, a INTEGER ARRAY, v VARBINARY, f FLOAT)")
                  .ok());
  ASSERT_TRUE(session
                  ->Execute("UPSERT INTO p VALUES (1, 'x', 12.5, true, TO_TIMESTAMP('2014-06-28 12:30:00.123'), "
                            "TO_DATE('2014-06-28'), ARRAY[1, 2], NULL, 1.5)")
                  .ok());
  ASSERT_TRUE(session->Execute("UPSERT INTO p (k) VALUES (2)").ok());
  ArrowArrayStream stream;
  ASSERT_TRUE(
      SqlArrow(*session->Execute("SELECT k, t, d, b, at, day, a, v, f, d * 2 AS twice FROM p"), 100, &stream).ok());
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  const ArrowArray& list = *array.children[6];
  EXPECT_EQ(static_cast<const int32_t*>(list.buffers[1])[1], 2);
  EXPECT_EQ(static_cast<const int32_t*>(list.children[0]->buffers[1])[1], 2);
  EXPECT_EQ(static_cast<const int64_t*>(array.children[2]->buffers[1])[0], 1250);  // the lower half of the number
  array.release(&array);
  stream.release(&stream);

  ASSERT_TRUE(SqlArrow(*session->Execute("SELECT k, t, b, at, day, v, f FROM p"), 100, &stream).ok());
  const Contents got = ReadAll(&stream);
  EXPECT_EQ(got.schema, "K:i T:u B:b AT:tsn: DAY:tsm: V:z F:f");
  EXPECT_EQ(got.rows, (Rows{"1 x true 1403958600123 1403913600000 null 1.500000", "2 null null null null null null"}));
  ASSERT_TRUE(SqlArrow(*session->Execute("SELECT 'x', CAST('  ' AS CHAR(2)) FROM p LIMIT 1"), 100, &stream).ok());
  EXPECT_EQ(ReadAll(&stream).rows, (Rows{"x "})) << "a CHAR of blanks prints as ''";
  EXPECT_NE(SqlArrow(*session->Execute("UPSERT INTO p (k) VALUES (3)"), 100, &stream).message().find("returns no rows"),
            std::string::npos);
}

TEST_F(ArrowTest, WritesWhatItRead) {
  const std::string keys = "s:salt(4) user:text('|') day:date at:reverse_ts n:i32 desc u:u64 code:bytes(2)";
  const std::vector<ArrowColumn> columns = {
      {"d", "a", "i64"}, {"d", "b", "text"}, {"d", "c", "bytes"}, {"d", "d", "f64"}, {"d", "e", "boolean"},
      {"d", "f", "f32"}, {"d", "g", "date"}, {"d", "h", "ts"},    {"e", "i", "u8"},  {"e", "j", "digits(5)"}};
  Make("from", keys);
  const RowKeySchema schema = *table_->row_key_schema();
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto number = [&] { return std::to_string(random() % 100000); };
    const std::string day = "201406" + std::to_string(10 + random() % 20);
    const std::string code = {static_cast<char>('A' + random() % 26), 'x'};
    const std::string row =
        *schema.Encode(std::vector<std::string>{"user" + number(), day, number(), "-" + number(), number(), code});
    klip::Put put = {.row = row};
    const auto maybe = [&](const char* family, const char* qualifier, const std::string& value) {
      if (random() % 3 != 0) {
        put.Add(family, qualifier, value);
      }
    };
    maybe("d", "a", BigEndian<int64_t>(static_cast<int64_t>(random()) - INT32_MAX));
    maybe("d", "b", "\xc3\xbc" + number());
    maybe("d", "c", {static_cast<char>(random()), static_cast<char>(random())});
    maybe("d", "d", BigEndian(std::bit_cast<uint64_t>(static_cast<double>(random()) / 7)));
    maybe("d", "e", std::string(1, random() % 2 == 0 ? '\xff' : '\0'));
    maybe("d", "f", BigEndian(std::bit_cast<uint32_t>(static_cast<float>(random()) / 3)));
    maybe("d", "g", "20140628");
    maybe("d", "h", BigEndian<uint64_t>(random()));
    maybe("e", "i", std::string(1, static_cast<char>(random())));
    maybe("e", "j", "00042");
    put.Add("e", "k", "left");
    ASSERT_TRUE(table_->Put(put).ok());
  }
  const std::unique_ptr<Table> from = std::move(table_);
  Make("to", keys);
  ArrowArrayStream stream;
  ASSERT_EQ(ScanArrow(from.get(), {}, {.columns = columns, .batch_rows = 100}, &stream).ToString(), "ok");
  const Expected<int64_t> written = WriteArrow(table_.get(), {.columns = columns}, &stream);
  ASSERT_TRUE(written.ok()) << written.status().ToString();
  EXPECT_EQ(stream.release, nullptr);

  EXPECT_EQ(CompareRows(from.get(), {.columns = {{"d"}, {"e", "i"}, {"e", "j"}}}), *written);
}

TEST_F(ArrowTest, WritesAllCellsOfAMap) {
  Make("from", "");
  std::mt19937 random(9);
  const auto bytes = [&](size_t most) {
    std::string out(random() % most, '\0');
    for (char& c : out) {
      c = static_cast<char>(random());
    }
    return out;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string row = "r" + bytes(9);
    for (size_t cells = random() % 5; cells > 0; --cells) {
      Put(row, bytes(6), bytes(20), random() % 2 == 0 ? "d" : "e");
    }
  }
  const std::unique_ptr<Table> from = std::move(table_);
  Make("to", "");
  ArrowArrayStream stream;
  ASSERT_TRUE(ScanArrow(from.get(), {}, {.all_cells = true, .batch_rows = 37}, &stream).ok());
  const Expected<int64_t> written = WriteArrow(table_.get(), {}, &stream);
  ASSERT_TRUE(written.ok()) << written.status().ToString();
  EXPECT_EQ(CompareRows(from.get(), {}), *written);
  EXPECT_GT(*written, 300);
}

// A stream of the same arrays without their first `skipped` rows, by the offset of the struct or by those of its columns: what slices
// of a table are.
class Slices {
 public:
  Slices(const ArrowArrayStream& inner, int64_t skipped, bool of_columns)
      : inner_(inner), skipped_(skipped), of_columns_(of_columns) {}

  ArrowArrayStream stream() {
    return {.get_schema = [](ArrowArrayStream* self,
                             ArrowSchema* out) { return Of(self)->inner_.get_schema(&Of(self)->inner_, out); },
            .get_next = [](ArrowArrayStream* self, ArrowArray* out) { return Of(self)->Next(out); },
            .get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; },
            .release =
                [](ArrowArrayStream* self) {
                  Of(self)->inner_.release(&Of(self)->inner_);
                  self->release = nullptr;
                },
            .private_data = this};
  }

 private:
  static Slices* Of(ArrowArrayStream* self) { return static_cast<Slices*>(self->private_data); }

  int Next(ArrowArray* out) {
    const int code = inner_.get_next(&inner_, out);
    if (code != 0 || out->release == nullptr) {
      return code;
    }
    out->length -= skipped_;
    if (!of_columns_) {
      out->offset = skipped_;
      return code;
    }
    for (int64_t i = 0; i < out->n_children; ++i) {
      out->children[i]->offset = skipped_;
      out->children[i]->length -= skipped_;
    }
    return code;
  }

  ArrowArrayStream inner_;
  int64_t skipped_;
  bool of_columns_;
};

TEST_F(ArrowTest, WritesSlices) {
  Make("from", "user:text('|') n:u32");
  const RowKeySchema schema = *table_->row_key_schema();
  for (int i = 0; i < 30; ++i) {
    klip::Put put = {.row = *schema.Encode({"u", std::to_string(i)})};
    put.Add("d", "always", std::to_string(i)).Add("e", "raw", "r");
    if (i % 3 == 0) {
      put.Add("d", "number", BigEndian<int64_t>(i));
    }
    ASSERT_TRUE(table_->Put(put).ok());
  }
  const std::unique_ptr<Table> from = std::move(table_);
  const std::vector<ArrowColumn> columns = {{"d", "always", "text"}, {"d", "number", "i64"}};
  for (const bool of_columns : {false, true}) {
    Make(of_columns ? "columns" : "structs", "user:text('|') n:u32");
    ArrowArrayStream all;
    ASSERT_TRUE(ScanArrow(from.get(), {}, {.columns = columns, .all_cells = true}, &all).ok());
    Slices slices(all, 10, of_columns);
    ArrowArrayStream stream = slices.stream();
    const Expected<int64_t> written = WriteArrow(table_.get(), {.columns = columns}, &stream);
    ASSERT_TRUE(written.ok()) << written.status().ToString();
    EXPECT_EQ(*written, 20);
    EXPECT_EQ(CompareRows(from.get(), {.start_row = *schema.Encode({"u", "10"})}), 20);
  }
}

TEST_F(ArrowTest, NamesTheColumnThatCannotBeWritten) {
  Make("t", "user:text('|') n:u8");
  const std::unique_ptr<sql::Session> session = *sql::Session::Open(connection_.get());
  const auto write = [&](const std::string& select, std::vector<ArrowColumn> columns) {
    ArrowArrayStream stream;
    EXPECT_TRUE(SqlArrow(*session->Execute(select), 100, &stream).ok()) << select;
    const Expected<int64_t> written = WriteArrow(table_.get(), {.columns = std::move(columns)}, &stream);
    return written.ok() ? std::to_string(*written) : written.status().message();
  };
  EXPECT_EQ(write("SELECT 'a' \"user\", 1 \"n\", 5 \"x\"", {{"d", "x", "i32"}}), "1");
  EXPECT_EQ(write("SELECT 'a' \"user\", 1 \"n\", 5 \"y\"", {{"d", "x", "i32"}}),
            "column 'y': it is neither a field of the row key nor a column to write");
  EXPECT_EQ(write("SELECT 'a' \"user\", 5 \"x\"", {{"d", "x", "i32"}}),
            "column 'n': the stream lacks this part of the row key");
  EXPECT_EQ(write("SELECT 'a' \"user\", 1 \"n\"", {{"d", "x", "i32"}}), "column 'x': the stream lacks it");
  EXPECT_EQ(write("SELECT 'a' \"user\", 300 \"n\", 5 \"x\"", {{"d", "x", "i32"}}),
            "row 0 of the stream: field 'n': 300 is not in 0..255");
  EXPECT_EQ(write("SELECT 'a' \"user\", CAST(NULL AS INTEGER) \"n\", 5 \"x\"", {{"d", "x", "i32"}}),
            "row 0 of the stream, column 'n': null in the row key");
  EXPECT_EQ(write("SELECT 'a' \"user\", 1 \"n\", 5000000000 \"x\"", {{"d", "x", "i32"}}),
            "row 0 of the stream, column 'x': field 'x': 5000000000 is not in -2147483648..2147483647");
  EXPECT_EQ(write("SELECT 'a' \"user\", 1 \"n\", ARRAY[1] \"x\"", {{"d", "x", "i32"}}),
            "column 'x': Arrow's format '+l' cannot be written to a table");
}

}  // namespace
}  // namespace klip::arrow
