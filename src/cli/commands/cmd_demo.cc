// klip demo: the fuzzy date query. First on the usual 13 example rows, then on one year of web visits, where it compares
// a full scan with the plan.
#include <array>
#include <filesystem>

#include <stdlib.h>

#include "cli/command.h"
#include "cli/printer.h"
#include "cli/year_data.h"

namespace klip::cli {
namespace {

constexpr std::string_view kQueryDate = "20140628";
constexpr int kDaysToQueryDate = 179;  // from the first of January

// (user, date, domain) in byte order of the keys: ali1989 is before alice, since '1' is below 'c'.
constexpr std::array<std::array<const char*, 3>, 13> kThirteenRows = {{
    {"ali1989", "20140310", "example.com"},
    {"ali1989", "20140522", "example.com"},
    {"ali1989", "20140628", "example.com"},
    {"ali1989", "20140628", "example.net"},
    {"alice", "20140310", "foo.bar"},
    {"alice", "20140312", "foo.bar"},
    {"alice", "20140629", "foo.bar"},
    {"alice", "20140704", "foo.bar"},
    {"bob", "20140624", "example.com"},
    {"bob", "20140625", "example.com"},
    {"bob", "20140626", "example.com"},
    {"bob", "20140627", "example.com"},
    {"bob", "20140628", "example.com"},
}};

// The result and cost of one way to run the query. `check` is the same for equal results in equal order.
struct Answer {
  int64_t rows = 0;
  uint64_t check = 0;
  ScanStatistics statistics;
  Explain explain;
  int64_t elapsed_us = 0;
};

void Note(std::string_view row, Answer* answer) {
  ++answer->rows;
  for (char c : row) {
    answer->check = (answer->check ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
}

// Runs the scan and counts the rows that `wanted` accepts.
template <typename Wanted>
Expected<Answer> Ask(Table* table, const Scan& scan, Wanted wanted) {
  Answer answer;
  int64_t start_us = MonotonicUs();
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(scan));
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    if (wanted(row.row())) {
      Note(row.row(), &answer);
    }
  }
  answer.elapsed_us = MonotonicUs() - start_us;
  answer.statistics = scanner->statistics();
  answer.explain = scanner->explain();
  return answer;
}

// Removes its directory at the end, unless the user named it.
class DemoDirectory {
 public:
  static Expected<std::unique_ptr<DemoDirectory>> Make(const std::string& given) {
    auto directory = std::make_unique<DemoDirectory>();
    directory->path_ = given;
    if (given.empty()) {
      std::string path = (std::filesystem::temp_directory_path() / "klip-demo.XXXXXX").string();
      if (mkdtemp(path.data()) == nullptr) {
        return Status(Code::kIoError, "cannot create a directory like " + path);
      }
      directory->path_ = path;
      directory->temporary_ = true;
    }
    return directory;
  }
  ~DemoDirectory() {
    std::error_code ignored;  // files that cannot be removed stay in the temporary directory
    if (temporary_) {
      std::filesystem::remove_all(path_, ignored);
    }
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool temporary_ = false;
};

struct Demo {
  std::string store;
  int users = 1000;
  int days = 365;
  int domains = 6;
  bool full = false;
  int threads = 2;

  Expected<int> operator()(const Console& console);

 private:
  Status ThirteenRows(const Console& console, Connection* connection);
  Status OneYear(const Console& console, Connection* connection);
  Status LoadYear(const Console& console, Connection* connection, YearData* data);
  void PrintAnswer(const Console& console, std::string_view how, const Answer& answer, int64_t slowest_us);

  static TableDescriptor Descriptor(std::string_view name) {
    TableDescriptor table = {.name = std::string(name), .families = {{.name = "d", .compression = "ZSTD"}}};
    table.attributes[std::string(RowKeySchema::kTableAttribute)] = YearData::kSchema;
    return table;
  }
  static void Heading(const Console& console, std::string_view text) {
    console.Print("\n{}\n", console.Bold(fmt::format("-- {} --", text)));
  }
};

Expected<KeyQuery> DateQuery(const Table& table, std::string_view date) {
  return table.row_key_schema()->ParseQuery("date=" + std::string(date));
}

Status Demo::ThirteenRows(const Console& console, Connection* connection) {
  Heading(console, "13 rows, one key per user, date and domain");
  console.Print("schema {}\n\n", YearData::kSchema);
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(Descriptor("thirteen")));
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable("thirteen"));
  std::optional<RowKeySchema> schema = table->row_key_schema();
  for (const auto& [user, date, domain] : kThirteenRows) {
    KLIP_ASSIGN_OR_RETURN(std::string row, schema->Encode({user, date, domain}));
    KLIP_RETURN_IF_ERROR(table->Put(Put{.row = row}.Add("d", "visits", "1")));
  }
  KLIP_ASSIGN_OR_RETURN(auto all, table->Scan({}));
  Result row;
  for (int number = 1;; ++number) {
    KLIP_ASSIGN_OR_RETURN(bool more, all->Next(&row));
    if (!more) {
      break;
    }
    bool wanted = row.row().substr(10, 8) == kQueryDate;
    console.Print(" {:2}  {}{}\n", number, wanted ? console.Bold(row.row()) : std::string(row.row()),
                  wanted ? "  <--" : "");
  }
  Scan scan;
  KLIP_ASSIGN_OR_RETURN(scan.where, DateQuery(*table, kQueryDate));
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(scan));
  console.Print("\nscan --where date={}\n", kQueryDate);
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    console.Print("  {}\n", row.row());
  }
  console.Print("\n{}", scanner->explain().ToText());
  if (scanner->statistics().seeks < 3) {
    console.Print("\nSo few rows lie between two matches that stepping over them is cheaper than jumping.\n");
  }
  return Status::Ok();
}

