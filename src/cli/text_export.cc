#include "cli/text_export.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/input_reader.h"
#include "cli/printer.h"
#include "cli/texts.h"
#include "copy/io_error.h"
#include "copy/state_file.h"
#include "copy/throttle.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

// Removes the types from the columns of the scan: "d:v:int" reads the column d:v, and writes its value as a number.
Expected<std::vector<FieldTarget>> TypedColumns(Scan* scan) {
  std::vector<FieldTarget> columns;
  for (ColumnSpec& column : scan->columns) {
    if (!column.qualifier) {
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(FieldTarget target,
                          ParseFieldTarget(column.family + ":" + ToText(*column.qualifier), std::nullopt));
    column.qualifier = target.qualifier;
    columns.push_back(std::move(target));
  }
  return columns;
}

// The lines of rows. CSV and TSV have the key's fields (or the whole row without a schema), then a field per column.
class RowLines {
 public:
  static Expected<RowLines> Make(const std::string& format, bool timestamps, const Table& table, const Scan& scan,
                                 std::vector<FieldTarget> columns);

  std::string Header() const;  // empty: none
  Expected<std::string> LineOf(const Result& row) const;

 private:
  RowLines(char separator, bool timestamps, std::optional<RowKeySchema> schema, std::vector<FieldTarget> columns)
      : separator_(separator), timestamps_(timestamps), schema_(std::move(schema)), columns_(std::move(columns)) {}

  std::string Joined(const std::vector<std::string>& fields) const;
  Expected<std::string> JsonOf(const Result& row) const;

  char separator_;  // '\0': JSON
  bool timestamps_;
  std::optional<RowKeySchema> schema_;
  std::vector<FieldTarget> columns_;
};

Expected<RowLines> RowLines::Make(const std::string& format, bool timestamps, const Table& table, const Scan& scan,
                                  std::vector<FieldTarget> columns) {
  if (scan.raw) {
    return UsageError("lines of text cannot contain delete markers: give a directory, or omit --raw");
  }
  if (format == "json") {
    return RowLines('\0', timestamps || scan.max_versions > 1, std::nullopt, std::move(columns));
  }
  for (const ColumnSpec& column : scan.columns) {
    if (!column.qualifier) {
      return UsageError(
          fmt::format("--columns: expected family:qualifier, found '{}'; {} always has the row key as well",
                      ToText(column.family), format));
    }
  }
  if (scan.columns.empty()) {
    return UsageError(format + " needs --columns family:qualifier,...");
  }
  return RowLines(format == "tsv" ? '\t' : ',', false, table.row_key_schema(), std::move(columns));
}

// For TSV, the fields have tabs as \x09 already.
std::string RowLines::Joined(const std::vector<std::string>& fields) const {
  if (separator_ == ',') {
    return CsvLine(fields);
  }
  return fmt::format("{}\n", fmt::join(fields, "\t"));
}

std::string RowLines::Header() const {
  if (separator_ == '\0') {
    return {};
  }
  std::vector<std::string> names;
  if (schema_) {
    for (const KeyField& field : schema_->fields()) {
      if (!field.derived()) {
        names.push_back(field.name);
      }
    }
  } else {
    names.emplace_back("HBASE_ROW_KEY");
  }
  for (const FieldTarget& column : columns_) {
    names.push_back(column.family + ":" + ToText(column.qualifier) + std::string(SuffixOf(column.value)));
  }
  return Joined(names);
}

// {"row": "...", "d:visits": "3"}; with timestamps {"d:visits": [{"timestamp": 1, "value": "3"}, ...]}.
Expected<std::string> RowLines::JsonOf(const Result& row) const {
  Json line;
  line["row"] = ToText(row.row());
  for (const Cell& cell : row) {
    std::string column = std::string(cell.family) + ":" + ToText(cell.qualifier);
    std::string value = ToText(cell.value);
    const auto typed = std::find_if(columns_.begin(), columns_.end(), [&cell](const FieldTarget& target) {
      return target.family == cell.family && target.qualifier == cell.qualifier;
    });
    if (typed != columns_.end()) {
      column += SuffixOf(typed->value);
      KLIP_ASSIGN_OR_RETURN(value, TextOf(*typed, cell.value));
    }
    if (timestamps_) {
      line[column].push_back({{"timestamp", cell.timestamp_ms}, {"value", value}});
    } else {
      line[column] = value;
    }
  }
  return line.dump() + "\n";
}

Expected<std::string> RowLines::LineOf(const Result& row) const {
  if (separator_ == '\0') {
    return JsonOf(row);
  }
  std::vector<std::string> fields;
  if (schema_) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> values, schema_->Decode(row.row()));
    for (size_t i = 0; i < values.size(); ++i) {
      if (!schema_->fields()[i].derived()) {
        fields.push_back(FieldToText(schema_->fields()[i], values[i]));
      }
    }
  } else {
    fields.push_back(ToText(row.row()));
  }
  for (const FieldTarget& column : columns_) {
    const std::optional<std::string_view> value = row.Value(column.family, column.qualifier);
    if (!value) {
      fields.emplace_back();
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(std::string text, TextOf(column, *value));
    fields.push_back(std::move(text));
  }
  return Joined(fields);
}

