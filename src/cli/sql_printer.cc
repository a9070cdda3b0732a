#include "cli/sql_printer.h"

#include <algorithm>
#include <cmath>

#include "cli/printer.h"
#include "cli/texts.h"
#include "sql/types/codec.h"

namespace klip::cli {
namespace {

using sql::Value;

constexpr size_t kRowsForWidths = 1000;
constexpr size_t kMaxWidth = 60;  // that a column is padded to; longer values push what follows

// The number of UTF-8 characters, as on a terminal (except wide ones).
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Json JsonOf(const Value& value) {
  if (value.is_null()) {
    return nullptr;
  }
  if (value.is_array()) {
    Json list = Json::array();
    for (const Value& item : value.array()) {
      list.push_back(JsonOf(item));
    }
    return list;
  }
  if (const auto* number = std::get_if<int64_t>(&value.data()); number != nullptr && sql::IsNumber(value.type())) {
    return *number;
  }
  if (const auto* number = std::get_if<double>(&value.data()); number != nullptr && std::isfinite(*number)) {
    return *number;
  }
  if (const auto* truth = std::get_if<bool>(&value.data())) {
    return *truth;
  }
  return ToText(value.ToString());  // decimals too: a JSON number would lose digits
}

// One line of a table, "|" between the columns.
class TablePrinter {
 public:
  TablePrinter(const Console& console, const std::vector<sql::Column>& columns) : console_(console), columns_(columns) {
    for (const sql::Column& column : columns) {
      widths_.push_back(std::min(WidthOf(column.label), kMaxWidth));
    }
  }

  void Add(std::vector<std::string> row) {
    if (started_) {
      return PrintLine(row);
    }
    for (size_t i = 0; i < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], std::min(WidthOf(row[i]), kMaxWidth));
    }
    waiting_.push_back(std::move(row));
    if (waiting_.size() >= kRowsForWidths) {
      Flush();
    }
  }

  // Writes the waiting rows, and the header before them.
  void Flush() {
    if (started_) {
      return;
    }
    started_ = true;
    std::vector<std::string> labels;
    std::string rule;
    for (size_t i = 0; i < columns_.size(); ++i) {
      labels.push_back(columns_[i].label);
      rule += (i == 0 ? "" : "-+-") + std::string(widths_[i], '-');
    }
    PrintLine(labels, /*head=*/true);
    console_.Write(rule + "\n");
    for (const std::vector<std::string>& row : waiting_) {
      PrintLine(row);
    }
    waiting_.clear();
  }

 private:
  void PrintLine(const std::vector<std::string>& fields, bool head = false) {
    std::string line;
    for (size_t i = 0; i < fields.size(); ++i) {
      std::string padding(widths_[i] - std::min(widths_[i], WidthOf(fields[i])), ' ');
      bool right = sql::IsNumber(columns_[i].type.type) && !columns_[i].type.array;
      bool last = i + 1 == fields.size();
      line += (i == 0 ? "" : " | ") + (right ? padding : "") + (head ? console_.Bold(fields[i]) : fields[i]) +
              (right || last ? "" : padding);
    }
    console_.Write(line + "\n");
  }

  const Console& console_;
  const std::vector<sql::Column>& columns_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> waiting_;
  bool started_ = false;
};

std::vector<std::string> TextsOf(const sql::Rows& rows, bool null_as_nothing) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < rows.columns().size(); ++i) {
    const Value& value = rows.value(i);
    texts.push_back(value.is_null() && null_as_nothing ? "" : ToText(value.ToString()));
  }
  return texts;
}

}  // namespace

Expected<int64_t> PrintSqlRows(const Console& console, OutputForm form, sql::Rows* rows) {
  TablePrinter table(console, rows->columns());
  if (form == OutputForm::kCsv) {
    std::vector<std::string> labels;
    for (const sql::Column& column : rows->columns()) {
      labels.push_back(column.label);
    }
    console.Write(CsvLine(labels));
  }
  for (int64_t count = 0;; ++count) {
    Expected<bool> more = rows->Next();
    if (!more.ok() || !*more) {
      if (form == OutputForm::kText) {
        table.Flush();
      }
      if (!more.ok()) {
        return more.status();
      }
      return count;
    }
    if (form == OutputForm::kCsv) {
      console.Write(CsvLine(TextsOf(*rows, /*null_as_nothing=*/true)));
    } else if (form == OutputForm::kText) {
      table.Add(TextsOf(*rows, /*null_as_nothing=*/false));
    } else {
      Json line = Json::object();
      for (size_t i = 0; i < rows->columns().size(); ++i) {
        line[rows->columns()[i].label] = JsonOf(rows->value(i));
      }
      console.Write(line.dump() + "\n");
    }
  }
}

}  // namespace klip::cli