Status Demo::LoadYear(const Console& console, Connection* connection, YearData* data) {
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(Descriptor("visits")));
  KLIP_ASSIGN_OR_RETURN(auto loader, connection->NewBulkLoader("visits"));
  int64_t start_us = MonotonicUs();
  {
    ProgressBar progress(console, "loading", data->rows_total());
    Put put = {.columns = {{.family = "d", .qualifier = "visits", .value = ""}}, .timestamp_ms = 1388534400000};
    while (data->Next(&put.row, &put.columns[0].value)) {
      KLIP_RETURN_IF_ERROR(loader->Add(put));
      progress.Set(data->rows_made());
    }
    KLIP_RETURN_IF_ERROR(loader->Finish());
  }
  int64_t elapsed_us = std::max<int64_t>(MonotonicUs() - start_us, 1);
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable("visits"));
  KLIP_ASSIGN_OR_RETURN(TableStatistics statistics, table->Statistics());
  console.Print("{} users, {} days, {} rows: loaded in {}, {} rows/s, {} on disk\n", FormatCount(users),
                FormatCount(days), FormatCount(data->rows_total()), FormatDuration(elapsed_us),
                FormatCount(data->rows_total() * 1'000'000 / elapsed_us), FormatBytes(statistics.bytes_on_disk));
  return Status::Ok();
}

void Demo::PrintAnswer(const Console& console, std::string_view how, const Answer& answer, int64_t slowest_us) {
  double ratio = static_cast<double>(slowest_us) / static_cast<double>(std::max<int64_t>(answer.elapsed_us, 1));
  console.Print("{:<26} {:>10} {:>12} {:>8} {:>10} {:>8}\n", how, FormatCount(answer.rows),
                FormatCount(answer.statistics.rows_read), FormatCount(answer.statistics.seeks),
                FormatDuration(answer.elapsed_us), fmt::format("{:.3g} x", ratio));
}

Status Demo::OneYear(const Console& console, Connection* connection) {
  Heading(console, "one year of visits");
  YearData data(users, days, domains);
  // A smaller year may end before the usual date.
  std::string date(days >= kDaysToQueryDate ? kQueryDate : data.dates()[static_cast<size_t>(days / 2)]);
  KLIP_RETURN_IF_ERROR(LoadYear(console, connection, &data));
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable("visits"));
  auto any = [](std::string_view) { return true; };
  auto on_date = [&date](std::string_view row) { return row.substr(10, date.size()) == date; };

  Scan jump;
  KLIP_ASSIGN_OR_RETURN(jump.where, DateQuery(*table, date));
  KLIP_ASSIGN_OR_RETURN(Answer first, Ask(table.get(), jump, any));
  KLIP_ASSIGN_OR_RETURN(Answer planned, Ask(table.get(), jump, any));
  Scan parallel = jump;
  parallel.threads = threads;
  KLIP_ASSIGN_OR_RETURN(Answer both, Ask(table.get(), parallel, any));
  KLIP_ASSIGN_OR_RETURN(Answer walked, Ask(table.get(), {}, on_date));

  console.Print("\nAll rows of {}: every user, every domain.\n\n", date);
  console.Write(console.Bold(fmt::format("{:<26} {:>10} {:>12} {:>8} {:>10} {:>8}", "", "rows found", "rows touched",
                                         "jumps", "time", "faster")) +
                "\n");
  PrintAnswer(console, "every row read and checked", walked, walked.elapsed_us);
  PrintAnswer(console, "plan, first time", first, walked.elapsed_us);
  PrintAnswer(console, "plan, again", planned, walked.elapsed_us);
  PrintAnswer(console, fmt::format("plan, {} threads", threads), both, walked.elapsed_us);
  console.Print("\n{}\n", planned.explain.ToText());
  for (const Answer* answer : {&first, &planned, &both}) {
    if (answer->rows != walked.rows || answer->check != walked.check) {
      return Status(Code::kCorruption, fmt::format("the plan found {} rows, the walk {}", answer->rows, walked.rows));
    }
  }
  console.Print("All four answers are the same {} rows, in the same order.\n", FormatCount(walked.rows));
  return Status::Ok();
}

Expected<int> Demo::operator()(const Console& console) {
  if (full) {
    users = 1000;
    days = 365;
    domains = 30;
  }
  KLIP_ASSIGN_OR_RETURN(auto directory, DemoDirectory::Make(store));
  KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(directory->path(), /*create_if_missing=*/true));
  KLIP_RETURN_IF_ERROR(ThirteenRows(console, connection.get()));
  KLIP_RETURN_IF_ERROR(OneYear(console, connection.get()));
  if (!store.empty()) {
    console.Print("The tables thirteen and visits are kept in {}.\n", store);
  }
  return kExitOk;
}

}  // namespace

Run AddDemoCommand(Arguments* args) {
  auto demo = std::make_shared<Demo>();
  args->Add("--users", &demo->users, "number of users, default 1000").Between(1, 1'000'000);
  args->Add("--days", &demo->days, "days, default 365").Between(1, 36500);
  args->Add("--domains", &demo->domains, "average number of domains per user and day, default 6").Between(1, 1000);
  args->AddFlag("--full", &demo->full, "1000 users, 365 days, 30 domains: 10,950,000 rows");
  args->Add("--store", &demo->store, "keep the tables in this directory; default a temporary one");
  args->Add("--threads", &demo->threads, "threads of the parallel run").Between(1, 256);
  return [demo](const Console& console) { return (*demo)(console); };
}

}  // namespace klip::cli
