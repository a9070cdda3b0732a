#include "cli/text_export.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/field_target.h"
#include "cli/printer.h"
#include "cli/texts.h"
#include "copy/files.h"
#include "copy/io_error.h"
#include "copy/state_file.h"
#include "copy/throttle.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

// What the lines of an export contain, besides the cells of whole families.
struct LineForm {
  bool is_json = true;
  char separator = ',';     // of CSV or TSV
  bool timestamps = false;  // of JSON
  std::optional<std::string> null_text;
  std::optional<RowKeySchema> schema;
  std::vector<FieldTarget> fields;  // of JSON: those that are named or typed
};

bool IsKey(const FieldTarget& field) {
  return field.kind == FieldTarget::Kind::kRow || field.kind == FieldTarget::Kind::kKeyField;
}

// Reads the fields that --columns names, and adds the columns among them to the scan. `families`: of the table.
Status NameFields(const std::vector<std::string>& texts, const std::vector<std::string>& families, LineForm* form,
                  Scan* scan) {
  std::vector<std::string> fields;
  for (const std::string& text : texts) {
    if (form->is_json && std::ranges::find(families, text) != families.end()) {
      scan->columns.push_back({.family = text});
    } else {
      fields.push_back(text);
    }
  }
  KLIP_ASSIGN_OR_RETURN(form->fields, ParseFieldTargets(fields, form->schema));
  for (const FieldTarget& field : form->fields) {
    if (field.kind == FieldTarget::Kind::kColumn) {
      scan->columns.push_back({field.family, field.qualifier});
    } else if (form->is_json && field.kind == FieldTarget::Kind::kKeyField && field.key_field == "row") {
      return UsageError("'row' is the whole row key in JSON, so a line cannot contain the key field of that name");
    }
  }
  return Status::Ok();
}

// Lines without a key begin with it: with its fields, or the whole row if there is no schema.
void PrependKey(LineForm* form) {
  if (std::ranges::any_of(form->fields, IsKey)) {
    return;
  }
  std::vector<FieldTarget> key;
  if (!form->schema) {
    key.push_back({.kind = FieldTarget::Kind::kRow});
  } else {
    for (const KeyField& field : form->schema->fields()) {
      if (!field.derived()) {
        key.push_back({.kind = FieldTarget::Kind::kKeyField, .key_field = field.name});
      }
    }
  }
  form->fields.insert(form->fields.begin(), key.begin(), key.end());
}

class RowLines {
 public:
  explicit RowLines(LineForm form) : form_(std::move(form)) {}

  std::string Header() const;  // empty: none
  Expected<std::string> LineOf(const Result& row) const;

 private:
  std::string Joined(const std::vector<std::string>& fields) const;
  // The text of a field of the key; nullopt for other fields. `values`: those of the schema's fields.
  std::optional<std::string> KeyText(const FieldTarget& field, const Result& row,
                                     const std::vector<std::string>& values) const;
  Expected<std::vector<std::string>> KeyValues(const Result& row) const;
  Expected<std::string> ColumnText(const FieldTarget& field, const Result& row) const;
  Expected<std::string> TimestampText(const Result& row) const;
  Expected<std::string> JsonOf(const Result& row) const;

  LineForm form_;
};

// For TSV, the fields have tabs as \x09 already.
std::string RowLines::Joined(const std::vector<std::string>& fields) const {
  return form_.separator == ',' ? CsvLine(fields) : fmt::format("{}\n", fmt::join(fields, "\t"));
}

std::string RowLines::Header() const {
  if (form_.is_json) {
    return {};
  }
  std::vector<std::string> names;
  for (const FieldTarget& field : form_.fields) {
    names.push_back(NameOfField(field));
  }
  return Joined(names);
}

Expected<std::vector<std::string>> RowLines::KeyValues(const Result& row) const {
  const bool wanted = std::ranges::any_of(
      form_.fields, [](const FieldTarget& field) { return field.kind == FieldTarget::Kind::kKeyField; });
  return wanted ? form_.schema->Decode(row.row()) : std::vector<std::string>();
}