// The unfinished file of an export, under a temporary name, and its progress. Lines of its state file:
//
//   done <bytes> <rows> <last row>        the last one counts
class GrowingFile {
 public:
  // Resumes an interrupted export, if there is one.
  static Expected<GrowingFile> Open(const std::string& path, const std::string& state_file, const std::string& job);

  std::FILE* stream() const { return stream_.get(); }
  int64_t rows() const { return rows_; }  // that were there at the beginning
  const std::string& last_row() const { return last_row_; }

  // On disk when it returns.
  Status Note(int64_t rows, std::string_view last_row);
  // Renames the complete file to its final name.
  Status Finish();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  GrowingFile(std::string path, copy::StateFile state) : path_(std::move(path)), state_(std::move(state)) {}
  std::string PartPath() const { return path_ + ".part"; }
  Status Sync();

  std::string path_;
  copy::StateFile state_;
  std::unique_ptr<std::FILE, Closer> stream_;
  int64_t rows_ = 0;
  std::string last_row_;
};

Expected<GrowingFile> GrowingFile::Open(const std::string& path, const std::string& state_file,
                                        const std::string& job) {
  int64_t bytes = 0;
  int64_t rows = 0;
  std::string last_row;
  auto read = [&](std::string_view line) {
    const std::vector<std::string> fields = SplitList(line, '\t');
    if (fields.size() != 4 || fields[0] != "done") {
      return false;
    }
    const std::optional<int64_t> done = ParseInt(fields[1]);
    bytes = done.value_or(0);
    rows = ParseInt(fields[2]).value_or(0);
    last_row = FromStringBinary(fields[3]);
    return done.has_value();
  };
  KLIP_ASSIGN_OR_RETURN(copy::StateFile state, copy::StateFile::Open(state_file, "export", job, read));
  GrowingFile file(path, std::move(state));
  std::error_code error;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(file.PartPath(), error));
  if (bytes > 0 && !error && size >= bytes) {
    std::filesystem::resize_file(file.PartPath(), static_cast<uintmax_t>(bytes), error);
    file.rows_ = rows;
    file.last_row_ = last_row;
  } else if (bytes > 0) {  // the file is gone
    KLIP_RETURN_IF_ERROR(file.state_.Clear());
  }
  file.stream_.reset(std::fopen(file.PartPath().c_str(), file.last_row_.empty() ? "wb" : "ab"));
  if (file.stream_ == nullptr) {
    return copy::IoError("cannot write", file.PartPath());
  }
  return file;
}

Status GrowingFile::Sync() {
  return std::fflush(stream()) == 0 && fdatasync(fileno(stream())) == 0 ? Status::Ok()
                                                                        : copy::IoError("cannot write", PartPath());
}

Status GrowingFile::Note(int64_t rows, std::string_view last_row) {
  KLIP_RETURN_IF_ERROR(Sync());
  return state_.Append(fmt::format("done\t{}\t{}\t{}\n", std::ftell(stream()), rows, ToStringBinary(last_row)));
}

Status GrowingFile::Finish() {
  KLIP_RETURN_IF_ERROR(Sync());
  std::error_code error;
  std::filesystem::rename(PartPath(), path_, error);
  if (error) {
    return {Code::kIoError, fmt::format("cannot rename '{}' to '{}': {}", PartPath(), path_, error.message())};
  }
  return state_.Remove();
}

// Writes all rows of the scan; calls `each` after each one with its key and the bytes written.
Status WriteRows(Table* table, const Scan& scan, const RowLines& lines, std::FILE* out,
                 const std::function<Status(std::string_view row, size_t bytes)>& each) {
  KLIP_ASSIGN_OR_RETURN(const auto scanner, table->Scan(scan));
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(const std::string line, lines.LineOf(row));
    std::fwrite(line.data(), 1, line.size(), out);
    if (std::ferror(out) != 0) {
      return {Code::kIoError, "cannot write the output; is the disk full?"};
    }
    KLIP_RETURN_IF_ERROR(each(row.row(), line.size()));
  }
}

