#include "cli/text_import.h"

#include <filesystem>
#include <utility>

#include "base/clock.h"
#include "base/paths.h"
#include "cli/text_import_state.h"
#include "cli/texts.h"
#include "copy/throttle.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

constexpr size_t kBatchRows = 1000;
constexpr int64_t kBatchBytes = 4 << 20;
constexpr int kShownErrors = 10;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Whether the row is the cause of the error, so that others may be loaded.
bool IsRowsFault(const Status& status) {
  switch (status.code()) {
    case Code::kInvalidArgument:
    case Code::kDoNotRetry:
    case Code::kNoSuchColumnFamily:
    case Code::kConstraintViolation:
    case Code::kRowTooBig:
      return true;
    default:
      return false;
  }
}

Status AtLine(int64_t line, const Status& status) {
  return {status.code(), fmt::format("line {}: {}", line, status.message())};
}

struct Origin {
  int64_t line = 0;
  std::string record;  // its text, for the file of rejects; else empty
};

// The target of the rows.
class Sink {
 public:
  virtual ~Sink() = default;
  // A row, and where it came from. Errors name the line.
  virtual Status Add(Put put, Origin origin) = 0;
  // Writes the waiting rows.
  virtual Status Flush() = 0;
  // Whether all added rows are in the table.
  virtual bool all_written() const = 0;
  virtual std::string last_row() const = 0;  // of those in the table; empty: none
  virtual Status Finish() = 0;

  int64_t rows() const { return rows_; }  // in the table, or in the files of a bulk load

 protected:
  int64_t rows_ = 0;
};

class BulkSink : public Sink {
 public:
  explicit BulkSink(std::unique_ptr<BulkLoader> loader) : loader_(std::move(loader)) {}

  Status Add(Put put, Origin origin) override {
    const Status status = loader_->Add(put);
    rows_ += status.ok() ? 1 : 0;
    return status.ok() ? status : AtLine(origin.line, status);
  }
  Status Flush() override { return Status::Ok(); }
  bool all_written() const override { return false; }  // rows appear all at the end
  std::string last_row() const override { return {}; }
  Status Finish() override { return loader_->Finish(); }

 private:
  std::unique_ptr<BulkLoader> loader_;
};

class BatchSink : public Sink {
 public:
  using Bad = std::function<Status(const Status&, const std::string& record)>;
  BatchSink(Table* table, Bad bad) : table_(table), bad_(std::move(bad)) {}

  Status Add(Put put, Origin origin) override {
    for (const Put::Column& column : put.columns) {
      bytes_ += static_cast<int64_t>(put.row.size() + column.qualifier.size() + column.value.size());
    }
    bytes_ += static_cast<int64_t>(origin.record.size());
    puts_.push_back(std::move(put));
    origins_.push_back(std::move(origin));
    return puts_.size() < kBatchRows && bytes_ < kBatchBytes ? Status::Ok() : Flush();
  }

  Status Flush() override {
    Status status = puts_.empty() ? Status::Ok() : table_->Put(puts_);
    if (IsRowsFault(status)) {
      status = OneByOne();
    } else if (status.ok() && !puts_.empty()) {
      last_row_ = std::move(puts_.back().row);
      rows_ += static_cast<int64_t>(puts_.size());
    }
    puts_.clear();
    origins_.clear();
    bytes_ = 0;
    return status;
  }

  bool all_written() const override { return puts_.empty(); }
  std::string last_row() const override { return last_row_; }
  Status Finish() override { return Flush(); }

 private:
  // After a batch was rejected: finds the rows that caused it, and their lines.
  Status OneByOne() {
    for (size_t i = 0; i < puts_.size(); ++i) {
      if (const Status status = table_->Put(puts_[i]); !status.ok()) {
        KLIP_RETURN_IF_ERROR(bad_(AtLine(origins_[i].line, status), origins_[i].record));
      } else {
        last_row_ = puts_[i].row;
        ++rows_;
      }
    }
    return Status::Ok();
  }

  Table* table_;
  Bad bad_;
  std::vector<Put> puts_;
  std::vector<Origin> origins_;
  int64_t bytes_ = 0;
  std::string last_row_;
};

