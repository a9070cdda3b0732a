// klip load: rows from CSV, TSV or JSON lines into a table, by batches or, sorted, as finished files; and HFiles of HBase.
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/input_reader.h"
#include "cli/texts.h"
#include "table/hfile_load.h"

namespace klip::cli {
namespace {

constexpr size_t kBatchRows = 1000;
constexpr int kShownErrors = 10;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Where rows go. Errors of a row are returned by Add or, for a batch, by the Add or Finish that writes it.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status Add(Put put, int64_t line) = 0;
  virtual Status Finish() = 0;
};

struct Load {
  TableArguments arguments;
  std::string file = "-";
  std::string format;
  std::string columns;
  bool header = false;
  bool bulk = false;
  bool skip_bad = false;

  bool HasHFiles() const;
  Expected<int> LoadHFiles(const Console& console) const;
  Expected<InputFormat> Format() const;
  Expected<std::vector<FieldTarget>> Targets(const std::optional<RowKeySchema>& schema, InputFormat input) const;
  Expected<int> operator()(const Console& console);

  // Counts a bad row, or returns the error that ends the load.
  Status Bad(const Console& console, const Status& status);
  // The same for a row that was counted as loaded.
  Status Refused(const Console& console, const Status& status) {
    --rows;
    return Bad(console, status);
  }
  Status Copy(const Console& console, InputReader* reader, Sink* sink, int64_t input_bytes);

  int64_t rows = 0;
  int64_t bad = 0;
};

class BulkSink : public Sink {
 public:
  explicit BulkSink(std::unique_ptr<BulkLoader> loader) : loader_(std::move(loader)) {}

  Status Add(Put put, int64_t line) override {
    Status status = loader_->Add(put);
    return status.ok() ? status : Status(status.code(), fmt::format("line {}: {}", line, status.message()));
  }
  Status Finish() override { return loader_->Finish(); }

 private:
  std::unique_ptr<BulkLoader> loader_;
};

class BatchSink : public Sink {
 public:
  BatchSink(Table* table, std::function<Status(const Status&)> bad) : table_(table), bad_(std::move(bad)) {}

  Status Add(Put put, int64_t line) override {
    puts_.push_back(std::move(put));
    lines_.push_back(line);
    return puts_.size() < kBatchRows ? Status::Ok() : Finish();
  }

  Status Finish() override {
    Status status = puts_.empty() ? Status::Ok() : table_->Put(puts_);
    if (!status.ok()) {
      status = OneByOne();
    }
    puts_.clear();
    lines_.clear();
    return status;
  }

 private:
  // After a batch was refused: finds the rows that are to blame, and their lines.
  Status OneByOne() {
    for (size_t i = 0; i < puts_.size(); ++i) {
      Status status = table_->Put(puts_[i]);
      if (!status.ok()) {
        KLIP_RETURN_IF_ERROR(bad_(Status(status.code(), fmt::format("line {}: {}", lines_[i], status.message()))));
      }
    }
    return Status::Ok();
  }

