// Plans as text and as JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "klip/bytes.h"
#include "klip/plan.h"
#include "rowkey/explain_text.h"

namespace klip {

using rowkey::FormatCount;
using rowkey::FormatTime;

namespace {

// Lines of cells; each column is as wide as its widest cell, and aligned left or right.
class TextTable {
 public:
  explicit TextTable(std::vector<bool> right) : right_(std::move(right)) {}

  void Add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

  std::string ToString() const {
    std::vector<size_t> widths(right_.size(), 0);
    for (const auto& line : lines_) {
      for (size_t i = 0; i < line.size(); ++i) {
        widths[i] = std::max(widths[i], line[i].size());
      }
    }
    std::string out;
    for (const auto& line : lines_) {
      std::string text = "  ";
      for (size_t i = 0; i < line.size(); ++i) {
        std::string fill(widths[i] - line[i].size(), ' ');
        text += (i == 0 ? "" : "  ") + (right_[i] ? fill + line[i] : line[i] + fill);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out += text + "\n";
    }
    return out;
  }

 private:
  std::vector<bool> right_;  // per column
  std::vector<std::vector<std::string>> lines_;
};

std::string HeadText(const Explain& explain) {
  std::string out(PlanKindName(explain.kind));
  out += explain.table.empty() ? "" : " of '" + explain.table + "'";
  out += explain.index.empty() ? "" : " by '" + explain.index + (explain.index_only ? "' alone" : "'");
  out += explain.reversed ? ", reversed" : "";
  out += explain.boxes > 1 ? ", " + FormatCount(explain.boxes) + " boxes" : "";
  out += explain.threads > 1 ? ", " + FormatCount(explain.threads) + " threads" : "";
  return out + "\n";
}

std::string BoundsText(const Explain& explain) {
  if (explain.kind == PlanKind::kEmpty) {
    return "  no row can match\n";
  }
  std::string_view from = explain.start_row;
  while (from.ends_with('\0')) {
    from.remove_suffix(1);  // the lowest possible bytes of later fields
  }
  std::string start = from.empty() ? "the first" : "'" + ToStringBinary(from) + "'";
  std::string stop = explain.stop_row.empty() ? " to the last" : " up to '" + ToStringBinary(explain.stop_row) + "'";
  std::string out = (explain.index.empty() ? "  rows from " : "  entries from ") + start + stop + "\n";
  return explain.filter.empty() ? out : out + "  checked per row: " + explain.filter + "\n";
}

std::string FieldsText(const Explain& explain) {
  if (explain.fields.empty()) {
    return "";
  }
  TextTable table({false, false, false, true});
  table.Add({"field", "condition", "use", "distinct"});
  for (const Explain::Field& field : explain.fields) {
    table.Add(
        {field.name, field.condition, field.use, field.distinct > 0 ? FormatCount(std::round(field.distinct)) : "?"});
  }
  return "\n" + table.ToString();
}

// Whether so many of the plan's blocks are missing in the cache that its time will differ.
bool IsCold(const PlanCost& cost) {
  constexpr double kFew = 0.05;  // TUNING: the estimate of the share is no more accurate
  return cost.blocks_read > kFew * cost.blocks;
}

std::string FiguresText(const Explain& explain) {
  TextTable table({false, true, true});
  const PlanCost& estimated = explain.estimated;
  bool known = explain.has_statistics && estimated.time_us > 0;
  auto guess = [known](double count) { return known ? FormatCount(std::ceil(count)) : std::string("?"); };
  auto line = [&](const char* name, const std::string& figure, const std::string& actual) {
    table.Add(explain.actual ? std::vector<std::string>{name, figure, actual} : std::vector<std::string>{name, figure});
  };
  ScanStatistics actual = explain.actual.value_or(ScanStatistics());
  auto count = [](int64_t number) { return FormatCount(static_cast<double>(number)); };
  // HBase's servers report rows and blocks only. In a store, no row is read without a jump or a step. A filter may jump at each row that
  // it drops, and only there.
  const bool on_cluster = actual.rows_read > 0 && actual.seeks == 0 && actual.steps == 0;
  auto work = [&](int64_t number) { return on_cluster && number == 0 ? std::string("?") : count(number); };
  line("", "estimated", "actual");
  line("jumps", guess(estimated.seeks),
       on_cluster ? "<= " + count(actual.rows_read - actual.rows_returned) : count(actual.seeks));
  if (!explain.index.empty()) {
    line("entries read", guess(estimated.entries_read), count(actual.entries_read));
  }
  line("rows read", guess(estimated.rows_read), count(actual.rows_read));
  line("rows returned", guess(estimated.rows_returned), count(actual.rows_returned));
  line("time", known ? FormatTime(estimated.time_us) : "?", FormatTime(static_cast<double>(actual.elapsed_us)));
  const bool cold = IsCold(estimated);
  if (cold) {
    line("time, cold cache", FormatTime(estimated.cold_time_us), "");
  }
  if (explain.actual) {
    table.Add({"cells read", "", count(actual.cells_read)});
    table.Add({"steps", "", work(actual.steps)});
  }
  if (explain.actual || cold) {
    line("blocks read", cold ? guess(estimated.blocks_read) : "", work(actual.blocks_read));
  }
  std::string out = "\n" + table.ToString();
  if (!known && explain.kind != PlanKind::kEmpty) {
    out += "  no statistics of these keys yet: the scan jumps or steps as it learns what each costs\n";
  }
  return out;
}

std::string LosersText(const Explain& explain) {
  TextTable table({false, false});
  for (const Explain::Candidate& candidate : explain.candidates) {
    if (!candidate.why_not.empty()) {
      table.Add({"not " + candidate.Name(), candidate.why_not});
    }
  }
  std::string out = table.ToString();
  return out.empty() ? out : "\n" + out;
}

nlohmann::ordered_json CostToJson(const PlanCost& cost) {
  nlohmann::ordered_json json = {{"seeks", cost.seeks},
                                 {"entries_read", cost.entries_read},
                                 {"rows_read", cost.rows_read},
                                 {"rows_returned", cost.rows_returned},
                                 {"time_us", cost.time_us}};
  if (cost.blocks > 0) {
    json["cold_time_us"] = cost.cold_time_us;
    json["blocks"] = cost.blocks;
    json["blocks_read"] = cost.blocks_read;
  }
  return json;
}

nlohmann::ordered_json StatisticsToJson(const ScanStatistics& actual) {
  return {
      {"rows_returned", actual.rows_returned}, {"rows_read", actual.rows_read},  {"entries_read", actual.entries_read},
      {"cells_read", actual.cells_read},       {"steps", actual.steps},          {"seeks", actual.seeks},
      {"blocks_read", actual.blocks_read},     {"elapsed_us", actual.elapsed_us}};
}

}  // namespace

ScanStatistics& ScanStatistics::operator+=(const ScanStatistics& other) {
  rows_returned += other.rows_returned;
  rows_read += other.rows_read;
  entries_read += other.entries_read;
  cells_read += other.cells_read;
  steps += other.steps;
  seeks += other.seeks;
  blocks_read += other.blocks_read;
  elapsed_us += other.elapsed_us;
  return *this;
}

std::string_view PlanKindName(PlanKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"empty", "point gets", "range", "skip scan", "full walk"};
  return kNames[static_cast<size_t>(kind)];
}

std::string Explain::Candidate::Name() const {
  return index.empty() ? std::string(PlanKindName(kind)) : "index " + index;
}

std::string Explain::ToText() const {
  return HeadText(*this) + BoundsText(*this) + FieldsText(*this) + FiguresText(*this) + LosersText(*this);
}

std::string Explain::ToJson() const {
  nlohmann::ordered_json json;
  json["table"] = table;
  if (!index.empty()) {
    json["index"] = index;
    json["index_only"] = index_only;
  }
  json["kind"] = PlanKindName(kind);
  json["start_row"] = ToStringBinary(start_row);
  json["stop_row"] = ToStringBinary(stop_row);
  json["boxes"] = boxes;
  json["threads"] = threads;
  json["reversed"] = reversed;
  json["has_statistics"] = has_statistics;
  json["fields"] = nlohmann::ordered_json::array();
  for (const Field& field : fields) {
    json["fields"].push_back(
        {{"name", field.name}, {"condition", field.condition}, {"use", field.use}, {"distinct", field.distinct}});
  }
  json["candidates"] = nlohmann::ordered_json::array();
  for (const Candidate& candidate : candidates) {
    nlohmann::ordered_json& one = json["candidates"].emplace_back();
    one = {
        {"kind", PlanKindName(candidate.kind)}, {"cost", CostToJson(candidate.cost)}, {"why_not", candidate.why_not}};
    if (!candidate.index.empty()) {
      one["index"] = candidate.index;
    }
  }
  json["estimated"] = CostToJson(estimated);
  if (costs) {
    json["costs"] = {{"seek_us", costs->seek_us},
                     {"far_seek_us", costs->far_seek_us},
                     {"step_us", costs->step_us},
                     {"short_step_us", costs->short_step_us},
                     {"return_us", costs->return_us}};
  }
  if (actual) {
    json["actual"] = StatisticsToJson(*actual);
  }
  json["filter"] = filter;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace rowkey {

std::string FormatCount(double count) {
  std::array<char, 64> buffer{};
  bool fraction = count < 10 && std::abs(count - std::round(count)) >= 0.05;
  std::snprintf(buffer.data(), buffer.size(), fraction ? "%.1f" : "%.0f", std::min(count, 1e18));
  std::string out(buffer.data());
  if (!fraction) {
    for (size_t i = out.size(); i > 3; i -= 3) {
      out.insert(i - 3, ",");
    }
  }
  return out;
}

std::string FormatCount(double count, std::string_view noun) {
  std::string out = FormatCount(count);
  const bool one = out == "1";
  return out.append(" ").append(noun).append(one ? "" : "s");
}

std::string FormatTime(double time_us) {
  std::array<char, 64> buffer{};
  if (time_us < 1000) {
    std::snprintf(buffer.data(), buffer.size(), "%.0f us", time_us);
  } else if (time_us < 1e6) {
    std::snprintf(buffer.data(), buffer.size(), "%.1f ms", time_us / 1e3);
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%.1f s", time_us / 1e6);
  }
  return buffer.data();
}

}  // namespace rowkey
}  // namespace klip