std::optional<std::string> RowLines::KeyText(const FieldTarget& field, const Result& row,
                                             const std::vector<std::string>& values) const {
  if (field.kind == FieldTarget::Kind::kRow) {
    return ToText(row.row());
  }
  if (field.kind != FieldTarget::Kind::kKeyField) {
    return std::nullopt;
  }
  const auto index = static_cast<size_t>(*form_.schema->FieldIndex(field.key_field));
  return FieldToText(form_.schema->fields()[index], values[index]);
}

// Of the row's cells. A line has one timestamp for all.
Expected<std::string> RowLines::TimestampText(const Result& row) const {
  for (const Cell& cell : row) {
    if (cell.timestamp_ms != row[0].timestamp_ms) {
      return UsageError(
          fmt::format("row '{}': its cells have different timestamps, but a line has one HBASE_TS_KEY; JSON with "
                      "--timestamps has all",
                      ToText(row.row())));
    }
  }
  return std::to_string(row[0].timestamp_ms);
}

Expected<std::string> RowLines::ColumnText(const FieldTarget& field, const Result& row) const {
  const std::optional<std::string_view> value = row.Value(field.family, field.qualifier);
  if (!value) {
    return form_.null_text.value_or("");
  }
  KLIP_ASSIGN_OR_RETURN(std::string text, ValueForLine(field, *value));
  if (text.empty() && !form_.null_text) {
    return UsageError(
        fmt::format("row '{}', column '{}': an empty value would be read as no cell; --null TEXT writes TEXT where "
                    "there is no cell",
                    ToText(row.row()), NameOfField(field)));
  }
  if (form_.null_text && text == *form_.null_text) {
    if (field.value != FieldTarget::Value::kText) {
      return UsageError(
          fmt::format("row '{}', column '{}': the value is the text of --null", ToText(row.row()), NameOfField(field)));
    }
    text = fmt::format("\\x{:02X}{}", static_cast<unsigned char>(text[0]), std::string_view(text).substr(1));
  }
  return text;
}

std::string JsonText(std::string_view text) { return Json(text).dump(); }

// {"row": "...", "d:visits": "3"}; with timestamps {"d:visits": [{"timestamp": 1, "value": "3"}, ...]}. The members are
// appended as text: a row may have millions.
Expected<std::string> RowLines::JsonOf(const Result& row) const {
  std::string line = "{";
  const auto add = [&line](std::string_view name) { line += (line.size() > 1 ? "," : "") + JsonText(name) + ":"; };
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> values, KeyValues(row));
  for (const FieldTarget& field : form_.fields) {
    if (const std::optional<std::string> text = KeyText(field, row, values)) {
      add(field.kind == FieldTarget::Kind::kRow ? "row" : field.key_field);
      line += JsonText(*text);
    } else if (field.kind == FieldTarget::Kind::kTimestamp) {
      KLIP_ASSIGN_OR_RETURN(const std::string timestamp, TimestampText(row));
      add(NameOfField(field));
      line += timestamp;
    }
  }
  for (size_t i = 0; i < row.size(); ++i) {
    const Cell& cell = row[i];
    const bool more_of_column =
        form_.timestamps && i > 0 && row[i - 1].family == cell.family && row[i - 1].qualifier == cell.qualifier;
    const auto typed = std::ranges::find_if(form_.fields, [&cell](const FieldTarget& field) {
      return field.kind == FieldTarget::Kind::kColumn && field.family == cell.family &&
             field.qualifier == cell.qualifier;
    });
    const bool is_named = typed != form_.fields.end();
    const std::string name = is_named ? NameOfField(*typed) : NameOfColumn(cell.family, cell.qualifier);
    KLIP_ASSIGN_OR_RETURN(const std::string value,
                          is_named ? ValueForLine(*typed, cell.value) : Expected<std::string>(ToText(cell.value)));
    if (!form_.timestamps) {
      add(name);
      line += JsonText(value);
      continue;
    }
    if (more_of_column) {
      line.back() = ',';  // in place of the bracket that closed the list
    } else {
      add(name);
      line += "[";
    }
    line += fmt::format("{{\"timestamp\":{},\"value\":{}}}]", cell.timestamp_ms, JsonText(value));
  }
  return line + "}\n";
}

