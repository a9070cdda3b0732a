// Compares scans by key query and row filter with a test of every row: random schemas, rows and queries; forward and
// reversed, on one and two threads, over several regions, sorted runs and a memtable.
//
//   KLIP_PLANNER_SETS=n   how many tables (default 200)     KLIP_SEED=n   one seed only
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "klip/filter.h"
#include "planner/key_oracle.h"

namespace klip::ops {
namespace {

struct DataSet {
  std::unique_ptr<Table> table;
  std::string schema_text;
  std::optional<RowKeySchema> schema;
  std::vector<std::string> rows;  // sorted
};

std::string RandomBytes(Random* random) {
  std::string out;
  for (size_t i = 0; i <= random->Below(4); ++i) {
    out.push_back(
        "\x00\x01"
        "ab\xFF"[random->Below(5)]);
  }
  return out;
}

// Rows of a random schema, or (one in three) rows of any bytes and length without a schema.
std::set<std::string> RandomRows(const std::optional<RowKeySchema>& schema, Random* random) {
  std::set<std::string> rows;
  const size_t tries = random->Pick<size_t>({0, 1, 30, 150, 300});
  for (size_t i = 0; i < tries; ++i) {
    if (!schema.has_value()) {
      rows.insert(RandomBytes(random));
      continue;
    }
    std::vector<std::string> values;
    for (const KeyField& field : schema->fields()) {
      if (!field.derived()) {
        values.push_back(RandomValue(field, random));
      }
    }
    Expected<std::string> key = schema->Encode(values);
    const bool no_key = schema->fields().size() == 1 && !values.empty() && values[0].empty();  // rightly refused
    if (key.ok()) {
      rows.insert(*key);
    } else if (!no_key) {
      ADD_FAILURE() << schema->ToString() << ": " << key.status().ToString();
    }
  }
  return rows;
}

class PlannerTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.sync_wal = false;
    Expected<std::unique_ptr<Connection>> opened = Connection::Open("klip:" + directory_.path(), options);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = *std::move(opened);
  }

  DataSet MakeDataSet(uint64_t seed, Random* random) {
    DataSet data;
    if (!random->OneIn(3)) {
      data.schema_text = RandomSchema(random);
      Expected<RowKeySchema> schema = RowKeySchema::Parse(data.schema_text);
      EXPECT_TRUE(schema.ok()) << data.schema_text << ": " << schema.status().ToString();
      if (schema.ok()) {
        data.schema = *schema;
      }
    }
    const std::set<std::string> rows = RandomRows(data.schema, random);
    data.rows.assign(rows.begin(), rows.end());
    const std::string name = "t" + std::to_string(seed);
    Create(name, data, random);
    Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    data.table = *std::move(table);
    Fill(name, data, random);
    return data;
  }