std::string LineFormatOf(const std::string& format, const std::string& file) {
  if (!format.empty()) {
    return format;
  }
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".csv" || extension == ".tsv" ? extension.substr(1) : "json";
}

}  // namespace

Expected<std::string> TextExport::Target() const {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) {
    return UsageError("--output needs a file, but '" + file + "' is a directory");
  }
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    const bool is_link = fs::is_symlink(fs::symlink_status(file, error));
    error.clear();  // that there is no such file yet
    const fs::path target = is_link ? fs::weakly_canonical(file, error) : fs::path(file);
    return error ? Status(Code::kIoError, "cannot resolve the link '" + file + "': " + error.message())
                 : Expected<std::string>(target.string());
  }
  return std::string();
}

Expected<int> TextExport::Run(const Console& console, Table* table, Scan scan) const {
  KLIP_ASSIGN_OR_RETURN(std::vector<FieldTarget> columns, TypedColumns(&scan));
  KLIP_ASSIGN_OR_RETURN(const RowLines lines,
                        RowLines::Make(LineFormatOf(format, file), timestamps, *table, scan, std::move(columns)));
  CopyOptions limits;
  if (!move->rate().empty()) {
    KLIP_RETURN_IF_ERROR(ParseRate(move->rate(), &limits));
  }
  copy::Throttle throttle(limits.max_bytes_per_s, limits.max_rows_per_s);
  KLIP_ASSIGN_OR_RETURN(const std::string target, Target());
  if (target.empty()) {
    const auto close = [](std::FILE* out) { return std::fclose(out); };
    const std::unique_ptr<std::FILE, decltype(close)> device(file.empty() ? nullptr : std::fopen(file.c_str(), "wb"));
    if (device == nullptr && !file.empty()) {
      return copy::IoError("cannot write", file);
    }
    std::FILE* const out = device == nullptr ? console.out : device.get();
    const std::string header = lines.Header();
    std::fwrite(header.data(), 1, header.size(), out);
    KLIP_RETURN_IF_ERROR(WriteRows(table, scan, lines, out, [&](std::string_view, size_t bytes) {
      throttle.Pass(static_cast<int64_t>(bytes), 1);
      return Status::Ok();
    }));
    return std::fflush(out) == 0 ? Expected<int>(kExitOk)
                                 : Status(Code::kIoError, "cannot write the output; is the disk full?");
  }
  KLIP_ASSIGN_OR_RETURN(GrowingFile growing, GrowingFile::Open(target, move->StateFile("export", job), job));
  const int64_t before = growing.rows();
  int64_t rows = before;
  if (!growing.last_row().empty()) {
    console.Print("resuming the interrupted run after row {} (--restart starts from the beginning)\n",
                  FormatCount(rows));
    scan.start_row = growing.last_row();
    scan.include_start = false;
  } else {
    const std::string header = lines.Header();
    std::fwrite(header.data(), 1, header.size(), growing.stream());
  }
  const int64_t start_us = MonotonicUs();
  if (scan.limit_rows == 0 || scan.limit_rows > rows) {
    scan.limit_rows -= scan.limit_rows == 0 ? 0 : rows;
    const Expected<TableStatistics> statistics =
        whole_table && console.progress ? table->Statistics() : Expected<TableStatistics>(TableStatistics());
    ProgressBar progress(console, "exporting", statistics.ok() ? statistics->rows : 0);
    int64_t noted_us = start_us;
    KLIP_RETURN_IF_ERROR(WriteRows(table, scan, lines, growing.stream(), [&](std::string_view row, size_t bytes) {
      progress.Set(++rows);
      throttle.Pass(static_cast<int64_t>(bytes), 1);
      if (const int64_t now_us = MonotonicUs(); now_us - noted_us >= kNoteEveryUs) {
        noted_us = now_us;
        return growing.Note(rows, row);
      }
      return Status::Ok();
    }));
  }
  KLIP_RETURN_IF_ERROR(growing.Finish());
  console.Print("exported {} rows in {}{}\n", FormatCount(rows - before), FormatDuration(MonotonicUs() - start_us),
                before == 0 ? "" : fmt::format(", {} including those before the interruption", FormatCount(rows)));
  return kExitOk;
}

}  // namespace klip::cli
