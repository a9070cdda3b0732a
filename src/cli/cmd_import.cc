// klip import: all of an export into a table; or rows from CSV, TSV or JSON lines, by batches or, sorted, as finished files;
// or HFiles of HBase.
#include <filesystem>

#include <sys/stat.h>

#include "cli/command.h"
#include "cli/copy_options.h"
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

struct Import {
  TableArguments arguments;
  std::string file = "-";
  std::string format;
  std::string columns;
  std::string key;
  std::string null_text;
  std::string rejects;
  bool header = false;
  bool bulk = false;
  bool skip_bad = false;

  Expected<int> LoadHFiles(const Console& console) const;
  Expected<InputFormat> Format() const;
  Expected<std::vector<FieldTarget>> Targets(const std::optional<RowKeySchema>& schema, InputFormat input) const;
  Expected<int> operator()(const Console& console);
  Expected<int> FromDirectory(const Console& console) const;
  Expected<int> FromLines(const Console& console);

  // Counts a bad row, or returns the error that ends the load.
  Status Bad(const Console& console, const Status& status);
  // The same for a row that was counted as loaded.
  Status Refused(const Console& console, const Status& status) {
    --rows;
    return Bad(console, status);
  }
  Status Copy(const Console& console, InputReader* reader, Sink* sink, int64_t input_bytes);

  MoveArguments move;
  int32_t threads = 0;
  int64_t rows = 0;
  int64_t bad = 0;
  std::unique_ptr<std::FILE, FileCloser> rejects_file = nullptr;
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

Expected<int> Import::LoadHFiles(const Console& console) const {
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

Expected<InputFormat> Import::Format() const {
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

Expected<std::vector<FieldTarget>> Import::Targets(const std::optional<RowKeySchema>& schema, InputFormat input) const {
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

Status Import::Bad(const Console& console, const Status& status) {
  if (!(skip_bad || rejects_file != nullptr) || status.code() == Code::kIoError) {
    return status;
  }
  ++bad;
  if (rejects_file != nullptr) {
    fmt::print(rejects_file.get(), "{}\n", status.message());
  } else if (bad <= kShownErrors) {
    fmt::print(console.err, "klip: skipped {}\n", status.message());
  }
  return Status::Ok();
}

Status Import::Copy(const Console& console, InputReader* reader, Sink* sink, int64_t input_bytes) {
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

// What klip export wrote into a directory.
Expected<int> Import::FromDirectory(const Console& console) const {
  if (!format.empty() || !columns.empty() || !key.empty() || !null_text.empty() || header || bulk || skip_bad ||
      !rejects.empty()) {
    return UsageError("'" + file + "' is a directory: only --threads, --rate, --state and --restart are for an export");
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                        OpenStore(arguments.store, /*create_if_missing=*/true));
  CopyOptions options = {.threads = ThreadsOf(threads)};
  const std::string from = std::filesystem::absolute(file).lexically_normal().string();
  KLIP_RETURN_IF_ERROR(move.Apply(fmt::format("{} -> {}", from, NameOf({arguments.store, arguments.table})), &options));
  TellOfState(console, options);
  const int64_t start_us = MonotonicUs();
  CopyCounts counts;
  {
    const CopyProgressBar bar(console, "importing", &options);
    KLIP_ASSIGN_OR_RETURN(counts, ImportTable(file, *connection, arguments.table, options));
  }
  console.Print("{}\n", CopyText("imported", counts, MonotonicUs() - start_us));
  return kExitOk;
}

Expected<int> Import::operator()(const Console& console) {
  std::error_code ignored;
  if (format != "hfile" && !std::filesystem::is_directory(file, ignored)) {
    return FromLines(console);
  }
  const bool is_export = format.empty() && (std::filesystem::exists(file + "/MANIFEST", ignored) ||
                                            std::filesystem::exists(file + "/STATE", ignored));
  return is_export ? FromDirectory(console) : LoadHFiles(console);
}

Expected<int> Import::FromLines(const Console& console) {
  KLIP_ASSIGN_OR_RETURN(InputFormat input, Format());
  KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
  std::optional<RowKeySchema> schema = open.table->row_key_schema();
  if (!key.empty()) {
    KLIP_ASSIGN_OR_RETURN(schema, RowKeySchema::Parse(key));
  }
  if (!rejects.empty()) {
    rejects_file.reset(std::fopen(rejects.c_str(), "wb"));
    if (rejects_file == nullptr) {
      return UsageError("cannot write '" + rejects + "'");
    }
  }
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
  InputReader reader(opened ? opened.get() : console.in, input, std::move(targets), header, schema,
                     null_text.empty() ? std::nullopt : std::optional<std::string>(null_text));

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

Run AddImportCommand(Arguments* args) {
  auto load = std::make_shared<Import>();
  load->arguments.AddTo(args);
  args->Add("FILE", &load->file,
            "lines of text (- or nothing: standard input), a directory of klip export, or one of HFiles, below one per "
            "family");
  args->Add("--format", &load->format, "csv, tsv, json (one object a line) or hfile; default by the file's name")
      .OneOf({"csv", "tsv", "json", "hfile"});
  args->Add("--columns", &load->columns,
            "what each field is: HBASE_ROW_KEY, HBASE_TS_KEY, a key field, family:qualifier, or - to skip; "
            "family:qualifier:int, :long (big-endian numbers) or :hex");
  args->Add("--key", &load->key, "a row-key schema in place of the table's: \"user:text(10) day:date\"");
  args->Add("--null", &load->null_text, "what stands for no value; then an empty field is an empty value");
  args->AddFlag("--header", &load->header, "the first line names the fields, unless --columns does");
  args->AddFlag("--bulk", &load->bulk, "write finished files: rows must be sorted, and appear all at the end");
  args->AddFlag("--skip-bad", &load->skip_bad, "report rows that cannot be loaded and go on");
  args->Add("--rejects", &load->rejects, "a file for these reports, line and reason; implies --skip-bad");
  args->Add("--threads", &load->threads, "of a directory: workers, 0 = one per core").Between(0, 256);
  load->move.AddTo(args);
  return [load](const Console& console) { return (*load)(console); };
}

}  // namespace klip::cli