  Table* table_;
  std::function<Status(const Status&)> bad_;
  std::vector<Put> puts_;
  std::vector<int64_t> lines_;
};

bool Load::HasHFiles() const {
  struct stat info{};
  return format == "hfile" || (format.empty() && stat(file.c_str(), &info) == 0 && S_ISDIR(info.st_mode));
}

Expected<int> Load::LoadHFiles(const Console& console) const {
  KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
  auto* embedded = dynamic_cast<table::EmbeddedConnection*>(open.connection.get());
  if (embedded == nullptr) {
    return UsageError("HFiles are loaded into a store in a directory; on a cluster, use HBase's completebulkload");
  }
  const int64_t start_us = MonotonicUs();
  KLIP_ASSIGN_OR_RETURN(const std::vector<table::HFilePath> files, table::FindHFiles(file));
  if (files.empty()) {
    return UsageError("'" + file + "' has no HFiles: a directory for each family is to be in it");
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<table::HFileLoad> load,
                        table::HFileLoad::Open(embedded, arguments.table, files));
  KLIP_RETURN_IF_ERROR(load->Run());
  console.Print("loaded {} cells of {} HFiles in {}\n", FormatCount(load->cells()), FormatCount(files.size()),
                FormatDuration(MonotonicUs() - start_us));
  return kExitOk;
}

Expected<InputFormat> Load::Format() const {
  std::string name = format;
  if (name.empty()) {
    size_t dot = file.rfind('.');
    name = dot == std::string::npos ? "" : file.substr(dot + 1);
  }
  if (name == "csv") {
    return InputFormat::kCsv;
  }
  if (name == "tsv") {
    return InputFormat::kTsv;
  }
  if (name == "json" || name == "jsonl" || name == "ndjson") {
    return InputFormat::kJson;
  }
  return UsageError("which format has '" + file + "'? Give --format csv, tsv, json or hfile");
}

Expected<std::vector<FieldTarget>> Load::Targets(const std::optional<RowKeySchema>& schema, InputFormat input) const {
  std::vector<FieldTarget> targets;
  if (columns.empty()) {
    return input == InputFormat::kJson || header
               ? Expected<std::vector<FieldTarget>>(targets)
               : UsageError("name the fields with --columns, or with --header by the first line");
  }
  for (const std::string& column : SplitList(columns)) {
    KLIP_ASSIGN_OR_RETURN(FieldTarget target, ParseFieldTarget(column, schema));
    targets.push_back(std::move(target));
  }
  return targets;
}

Status Load::Bad(const Console& console, const Status& status) {
  if (!skip_bad || status.code() == Code::kIoError) {
    return status;
  }
  if (++bad <= kShownErrors) {
    fmt::print(console.err, "klip: skipped {}\n", status.message());
  }
  return Status::Ok();
}

Status Load::Copy(const Console& console, InputReader* reader, Sink* sink, int64_t input_bytes) {
  ProgressBar progress(console, "loading", input_bytes);
  Put put;
  while (true) {
    Expected<bool> more = reader->Next(&put);
    if (!more.ok()) {
      KLIP_RETURN_IF_ERROR(Bad(console, more.status()));
      continue;
    }
    if (!*more) {
      break;
    }
    ++rows;
    if (Status status = sink->Add(std::move(put), reader->line()); !status.ok()) {
      KLIP_RETURN_IF_ERROR(Refused(console, status));
    }
    put = Put();
    progress.Set(reader->bytes_read());
  }
  return sink->Finish();
}

Expected<int> Load::operator()(const Console& console) {
  if (HasHFiles()) {
    return LoadHFiles(console);
  }
  KLIP_ASSIGN_OR_RETURN(InputFormat input, Format());
  KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
  std::optional<RowKeySchema> schema = open.table->row_key_schema();
  KLIP_ASSIGN_OR_RETURN(std::vector<FieldTarget> targets, Targets(schema, input));

  std::unique_ptr<std::FILE, FileCloser> opened;
  int64_t input_bytes = 0;
  if (file != "-") {
    opened.reset(std::fopen(file.c_str(), "rb"));
    struct stat info{};
    if (opened == nullptr || fstat(fileno(opened.get()), &info) != 0) {
      return UsageError("cannot read '" + file + "'");
    }
    input_bytes = info.st_size;
  }
  InputReader reader(opened ? opened.get() : console.in, input, std::move(targets), header, schema);

  std::unique_ptr<Sink> sink;
  if (bulk) {
    KLIP_ASSIGN_OR_RETURN(auto loader, open.connection->NewBulkLoader(arguments.table));
    sink = std::make_unique<BulkSink>(std::move(loader));
  } else {
    sink =
        std::make_unique<BatchSink>(open.table.get(), [&](const Status& bad_row) { return Refused(console, bad_row); });
  }
  int64_t start_us = MonotonicUs();
  KLIP_RETURN_IF_ERROR(Copy(console, &reader, sink.get(), input_bytes));
  int64_t elapsed_us = MonotonicUs() - start_us;
  console.Print("loaded {} rows in {}{}\n", FormatCount(rows), FormatDuration(elapsed_us),
                bad == 0 ? "" : fmt::format(", skipped {}", FormatCount(bad)));
  return kExitOk;
}

}  // namespace

Run AddLoadCommand(Arguments* args) {
  auto load = std::make_shared<Load>();
  load->arguments.AddTo(args);
  args->Add("FILE", &load->file,
            "what to load; - or nothing: standard input; a directory: HFiles, below one per family");
  args->Add("--format", &load->format, "csv, tsv, json (one object a line) or hfile; default by the file's name")
      .OneOf({"csv", "tsv", "json", "hfile"});
  args->Add("--columns", &load->columns,
            "what each field is: HBASE_ROW_KEY, HBASE_TS_KEY, a key field, family:qualifier, or - to skip");
  args->AddFlag("--header", &load->header, "the first line names the fields, unless --columns does");
  args->AddFlag("--bulk", &load->bulk, "write finished files: rows must be sorted, and appear all at the end");
  args->AddFlag("--skip-bad", &load->skip_bad, "report rows that cannot be loaded and go on");
  return [load](const Console& console) { return (*load)(console); };
}

}  // namespace klip::cli
