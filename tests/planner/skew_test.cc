// How close the planner's estimates are to actual scans, on skewed tables (skew_tables.h).
//
//   KLIP_SKEW_ROWS=n   rows of each table, or of the largest mixed ones (default 20,000)
//   KLIP_SKEW_PRINT=1  a line for each query; 2: and its plan
//   KLIP_SKEW_TIMES=1  with the costs of this machine, and chosen and forced plans by time. Otherwise costs are fixed, and all that is
//                      counted is the same each time
//   KLIP_SKEW_EXPLAIN=n  explains each query so often, and prints the time of one
//   KLIP_SKEW_SEED=n   of the random tables                    KLIP_SKEW_TABLES=n  their number (default 30)
//   KLIP_SKEW_TABLE=x  only the mixed, other or service table of this name
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "engine/read/read_costs.h"
#include "engine/store/storage.h"
#include "filter/rows/jump_policy.h"
#include "filter/rows/key_sample.h"
#include "klip/connection.h"
#include "klip/index.h"
#include "ops/random.h"
#include "planner/mixed_tables.h"
#include "planner/other_tables.h"
#include "planner/service_tables.h"
#include "planner/skew_tables.h"
#include "table/embedded_connection.h"
#include "table/info/table_index.h"

namespace klip::ops {
namespace {

bool MeasuresTimes() { return NumberFromEnvironment("KLIP_SKEW_TIMES", 0) > 0; }

size_t RowsOfTables(int64_t otherwise) {
  return static_cast<size_t>(NumberFromEnvironment("KLIP_SKEW_ROWS", otherwise));
}

bool Prints() { return NumberFromEnvironment("KLIP_SKEW_PRINT", 0) > 0; }

// Those of this machine, roughly.
constexpr engine::ReadCosts kFixedCosts = {
    .seek_us = 2, .far_seek_us = 5, .step_us = 0.25, .short_step_us = 0.25, .return_us = 0.1};

constexpr int32_t kDayS = 24 * 3600;

// A jump in steps, roughly.
constexpr double kSteps = 5;

// How often each is within a factor of 2. Work: the rows that are read, and the jumps. If seeking costs about as much as stepping over
// the rows, a scan that does the one or the other has different jumps and the same work.
struct Score {
  size_t queries = 0;
  size_t rows = 0;
  size_t jumps = 0;
  size_t times = 0;  // of those below 100 us, differences do not matter
  size_t work = 0;
  double worst_rows = 1;
  double worst_jumps = 1;
  double worst_work = 1;
  double explaining_us = 0;  // each query again, in time of this thread
  double most_us = 0;
};

// By what factor they differ. Less than `least` is as good as `least`.
double FactorBetween(double a, double b, double least = 1) {
  return std::max({least, a, b}) / std::max(least, std::min(a, b));
}

double ThreadTimeUs() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

class SkewTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.sync_wal = false;
    Expected<std::unique_ptr<Connection>> opened = Connection::Open("klip:" + directory_.path(), options);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = *std::move(opened);
    filter::JumpCosts::Freeze(!MeasuresTimes());
  }
  void TearDown() override { filter::JumpCosts::Freeze(false); }

  std::unique_ptr<Table> Create(const SkewTable& table) {
    TableDescriptor descriptor{.name = table.name, .families = {{.name = "d"}}};
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = table.schema;
    const Status created = connection_->admin().CreateTable(descriptor);
    EXPECT_TRUE(created.ok()) << table.schema << ": " << created.ToString();
    return *connection_->GetTable(table.name);
  }

  // In so many files: less than make RocksDB compact them at some time.
  std::unique_ptr<Table> Load(const SkewTable& table, size_t files) {
    MixedTable mixed;
    static_cast<SkewTable&>(mixed) = table;
    mixed.files = files;
    return Load(mixed);
  }