Expected<std::string> RowLines::LineOf(const Result& row) const {
  if (form_.is_json) {
    return JsonOf(row);
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> values, KeyValues(row));
  std::vector<std::string> fields;
  for (const FieldTarget& field : form_.fields) {
    Expected<std::string> text = KeyText(field, row, values).value_or("");
    if (field.kind == FieldTarget::Kind::kColumn) {
      text = ColumnText(field, row);
    } else if (field.kind == FieldTarget::Kind::kTimestamp) {
      text = TimestampText(row);
    }
    KLIP_RETURN_IF_ERROR(text.status());
    fields.push_back(*std::move(text));
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
  // Gives the complete file its final name, durably.
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
  KLIP_RETURN_IF_ERROR(copy::SyncDirectoryOf(file.PartPath()));
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
  KLIP_RETURN_IF_ERROR(copy::SyncDirectoryOf(path_));
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

// Adds the columns to the scan.
Expected<RowLines> LinesOf(const TextExport& how, const Table& table, Scan* scan) {
  const std::string name = LineFormatOf(how.format, how.file);
  LineForm form = {.is_json = name == "json",
                   .separator = name == "tsv" ? '\t' : ',',
                   .timestamps = how.timestamps || scan->max_versions > 1,
                   .schema = table.row_key_schema()};
  if (scan->raw) {
    return UsageError("lines of text cannot contain delete markers: give a directory, or omit --raw");
  }
  if (!form.is_json && form.timestamps) {
    return UsageError(name +
                      " has one value of each column: --timestamps and --versions are for json; the field HBASE_TS_KEY "
                      "has the timestamp of a row's cells");
  }
  if (form.is_json && !how.null_text.empty()) {
    return UsageError("--null is for csv and tsv: in JSON, a column without a cell is left out");
  }
  if (!how.null_text.empty()) {
    form.null_text = how.null_text;
  }
  KLIP_RETURN_IF_ERROR(NameFields(how.columns, how.families, &form, scan));
  if (!form.is_json && scan->columns.empty()) {
    return UsageError(name + " needs --columns family:qualifier,...");
  }
  if (!form.is_json) {
    PrependKey(&form);
  } else if (std::ranges::none_of(form.fields, IsKey)) {
    form.fields.insert(form.fields.begin(), {.kind = FieldTarget::Kind::kRow});
  }
  return RowLines(std::move(form));
}

}  // namespace

Expected<std::string> TextExport::Target() const {
  namespace fs = std::filesystem;
  if (file.empty()) {
    return std::string();
  }
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) {
    return UsageError("--output needs a file, but '" + file + "' is a directory");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return std::string();
  }
  KLIP_RETURN_IF_ERROR(base::CheckOutsideStores(file));
  return copy::TargetOfLinks(file);
}

Expected<int> TextExport::Run(const Console& console, Table* table, Scan scan) const {
  KLIP_ASSIGN_OR_RETURN(const RowLines lines, LinesOf(*this, *table, &scan));
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
    bool any = false;
    KLIP_RETURN_IF_ERROR(WriteRows(table, scan, lines, out, [&](std::string_view, size_t bytes) {
      any = true;
      throttle.Pass(static_cast<int64_t>(bytes), 1);
      return Status::Ok();
    }));
    if (!any && !columns.empty()) {
      console.PrintError(fmt::format("no row has {}", fmt::join(columns, " or ")));
    }
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
  console.Print("exported {} rows in {}{}{}\n", FormatCount(rows - before), FormatDuration(MonotonicUs() - start_us),
                before == 0 ? "" : fmt::format(", {} including those before the interruption", FormatCount(rows)),
                rows == 0 && !columns.empty() ? fmt::format(": no row has {}", fmt::join(columns, " or ")) : "");
  return kExitOk;
}

}  // namespace klip::cli