Expected<InputFormat> InputFormatOf(const std::string& format, const std::string& file) {
  std::string name = format;
  if (name.empty()) {
    std::filesystem::path path = file;
    if (path.extension() == ".gz") {
      path.replace_extension();
    }
    name = path.extension().string();
    name.erase(0, 1);
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
  return UsageError("unknown format of " + (file == "-" ? "standard input" : "'" + file + "'") +
                    ": give --format csv, tsv or json");
}

class TextImport {
 public:
  TextImport(const Console& console, const TextImportOptions& options, const MoveArguments& move)
      : console_(console), options_(options), move_(move) {}

  Expected<int> Run();

 private:
  Status OpenInput();
  Status GoOn(Table* table);
  Status OpenRejects();
  Expected<std::unique_ptr<Sink>> NewSink(const OpenTable& open);
  Status Load(InputReader* reader, Sink* sink, copy::Throttle* throttle);
  Status FlushRejects();
  Status NoteProgress(const Sink& sink);
  // Counts a bad row, or returns the error that ends the import. `record`: its text.
  Status Bad(const Status& status, const std::string& record);
  // The error that ended the import, with what became of the rows before it.
  Status WithRest(const Status& status, int64_t rows) const;

  const Console& console_;
  const TextImportOptions& options_;
  const MoveArguments& move_;
  std::unique_ptr<TextInput> input_;
  std::optional<TextImportState> state_;
  std::unique_ptr<std::FILE, FileCloser> rejects_ = nullptr;
  TextProgress now_;  // its offset, line and digest are of what is noted, the rest of what is loaded
  int64_t noted_us_ = 0;
};

Status TextImport::OpenInput() {
  if (options_.file == "-") {
    input_ = std::make_unique<TextInput>(console_.in);
  } else {
    KLIP_ASSIGN_OR_RETURN(input_, TextInput::Open(options_.file));
  }
  if (!input_->is_file() && move_.names_state()) {
    return UsageError("an import of standard input or of a pipe cannot be resumed: --state and --restart need a file");
  }
  return Status::Ok();
}

// Skips the part that an interrupted import has loaded.
Status TextImport::GoOn(Table* table) {
  const TextProgress& done = state_->progress();
  if (done.offset == 0) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const bool same, input_->SkipTo(done.offset, done.line, done.digest));
  if (!same) {
    return UsageError(
        fmt::format("'{}' has changed since its first {} lines were imported; --restart imports the whole file",
                    options_.file, FormatCount(done.line)));
  }
  if (!done.last_row.empty()) {
    KLIP_ASSIGN_OR_RETURN(const bool there, table->Exists({.row = done.last_row}));
    if (!there) {
      return UsageError(
          fmt::format("row '{}', which was imported before the interruption, is no longer in table '{}'; "
                      "--restart imports the whole file '{}'",
                      ToStringBinary(done.last_row), options_.arguments.table, options_.file));
    }
  }
  now_ = done;
  console_.Print("resuming after line {} of {} (--restart starts from the beginning)\n", FormatCount(done.line),
                 options_.file);
  return Status::Ok();
}

Status TextImport::OpenRejects() {
  if (options_.rejects.empty()) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(base::CheckOutsideStores(options_.rejects));
  std::error_code error;
  if (std::filesystem::equivalent(options_.rejects, options_.file, error)) {
    return UsageError("--rejects '" + options_.rejects + "' is the file that is imported");
  }
  if (now_.offset > 0) {
    std::filesystem::resize_file(options_.rejects, static_cast<uintmax_t>(now_.rejects_bytes), error);
  }
  rejects_.reset(std::fopen(options_.rejects.c_str(), now_.offset > 0 ? "ab" : "wb"));
  return rejects_ != nullptr ? Status::Ok() : UsageError("cannot write '" + options_.rejects + "'");
}

Expected<std::unique_ptr<Sink>> TextImport::NewSink(const OpenTable& open) {
  if (options_.bulk) {
    KLIP_ASSIGN_OR_RETURN(auto loader, open.connection->NewBulkLoader(options_.arguments.table));
    return std::unique_ptr<Sink>(std::make_unique<BulkSink>(std::move(loader)));
  }
  auto refused = [this](const Status& status, const std::string& record) { return Bad(status, record); };
  return std::unique_ptr<Sink>(std::make_unique<BatchSink>(open.table.get(), refused));
}