  std::unique_ptr<Table> Load(const MixedTable& table) {
    std::unique_ptr<Table> open = Create(table);
    if (table.indexed) {
      EXPECT_TRUE(
          (*connection_->admin().indexes())->CreateIndex(table.name, *IndexDescriptor::Parse("by_c", "d:c text")).ok());
    }
    const bool flushes = table.state != MixedTable::State::kMemory;
    for (size_t file = 0; file < table.files; ++file) {
      Write(table, RowsOfFile(table, file), open.get());
      if (flushes && !(table.state == MixedTable::State::kPartlyMemory && file > 0 && file + 1 == table.files)) {
        EXPECT_TRUE(connection_->admin().Flush(table.name).ok());
      }
      if (table.state == MixedTable::State::kErased) {
        EraseSome(table, RowsOfFile(table, file), file, open.get());
      }
    }
    if (table.state == MixedTable::State::kDeleted) {
      DeleteMost(table, open.get());
    }
    if (table.state == MixedTable::State::kExpired) {
      EXPECT_TRUE(connection_->admin().ModifyFamily(table.name, {.name = "d", .ttl_s = kDayS}).ok());
    }
    if (!MeasuresTimes()) {
      auto& connection = static_cast<table::EmbeddedConnection&>(*connection_);
      const table::InfoPtr info = *(*connection.FindSlot(table.name))->Current();
      FixCosts(connection.store(), info->view);
      if (table.indexed) {
        FixCosts(connection.store(), info->indexes->Find("by_c")->entries->view);
      }
    }
    return open;
  }

  static void FixCosts(const engine::Store& store, const engine::TablePtr& table) {
    store.storage().CountMemory(*table);
    engine::FixCosts(store, table, kFixedCosts);
  }

