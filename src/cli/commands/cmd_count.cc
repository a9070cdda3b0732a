// klip count: rows in all, or by key fields. Leading fields are counted by jumping from value to value.
#include <map>

#include "cli/command.h"
#include "cli/printer.h"
#include "cli/scan_options.h"
#include "cli/texts.h"
#include "klip/bytes.h"
#include "rowkey/column_filter.h"

namespace klip::cli {
namespace {

struct Count {
  TableArguments arguments;
  ScanOptions options;
  std::vector<std::string> by;
  bool distinct = false;
  OutputForm form = OutputForm::kText;

  // Calls `each` with every row key.
  template <typename Each>
  Status ForEachRow(const Console& console, Table* table, Each each) const {
    KLIP_ASSIGN_OR_RETURN(Scan scan, options.Make(*table));
    rowkey::AskForKeysOnly(&scan);
    KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(scan));
    ProgressBar progress(console, "counting", 0);
    Result row;
    for (int64_t rows = 0;; ++rows) {
      KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
      if (!more) {
        return Status::Ok();
      }
      KLIP_RETURN_IF_ERROR(each(row.row()));
      progress.Set(rows);
    }
  }

  Expected<int64_t> CountAll(Table* table) const {
    KLIP_ASSIGN_OR_RETURN(const Scan scan, options.Make(*table));
    return table->CountRows(scan);
  }

  Expected<std::vector<KeyCount>> CountBy(const Console& console, Table* table) const {
    std::optional<RowKeySchema> schema = table->row_key_schema();
    if (!schema) {
      return UsageError("--by: table '" + table->name() + "' has no row-key schema");
    }
    std::vector<size_t> fields;
    bool leading = true;
    for (const std::string& name : by) {
      std::optional<int> field = schema->FieldIndex(name);
      if (!field) {
        return UsageError("--by: no field '" + name + "' in the schema " + schema->ToString());
      }
      fields.push_back(static_cast<size_t>(*field));
      leading = leading && fields.back() == fields.size() - 1;
    }
    if (leading && options.Everything()) {
      return table->DistinctKeys(static_cast<int>(fields.size()), !distinct);
    }
    std::map<std::vector<std::string>, int64_t> counts;
    std::vector<std::string> values(fields.size());
    KLIP_RETURN_IF_ERROR(ForEachRow(console, table, [&](std::string_view row) -> Status {
      KLIP_ASSIGN_OR_RETURN(std::vector<std::string> all, schema->Decode(row));
      for (size_t i = 0; i < fields.size(); ++i) {
        values[i] = all[fields[i]];
      }
      ++counts[values];
      return Status::Ok();
    }));
    std::vector<KeyCount> out;
    for (const auto& [key, rows] : counts) {
      out.push_back({key, distinct ? 0 : rows});
    }
    return out;
  }

  void PrintCounts(const Console& console, const std::vector<KeyCount>& counts) const {
    if (form == OutputForm::kCsv) {
      std::vector<std::string> names = by;
      if (!distinct) {
        names.emplace_back("rows");
      }
      console.Write(CsvLine(names));
    }
    for (const KeyCount& count : counts) {
      if (form == OutputForm::kCsv) {
        std::vector<std::string> fields;
        for (const std::string& value : count.values) {
          fields.push_back(ToText(value));
        }
        if (!distinct) {
          fields.push_back(std::to_string(count.rows));
        }
        console.Write(CsvLine(fields));
        continue;
      }
      if (form == OutputForm::kJson) {
        Json line;
        for (size_t i = 0; i < by.size(); ++i) {
          line[by[i]] = ToText(count.values[i]);
        }
        if (!distinct) {
          line["rows"] = count.rows;
        }
        console.Write(line.dump() + "\n");
        continue;
      }
      std::string line;
      for (size_t i = 0; i < by.size(); ++i) {
        line += fmt::format("{}{:<16}", i == 0 ? "" : " ", ToText(count.values[i]));
      }
      console.Print("{}\n", distinct ? line : fmt::format("{} {:>12}", line, FormatCount(count.rows)));
    }
  }

  Expected<int> operator()(const Console& console) const {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
    int64_t start_us = MonotonicUs();
    if (!by.empty()) {
      KLIP_ASSIGN_OR_RETURN(std::vector<KeyCount> counts, CountBy(console, open.table.get()));
      PrintCounts(console, counts);
      if (form == OutputForm::kText) {
        console.Print("{} different in {}\n", FormatCount(static_cast<int64_t>(counts.size())),
                      FormatDuration(MonotonicUs() - start_us));
      }
      return kExitOk;
    }
    KLIP_ASSIGN_OR_RETURN(int64_t rows, CountAll(open.table.get()));
    if (form == OutputForm::kCsv) {
      console.Print("rows\n{}\n", rows);
    } else if (form == OutputForm::kJson) {
      console.Print("{{\"rows\":{}}}\n", rows);
    } else {
      console.Print("{} row{} in {}\n", FormatCount(rows), rows == 1 ? "" : "s",
                    FormatDuration(MonotonicUs() - start_us));
    }
    return kExitOk;
  }
};

}  // namespace

Run AddCountCommand(Arguments* args) {
  auto count = std::make_shared<Count>();
  count->arguments.AddTo(args);
  count->options.AddTo(args, /*with_columns=*/false);
  args->Add("--by", &count->by, "count for each value of these key fields, separated by commas").Commas();
  args->AddFlag("--distinct", &count->distinct, "with --by: only count the distinct values");
  args->AddForm(&count->form, "JSON, with --by one object per line", "CSV, with --by one line per value");
  return [count](const Console& console) { return (*count)(console); };
}

}  // namespace klip::cli