Status TextImport::Bad(const Status& status, const std::string& record) {
  const bool skip = options_.skip_bad || rejects_ != nullptr;
  if (!skip || !IsRowsFault(status)) {
    return status;
  }
  ++now_.skipped;
  if (rejects_ != nullptr) {
    const std::string_view end = record.ends_with('\n') ? "" : "\n";
    const std::string text = fmt::format("# {}\n{}{}", status.message(), record, end);
    std::fwrite(text.data(), 1, text.size(), rejects_.get());
  } else if (now_.skipped <= kShownErrors) {
    console_.PrintError("skipped " + status.message());
  }
  return Status::Ok();
}

Status TextImport::FlushRejects() {
  if (rejects_ == nullptr) {
    return Status::Ok();
  }
  if (std::fflush(rejects_.get()) != 0 || std::ferror(rejects_.get()) != 0) {
    return {Code::kIoError, "cannot write '" + options_.rejects + "'"};
  }
  now_.rejects_bytes = std::ftell(rejects_.get());
  return Status::Ok();
}

Status TextImport::NoteProgress(const Sink& sink) {
  now_.offset = input_->offset();
  now_.line = input_->line();
  now_.digest = base::Hex(input_->Digest());
  now_.rows = state_->progress().rows + sink.rows();
  if (std::string row = sink.last_row(); !row.empty()) {
    now_.last_row = std::move(row);
  }
  KLIP_RETURN_IF_ERROR(FlushRejects());
  noted_us_ = MonotonicUs();
  return state_->Note(now_);
}

Status TextImport::Load(InputReader* reader, Sink* sink, copy::Throttle* throttle) {
  ProgressBar progress(console_, "loading", input_->size_bytes());
  while (true) {
    const int64_t offset = input_->offset();
    Put put;
    const Expected<bool> more = reader->Next(&put);
    if (!more.ok()) {
      if (Status status = Bad(more.status(), reader->Record()); !status.ok()) {
        KLIP_RETURN_IF_ERROR(sink->Flush());  // all rows above the bad one
        return status;
      }
      continue;
    }
    if (!*more) {
      return sink->Finish();
    }
    const std::string record = rejects_ != nullptr ? reader->Record() : std::string();
    if (const Status status = sink->Add(std::move(put), {reader->line(), record}); !status.ok()) {
      // A batch has passed on the errors of its rows.
      KLIP_RETURN_IF_ERROR(options_.bulk ? Bad(status, record) : status);
    }
    if (sink->all_written() && MonotonicUs() - noted_us_ >= kNoteEveryUs) {
      KLIP_RETURN_IF_ERROR(NoteProgress(*sink));
    }
    throttle->Pass(input_->offset() - offset, 1);
    progress.Set(input_->position());
  }
}

Status TextImport::WithRest(const Status& status, int64_t rows) const {
  if (options_.bulk || rows == 0) {
    return status;
  }
  return {status.code(), fmt::format("{}; {} rows before it are imported, {}", status.message(), FormatCount(rows),
                                     input_->is_file() ? "and the same command imports the rest"
                                                       : "but only imports of files can be resumed")};
}

Expected<int> TextImport::Run() {
  KLIP_RETURN_IF_ERROR(OpenInput());
  KLIP_ASSIGN_OR_RETURN(const OpenTable open, Open(options_.arguments));
  KLIP_ASSIGN_OR_RETURN(InputForm form, options_.Form(*open.table));
  CopyOptions limits;
  if (!move_.rate().empty()) {
    KLIP_RETURN_IF_ERROR(ParseRate(move_.rate(), &limits));
  }
  copy::Throttle throttle(limits.max_bytes_per_s, limits.max_rows_per_s);
  const std::string job = options_.Job();
  const std::string state_file = input_->is_file() ? move_.StateFile("import", job) : "";
  const int64_t timestamp_ms = options_.timestamp_ms == kLatestTimestamp ? base::SystemMs() : options_.timestamp_ms;
  KLIP_ASSIGN_OR_RETURN(TextImportState state, TextImportState::Open(state_file, job, timestamp_ms));
  state_.emplace(std::move(state));
  form.timestamp_ms = state_->timestamp_ms();
  InputReader reader(input_.get(), std::move(form));
  KLIP_RETURN_IF_ERROR(reader.ReadHeader());
  KLIP_RETURN_IF_ERROR(GoOn(open.table.get()));
  KLIP_RETURN_IF_ERROR(OpenRejects());
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Sink> sink, NewSink(open));

  const int64_t start_us = MonotonicUs();
  noted_us_ = start_us;
  if (Status status = Load(&reader, sink.get(), &throttle); !status.ok()) {
    return WithRest(status, sink->rows());
  }
  KLIP_RETURN_IF_ERROR(FlushRejects());
  KLIP_RETURN_IF_ERROR(state_->Remove());
  const int64_t before = state_->progress().rows;
  console_.Print("loaded {} rows in {}{}{}\n", FormatCount(sink->rows()), FormatDuration(MonotonicUs() - start_us),
                 now_.skipped == 0 ? "" : fmt::format(", skipped {}", FormatCount(now_.skipped)),
                 before == 0
                     ? ""
                     : fmt::format(", {} including those before the interruption", FormatCount(before + sink->rows())));
  return kExitOk;
}

}  // namespace