  static std::vector<size_t> RowsOfFile(const MixedTable& table, size_t file) {
    const size_t each = table.rows.size() / table.files + 1;
    std::vector<size_t> rows;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      if (table.state == MixedTable::State::kOverwritten || (table.in_turn ? i % table.files : i / each) == file) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  // Of rows that expire, three of four are older than a day.
  static void Write(const MixedTable& table, const std::vector<size_t>& rows, Table* open) {
    const RowKeySchema schema = *open->row_key_schema();
    const int64_t now_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    std::vector<Put> puts;
    for (const size_t i : rows) {
      Expected<std::string> row = schema.Encode(table.rows[i]);
      EXPECT_TRUE(row.ok()) << table.name << ": " << row.status().ToString();
      Put& put = puts.emplace_back(Put{.row = *std::move(row)});
      if (table.state == MixedTable::State::kExpired) {
        const bool old = table.in_turn ? i % 4 != 0 : i < table.rows.size() * 3 / 4;
        put.timestamp_ms = now_ms - (old ? 2 : 0) * kDayS * 1000;
      }
      put.Add("d", "n", "1");
      for (size_t cell = 1; cell < table.cells; ++cell) {
        put.Add("d", "n" + std::to_string(cell), "1");
      }
      if (!table.column.empty() && !table.column[i].empty()) {
        put.Add("d", "c", table.column[i]);
      }
      if (puts.size() == 1000) {
        EXPECT_TRUE(open->Put(puts).ok());
        puts.clear();
      }
    }
    EXPECT_TRUE(open->Put(puts).ok());
  }

  void DeleteMost(const MixedTable& table, Table* open) {
    const RowKeySchema schema = *open->row_key_schema();
    for (size_t i = 0; i < table.rows.size(); ++i) {
      if (table.in_turn ? i % 10 != 0 : i < table.rows.size() * 9 / 10) {
        EXPECT_TRUE(open->Delete(Delete{.row = *schema.Encode(table.rows[i])}).ok());
      }
    }
    EXPECT_TRUE(connection_->admin().Flush(table.name).ok());
  }

  // Their markers are in memory, or in the next file.
  static void EraseSome(const MixedTable& table, const std::vector<size_t>& rows, size_t file, Table* open) {
    const RowKeySchema schema = *open->row_key_schema();
    for (const size_t i : rows) {
      if (filter::SampleHash(table.rows[i].front()) % 10 == file) {
        EXPECT_TRUE(open->Delete(Delete{.row = *schema.Encode(table.rows[i])}).ok());
      }
    }
  }

  static Scan ScanFor(Table* table, const std::string& query, int64_t limit, bool reversed = false) {
    Expected<KeyQuery> where = table->ParseQuery(query);
    EXPECT_TRUE(where.ok()) << query << ": " << where.status().ToString();
    return {.reversed = reversed, .limit_rows = limit, .where = *std::move(where)};
  }

  static Scan ScanFor(Table* table, const MixedTable& mixed, size_t query) {
    return ScanFor(table, mixed.queries[query], query < mixed.limits.size() ? mixed.limits[query] : 0,
                   query < mixed.reversed.size() && mixed.reversed[query]);
  }

  static Explain Run(Table* table, const Scan& scan) {
    std::unique_ptr<ResultScanner> scanner = *table->Scan(scan);
    Result result;
    while (*scanner->Next(&result)) {
    }
    return scanner->explain();
  }

  static double ExplainTimeUs(Table* table, const Scan& scan) {
    const int64_t times = NumberFromEnvironment("KLIP_SKEW_EXPLAIN", 1);
    const double start_us = ThreadTimeUs();
    for (int64_t i = 0; i < times; ++i) {
      EXPECT_TRUE(table->Explain(scan).ok());
    }
    return (ThreadTimeUs() - start_us) / static_cast<double>(times);
  }

  // As `klip explain --run`: explains before the scan runs, which may measure costs.
  static Explain Measure(Table* table, const std::string& query, const Scan& scan, Score* score) {
    Explain explain = *table->Explain(scan);
    const double once_us = ExplainTimeUs(table, scan);
    score->explaining_us += once_us;
    score->most_us = std::max(score->most_us, once_us);
    const Explain run = Run(table, scan);
    EXPECT_EQ(explain.index, run.index) << table->name() << ": " << query;
    explain.actual = run.actual;
    const double rows =
        FactorBetween(explain.estimated.rows_returned, static_cast<double>(explain.actual->rows_returned));
    const double jumps = FactorBetween(explain.estimated.seeks, static_cast<double>(explain.actual->seeks));
    const double work = FactorBetween(
        explain.estimated.rows_read + kSteps * explain.estimated.seeks,
        static_cast<double>(explain.actual->rows_read) + kSteps * static_cast<double>(explain.actual->seeks));
    const auto again_us = std::min(Run(table, scan).actual->elapsed_us, Run(table, scan).actual->elapsed_us);
    const double time = FactorBetween(explain.estimated.time_us, static_cast<double>(again_us), 100);
    ++score->queries;
    score->times += time <= 2 ? 1 : 0;
    score->rows += rows <= 2 ? 1 : 0;
    score->jumps += jumps <= 2 ? 1 : 0;
    score->work += work <= 2 ? 1 : 0;
    score->worst_work = std::max(score->worst_work, work);
    score->worst_rows = std::max(score->worst_rows, rows);
    score->worst_jumps = std::max(score->worst_jumps, jumps);
    if (NumberFromEnvironment("KLIP_SKEW_PRINT", 0) > 0) {
      printf(
          "%c%c%c rows %9.0f of %7ld  jumps %9.0f of %7ld  read %9.0f of %7ld  time %9.0f of %7ld  explain %5.0f  "
          "%-10s "
          "%s: %s limit %ld%s\n",
          rows <= 2 ? ' ' : 'R', jumps <= 2 ? ' ' : 'J', time <= 2 ? ' ' : 'T', explain.estimated.rows_returned,
          static_cast<long>(explain.actual->rows_returned), explain.estimated.seeks,
          static_cast<long>(explain.actual->seeks), explain.estimated.rows_read,
          static_cast<long>(explain.actual->rows_read), explain.estimated.time_us, static_cast<long>(again_us), once_us,
          std::string(PlanKindName(explain.kind)).c_str(), table->name().c_str(), query.c_str(),
          static_cast<long>(scan.limit_rows), scan.reversed ? " reversed" : "");
    }
    if (NumberFromEnvironment("KLIP_SKEW_PRINT", 0) > 1) {
      printf("%s\n", explain.ToText().c_str());
    }
    return explain;
  }

  // `files`: of each table; 0: one to three.
  Score MeasureAll(const std::vector<SkewTable>& tables, size_t files) {
    Score score;
    for (size_t i = 0; i < tables.size(); ++i) {
      const std::unique_ptr<Table> table = Load(tables[i], files == 0 ? 1 + i % 3 : files);
      for (const std::string& query : tables[i].queries) {
        Measure(table.get(), query, ScanFor(table.get(), query, 0), &score);
      }
    }
    Print(score);
    return score;
  }

  Score MeasureAll(const std::vector<MixedTable>& tables) {
    Score score;
    const char* const only = std::getenv("KLIP_SKEW_TABLE");
    for (const MixedTable& mixed : tables) {
      if (only != nullptr && mixed.name != only) {
        continue;
      }
      const std::unique_ptr<Table> table = Load(mixed);
      if (Prints()) {
        printf("%s: %zu rows, state %d, %zu files, %s: %s\n", mixed.name.c_str(), mixed.rows.size(),
               static_cast<int>(mixed.state), mixed.files,
               mixed.indexed          ? "indexed"
               : mixed.column.empty() ? "no column"
                                      : "column",
               mixed.schema.c_str());
      }
      for (size_t i = 0; i < mixed.queries.size(); ++i) {
        const Explain explain = Measure(table.get(), mixed.queries[i], ScanFor(table.get(), mixed, i), &score);
        if (explain.kind == PlanKind::kFullWalk && explain.index.empty() && mixed.limits[i] == 0) {
          EXPECT_GE(10 * explain.estimated.rows_read, static_cast<double>(mixed.rows.size())) << mixed.queries[i];
        }
      }
    }
    Print(score);
    return score;
  }

  static void Print(const Score& score) {
    printf(
        "of %zu queries within 2 x: rows %zu (worst %.0f x), jumps %zu (worst %.0f x), work %zu (worst %.0f x), times "
        "%zu; to explain one takes %.0f us (at most %.0f)\n",
        score.queries, score.rows, score.worst_rows, score.jumps, score.worst_jumps, score.work, score.worst_work,
        score.times, score.explaining_us / std::max(1.0, static_cast<double>(score.queries)), score.most_us);
  }

  // Of a scan with this plan; empty: the one that is chosen. In steps, or with KLIP_SKEW_TIMES in microseconds, the least of three runs.
  static double CostOf(Table* table, Scan scan, const std::string& plan) {
    scan.plan = plan;
    const bool times = MeasuresTimes();
    double least = 1e18;
    for (int run = 0; run < (times ? 3 : 1); ++run) {
      Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan(scan);
      EXPECT_TRUE(scanner.ok()) << plan << ": " << scanner.status().ToString();
      Result result;
      while (*(*scanner)->Next(&result)) {
      }
      const ScanStatistics& all = (*scanner)->statistics();
      least = std::min(least, times ? static_cast<double>(all.elapsed_us)
                                    : static_cast<double>(all.steps) + kSteps * static_cast<double>(all.seeks));
    }
    return least;
  }

  // How far the chosen plan is from the best one, of all that the query can have. Below some 50 us, differences do not matter.
  double AgainstBestForced(Table* table, const std::string& query, const Scan& scan) {
    const Expected<Explain> explain = table->Explain(scan);
    EXPECT_EQ(explain->index, (*table->Scan(scan))->explain().index) << table->name() << ": " << query;
    const double least = MeasuresTimes() ? 50 : 200;
    double best = 1e18;
    std::string best_plan;
    for (const Explain::Candidate& candidate : explain->candidates) {
      if (candidate.cost.time_us > 0) {
        if (const double cost = std::max(least, CostOf(table, scan, candidate.Name())); cost < best) {
          best = cost;
          best_plan = candidate.Name();
        }
      }
    }
    const double chosen = std::max(least, CostOf(table, scan, ""));
    if (chosen > 1.1 * best) {
      printf("%s: %s: costs %.0f, by %s %.0f\n", table->name().c_str(), query.c_str(), chosen, best_plan.c_str(), best);
      if (Prints()) {
        printf("%s\n", explain->ToText().c_str());
      }
    }
    return chosen / std::min(best, chosen);
  }

  void CheckChoices(const std::vector<MixedTable>& tables) {
    size_t queries = 0;
    size_t near = 0;
    double worst = 1;
    for (const MixedTable& mixed : tables) {
      const std::unique_ptr<Table> table = Load(mixed);
      for (size_t i = 0; i < mixed.queries.size(); ++i) {
        const double factor = AgainstBestForced(table.get(), mixed.queries[i], ScanFor(table.get(), mixed, i));
        ++queries;
        near += factor <= 1.1 ? 1 : 0;
        worst = std::max(worst, factor);
      }
    }
    printf("of %zu queries the chosen plan costs at most 1.1 x the best forced one for %zu, at worst %.2f x\n", queries,
           near, worst);
    EXPECT_GE(near * 100, queries * 98);
    EXPECT_LE(worst, 1.5);
  }

  static std::vector<SkewTable> Known() { return MakeSkewTables(RowsOfTables(20000)); }

  TempDirectory directory_{TempDirectory::Where::kMemory};
  std::unique_ptr<Connection> connection_;
};

// Nothing is asked of jumps: how often the scanner seeks depends on what a seek costs here and now.
void Check(const Score& score) {
  EXPECT_GE(score.queries, 100U);
  EXPECT_GE(score.rows * 100, score.queries * 95);
  EXPECT_GE(score.work * 100, score.queries * 95);
  EXPECT_LE(score.worst_rows, 20);
  EXPECT_LE(score.worst_work, 20);
}

TEST_F(SkewTest, OneFile) { Check(MeasureAll(Known(), 1)); }

TEST_F(SkewTest, ThreeFiles) { Check(MeasureAll(Known(), 3)); }

TEST_F(SkewTest, ChosenPlansAreNearTheBestForcedOnes) {
  std::vector<MixedTable> tables = MakeMixedTables(20, 6000, 20261129);
  for (std::vector<SkewTable> others : {Known(), MakeRandomTables(30, 20261128)}) {
    for (SkewTable& other : others) {
      MixedTable& table = tables.emplace_back();
      static_cast<SkewTable&>(table) = std::move(other);
      table.files = 1 + tables.size() % 3;
    }
  }
  CheckChoices(tables);
}

TEST_F(SkewTest, ChosenPlansOnOtherTables) {
  CheckChoices(MakeOtherTables(RowsOfTables(6000), static_cast<uint64_t>(NumberFromEnvironment("KLIP_SKEW_SEED", 1))));
}

TEST_F(SkewTest, RandomTables) {
  const auto tables = static_cast<size_t>(NumberFromEnvironment("KLIP_SKEW_TABLES", 30));
  Check(MeasureAll(MakeRandomTables(tables, static_cast<uint64_t>(NumberFromEnvironment("KLIP_SKEW_SEED", 20261127))),
                   0));
}

TEST_F(SkewTest, MixedTables) {
  const auto tables = static_cast<size_t>(NumberFromEnvironment("KLIP_SKEW_TABLES", 30));
  const auto rows = static_cast<size_t>(NumberFromEnvironment("KLIP_SKEW_ROWS", 20000));
  const auto seed = static_cast<uint64_t>(NumberFromEnvironment("KLIP_SKEW_SEED", 20261127));
  Check(MeasureAll(MakeMixedTables(tables, rows, seed)));
}

TEST_F(SkewTest, OtherTables) {
  const auto seed = static_cast<uint64_t>(NumberFromEnvironment("KLIP_SKEW_SEED", 1));
  Check(MeasureAll(MakeOtherTables(RowsOfTables(10000), seed)));
}

TEST_F(SkewTest, ServiceTables) {
  const auto seed = static_cast<uint64_t>(NumberFromEnvironment("KLIP_SKEW_SEED", 1));
  Check(MeasureAll(MakeServiceTables(RowsOfTables(10000), seed)));
}

// With seed 1, an index finds rows side by side.
TEST_F(SkewTest, ChosenPlansOnServiceTables) {
  CheckChoices(
      MakeServiceTables(RowsOfTables(6000), static_cast<uint64_t>(NumberFromEnvironment("KLIP_SKEW_SEED", 1))));
}

}  // namespace
}  // namespace klip::ops