  void Create(const std::string& name, const DataSet& data, Random* random) {
    TableDescriptor descriptor{.name = name, .families = {{.name = "d"}}};
    descriptor.families[0].bloom = static_cast<BloomKind>(random->Below(3));
    descriptor.families[0].block_bytes = random->OneIn(2) ? 1024 : 65536;
    if (data.schema.has_value()) {
      descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = data.schema_text;
    }
    std::set<std::string> splits;
    while (!data.rows.empty() && splits.size() < random->Below(4)) {
      splits.insert(random->Pick(data.rows));
    }
    const Status status =
        connection_->admin().CreateTable(descriptor, std::vector<std::string>(splits.begin(), splits.end()));
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // In random order, with flushes between, some rows deleted and written again, and rows that do not stay.
  void Fill(const std::string& name, const DataSet& data, Random* random) {
    std::vector<std::string> order = data.rows;
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random->Below(i)]);
    }
    const size_t flush_in = random->Pick<size_t>({20, 60, 1000});
    int64_t at = 1;
    // In one of three cases, large enough for two threads to share the work.
    std::string value(random->OneIn(3) ? 3000 : 1, 'v');
    for (const std::string& row : order) {
      for (char& byte : value) {
        byte = static_cast<char>(random->Bits());
      }
      ASSERT_TRUE(data.table->Put(Put{.row = row}.Add("d", "q", value, ++at)).ok());
      if (random->OneIn(8)) {
        ASSERT_TRUE(data.table->Delete(Delete{.row = row, .timestamp_ms = ++at}).ok());
        ASSERT_TRUE(data.table->Put(Put{.row = row}.Add("d", "q", value, ++at)).ok());
      }
      if (random->OneIn(8) && !data.schema.has_value()) {
        std::string gone = RandomBytes(random) + "gone";
        ASSERT_TRUE(data.table->Put(Put{.row = gone}.Add("d", "q", "v", ++at)).ok());
        ASSERT_TRUE(data.table->Delete(Delete{.row = gone, .timestamp_ms = ++at}).ok());
      }
      if (random->OneIn(flush_in)) {
        ASSERT_TRUE(connection_->admin().Flush(name).ok());
      }
    }
  }

  // Runs one random query; false (with a message) when the rows are not those of the brute-force twin.
  bool RunQuery(const DataSet& data, Random* random) {
    Scan scan;
    KeyQuery query;
    FilterTwin twin;
    const bool by_key = data.schema.has_value() && !random->OneIn(3);
    if (by_key) {
      query = RandomQuery(data.schema->fields(), random);
      scan.where = query;
    }
    if (!data.rows.empty() && (!by_key || random->OneIn(4))) {
      twin = RandomRowFilter(data.rows, 2, random);
      scan.filter = twin.filter;
    }
    const RowRange bounds = RandomBounds(data, random, &scan);
    std::vector<std::string> expected;
    for (const std::string& row : data.rows) {
      const bool inside = (bounds.start.empty() || row >= bounds.start) && (bounds.stop.empty() || row < bounds.stop);
      if (inside && (!by_key || RowFitsQuery(data.schema->fields(), query, row)) && (!twin.test || twin.test(row))) {
        expected.push_back(row);
      }
    }
    if (scan.reversed) {
      std::ranges::reverse(expected);
    }
    if (scan.limit_rows > 0 && static_cast<size_t>(scan.limit_rows) < expected.size()) {
      expected.resize(static_cast<size_t>(scan.limit_rows));
    }
    return Compare(data, scan, expected);
  }

  // The rows asked for as [start, stop), whichever way the scan goes.
  RowRange RandomBounds(const DataSet& data, Random* random, Scan* scan) {
    RowRange bounds;
    if (!data.rows.empty() && random->OneIn(3)) {
      bounds.start = random->Pick(data.rows);
      bounds.stop = random->OneIn(2) ? random->Pick(data.rows) : "";
    }
    scan->reversed = random->OneIn(3);
    scan->start_row = scan->reversed ? bounds.stop : bounds.start;
    scan->stop_row = scan->reversed ? bounds.start : bounds.stop;
    if (scan->reversed) {
      scan->include_start = false;
      scan->include_stop = true;
    }
    scan->limit_rows = random->OneIn(6) ? random->Between(1, 5) : 0;
    scan->threads = random->OneIn(8) ? 2 : 1;
    return bounds;
  }

  bool Compare(const DataSet& data, const Scan& scan, const std::vector<std::string>& expected) {
    std::vector<std::string> actual;
    Expected<std::unique_ptr<ResultScanner>> scanner = data.table->Scan(scan);
    Status status = scanner.status();
    Result result;
    while (status.ok()) {
      Expected<bool> more = (*scanner)->Next(&result);
      status = more.status();
      if (!status.ok() || !*more) {
        break;
      }
      actual.emplace_back(result.row());
    }
    if (status.ok() && actual == expected) {
      return true;
    }
    ADD_FAILURE() << "schema " << data.schema_text << "\nwhere "
                  << (scan.where.has_value() ? scan.where->ToString() : "-") << "\nfilter "
                  << (scan.filter != nullptr ? scan.filter->ToString() : "-") << "\nstart "
                  << ToStringBinary(scan.start_row) << " stop " << ToStringBinary(scan.stop_row) << " reversed "
                  << scan.reversed << " limit " << scan.limit_rows << " threads " << scan.threads << "\n"
                  << status.ToString() << "\nexpected " << Join(expected) << "\ngot      " << Join(actual)
                  << "\nrows     " << Join(data.rows);
    return false;
  }

  static std::string Join(const std::vector<std::string>& rows) {
    std::string out = std::to_string(rows.size()) + ":";
    for (size_t i = 0; i < std::min<size_t>(rows.size(), 60); ++i) {
      out += " " + ToStringBinary(rows[i]);
    }
    return out;
  }

  TempDirectory directory_{TempDirectory::Where::kMemory};
  std::unique_ptr<Connection> connection_;
};

TEST_F(PlannerTest, AgreesWithTestingEveryRow) {
  const int64_t only = NumberFromEnvironment("KLIP_SEED", -1);
  const int64_t data_sets = only >= 0 ? 1 : NumberFromEnvironment("KLIP_PLANNER_SETS", 200);
  uint64_t seed = only >= 0 ? static_cast<uint64_t>(only) : 1;
  size_t queries = 0;
  for (int64_t set = 0; set < data_sets; ++set, ++seed) {
    Random random(seed);
    DataSet data = MakeDataSet(seed, &random);
    for (int i = 0; i < 300; ++i, ++queries) {
      ASSERT_TRUE(RunQuery(data, &random)) << "KLIP_SEED=" << seed << " query " << i;
    }
    ASSERT_TRUE(connection_->admin().DisableTable(data.table->name()).ok());
    ASSERT_TRUE(connection_->admin().DeleteTable(data.table->name()).ok());
  }
  printf("%zu queries agree with testing every row\n", queries);
}

// What ParseQuery reads is what ToString wrote.
TEST_F(PlannerTest, QueriesSurviveTheirText) {
  Random random(SeedFromEnvironment(7));
  for (int i = 0; i < 2000; ++i) {
    Expected<RowKeySchema> schema = RowKeySchema::Parse(RandomSchema(&random));
    ASSERT_TRUE(schema.ok()) << schema.status().ToString();
    Expected<RowKeySchema> again = RowKeySchema::Parse(schema->ToString());
    ASSERT_TRUE(again.ok() && *again == *schema) << schema->ToString();
    KeyQuery query = RandomQuery(schema->fields(), &random);
    if (std::ranges::any_of(query.any_of, [](const KeyBox& box) { return box.fields.empty(); })) {
      continue;
    }
    Expected<KeyQuery> parsed = schema->ParseQuery(query.ToString());
    ASSERT_TRUE(parsed.ok()) << query.ToString() << ": " << parsed.status().ToString();
    EXPECT_EQ(parsed->ToString(), query.ToString()) << schema->ToString();
  }
}

}  // namespace
}  // namespace klip::ops