void TextImportOptions::AddTo(Arguments* args) {
  arguments.AddWritingTo(args);
  args->Add(
      "FILE", &file,
      "a text file, also gzipped (- or nothing: standard input), a directory written by klip export, or a directory of "
      "HFiles with one subdirectory per family");
  args->Add("--format", &format,
            "csv, tsv, json (one object per line) or hfile; default: from the file's name. Or parquet or arrow, which "
            "need Python "
            "with klip and pyarrow")
      .OneOf({"csv", "tsv", "json", "hfile", "parquet", "arrow"});
  args->Add(
      "--columns", &columns,
      "the meaning of each field: HBASE_ROW_KEY, HBASE_TS_KEY, a key field, family:qualifier, or - to skip; "
      "family:qualifier:int, :long (big-endian numbers) or :hex. With parquet and arrow: columns by the names of their "
      "qualifiers, with types, \"d:visits i64,d:from text\"; default as klip exported them");
  args->Add("--key", &key, "a row-key schema in place of the table's: \"user:text(10) day:date\"");
  args->Add("--null", &null_text, "text that means no value; an empty field is then an empty value");
  args->Add("--timestamp", &timestamp_ms,
            "timestamp in milliseconds for lines without one; default: the start of the import")
      .Between(0, INT64_MAX);
  args->AddFlag("--escapes", &escapes,
                "read \\xNN in the input as a byte, as klip export writes it; default: read it as text");
  args->AddFlag("--header", &header, "the first line names the fields; with --columns it is skipped");
  args->AddFlag("--bulk", &bulk, "write sorted files directly; rows must be sorted, and become visible at the end");
  args->AddFlag("--skip-bad", &skip_bad, "report rows that cannot be loaded, and continue");
  args->Add("--rejects", &rejects,
            "file for these rows, each after a line \"# line NUMBER: REASON\"; implies --skip-bad");
}

bool TextImportOptions::IsAsked() const {
  return !format.empty() || !columns.empty() || !key.empty() || !null_text.empty() || !rejects.empty() || header ||
         escapes || bulk || skip_bad || timestamp_ms != kLatestTimestamp;
}

Expected<InputForm> TextImportOptions::Form(const Table& table) const {
  InputForm form = {.header = header, .escapes = escapes, .schema = table.row_key_schema()};
  KLIP_ASSIGN_OR_RETURN(form.format, InputFormatOf(format, file));
  if (!key.empty()) {
    KLIP_ASSIGN_OR_RETURN(form.schema, RowKeySchema::Parse(key));
  }
  if (!null_text.empty()) {
    form.null_text = null_text;
  }
  if (form.format == InputFormat::kJson && (header || !columns.empty())) {
    return UsageError("--header and --columns are for csv and tsv: each object of JSON names its fields");
  }
  if (columns.empty() && form.format != InputFormat::kJson && !header) {
    return UsageError("name the fields with --columns, or in the first line with --header");
  }
  if (!columns.empty()) {
    KLIP_ASSIGN_OR_RETURN(form.columns, ParseFieldTargets(SplitList(columns), form.schema));
  }
  return form;
}

std::string TextImportOptions::Job() const {
  const std::string path = std::filesystem::absolute(file).lexically_normal().string();
  return fmt::format("{} -> {} {} columns={} key={} null={} at={}{}{}{}", path,
                     NameOf({arguments.store, arguments.table}), format, columns, key, null_text, timestamp_ms,
                     header ? " header" : "", escapes ? " escapes" : "", bulk ? " bulk" : "");
}

Expected<int> ImportText(const Console& console, const TextImportOptions& options, const MoveArguments& move) {
  return TextImport(console, options, move).Run();
}

}  // namespace klip::cli
