// Advice for people, and as JSON.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "advise/figures.h"
#include "klip/advise.h"
#include "klip/bytes.h"

namespace klip {
namespace advise {

std::string Percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), share < 0.01 && share > 0 ? "%.2f %%" : "%.0f %%", 100 * share);
  return text.data();
}

std::string Bytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) {
    bytes /= 1000;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
  return text.data();
}

}  // namespace advise

namespace {

using advise::Figure;
using advise::Percent;
using advise::Time;
using Json = nlohmann::ordered_json;

std::string Indented(const char* label, const std::string& text) {
  return text.empty() ? "" : std::string("    ") + label + text + "\n";
}

std::string FindingText(const KeyFinding& finding, bool explain) {
  std::string out = std::string(finding.problem ? "  ! " : "  - ") + finding.measure + "\n";
  out += Indented("why:  ", finding.reason);
  out += Indented("do:   ", finding.remedy);
  return explain ? out + Indented("how:  ", finding.formula) : out;
}

std::string FindingsText(const Advice& advice, bool explain) {
  std::string out;
  for (const KeyPrinciple principle :
       {KeyPrinciple::kConciseness, KeyPrinciple::kUniqueness, KeyPrinciple::kDistribution,
        KeyPrinciple::kAccessibility, KeyPrinciple::kShape}) {
    out += "\n" + std::string(KeyPrincipleName(principle)) + "\n";
    for (const KeyFinding& finding : advice.findings) {
      out += finding.principle == principle ? FindingText(finding, explain) : "";
    }
  }
  return out;
}

std::string OutcomeText(const Advice& advice, const QueryOutcome& outcome) {
  const LoggedQuery& query = advice.queries[outcome.query];
  std::string out = "      " + query.where + "  x " + Figure(query.weight) + ": " +
                    std::string(PlanKindName(outcome.kind)) + (outcome.index.empty() ? "" : " by " + outcome.index) +
                    ", " + Figure(outcome.predicted.seeks, "jump") + ", " + Figure(outcome.predicted.rows_read, "row") +
                    ", " + Time(outcome.predicted.time_us);
  if (outcome.measured) {
    out += "; measured " + Figure(static_cast<double>(outcome.measured->seeks)) + ", " +
           Figure(static_cast<double>(outcome.measured->rows_read)) + ", " +
           Time(static_cast<double>(outcome.measured->elapsed_us));
  }
  return out + "\n";
}

std::string DesignText(const Advice& advice, const KeyDesign& design, size_t number, bool explain) {
  std::array<char, 128> figures{};
  std::snprintf(figures.data(), figures.size(), "  %2zu  %9s  %7s  %7s  %5s  ", number, Time(design.time_us).c_str(),
                Time(design.write_us).c_str(), design.hot_share ? Percent(*design.hot_share).c_str() : "?",
                Figure(design.key_bytes).c_str());
  std::string out = figures.data() + design.what +
                    (design.pareto && !design.present ? ""
                     : design.present                 ? ""
                                                      : "  (bettered)") +
                    "\n";
  const bool measured = !design.queries.empty() && design.queries.front().measured.has_value();
  if (explain) {
    out += "      \"" + design.schema + "\"\n      a row writes " + Figure(design.write_bytes) + " bytes" +
           (design.entries > 0 ? ", with " + Figure(design.entries) + " entries of indexes" : "") + "\n";
    for (const IndexDescriptor& index : design.indexes) {
      out += "      index " + index.name + " \"" + index.ToString() + "\"\n";
    }
  }
  if (design.measured_write_us) {
    out += "      putting a row: " + Time(design.write_us) + "; measured " + Time(*design.measured_write_us) + "\n";
  }
  for (const QueryOutcome& outcome : design.queries) {
    out += explain || measured ? OutcomeText(advice, outcome) : "";
  }
  return out;
}

std::string DesignsText(const Advice& advice, bool explain) {
  std::string out =
      "\nthe lab\n        time of    time of   newest    key\n        a query    a write     rows  bytes  order of the "
      "fields\n";
  size_t number = 0;
  for (const KeyDesign& design : advice.designs) {
    if (design.present || design.pareto || explain) {
      out += DesignText(advice, design, number, explain);
    }
    ++number;
  }
  number = 0;
  for (const KeyDesign& design : advice.designs) {
    if (design.pareto && !design.commands.empty()) {
      out += "\nto have " + Figure(static_cast<double>(number)) + " (" + design.what + ")\n";
      for (const std::string& command : design.commands) {
        out += "  " + command + "\n";
      }
    }
    ++number;
  }
  return out;
}

Json CostJson(const PlanCost& cost) {
  return {{"seeks", cost.seeks},
          {"rows_read", cost.rows_read},
          {"rows_returned", cost.rows_returned},
          {"time_us", cost.time_us}};
}

Json DesignJson(const KeyDesign& design) {
  Json json = {{"schema", design.schema},           {"what", design.what},
               {"present", design.present},         {"pareto", design.pareto},
               {"time_us", design.time_us},         {"hot_share", design.hot_share ? Json(*design.hot_share) : Json()},
               {"key_bytes", design.key_bytes},     {"write_us", design.write_us},
               {"write_bytes", design.write_bytes}, {"entries", design.entries},
               {"indexes", Json::array()},          {"queries", Json::array()},
               {"commands", design.commands}};
  if (design.measured_write_us) {
    json["measured_write_us"] = *design.measured_write_us;
  }
  for (const IndexDescriptor& index : design.indexes) {
    json["indexes"].push_back({{"name", index.name}, {"declaration", index.ToString()}});
  }
  for (const QueryOutcome& outcome : design.queries) {
    Json& one = json["queries"].emplace_back();
    one = {{"query", outcome.query},
           {"kind", PlanKindName(outcome.kind)},
           {"index", outcome.index},
           {"predicted", CostJson(outcome.predicted)}};
    if (outcome.measured) {
      one["measured"] = {{"seeks", outcome.measured->seeks},
                         {"rows_read", outcome.measured->rows_read},
                         {"rows_returned", outcome.measured->rows_returned},
                         {"time_us", outcome.measured->elapsed_us}};
    }
  }
  return json;
}

}  // namespace

std::string Advice::ToText(bool explain) const {
  std::string out = "row keys of '" + table + "': \"" + schema + "\"\n" + Figure(static_cast<double>(rows)) +
                    " rows, " + Figure(static_cast<double>(sampled_rows)) + " sampled";
  out += unfit_rows > 0 ? ", " + Figure(static_cast<double>(unfit_rows)) + " do not fit the schema\n" : "\n";
  for (const std::string& query : left_out) {
    out += "left out: " + query + "\n";
  }
  out += FindingsText(*this, explain) + DesignsText(*this, explain);
  if (explain) {
    std::array<char, 512> text{};
    std::snprintf(
        text.data(), text.size(),
        "\n%s\n"
        "time of a query = %.2f to %.2f us x jumps (the more cells between two, the more) + %.2f us x cells read "
        "+ %.2f us x rows returned + %.2f us x others read between them\n"
        "time of a write = %.2f us + %.4f us x bytes more than with the present keys + %.2f us x entries of "
        "indexes (rows in batches, not synced)\n",
        costs.measured ? "measured on this machine, on a table in memory:"
                       : "fixed costs, not measured on this machine:",
        costs.seek_us, costs.far_seek_us, costs.step_us, costs.return_us, costs.look_us, costs.put_us, costs.byte_us,
        costs.entry_us);
    out += text.data();
    out +=
        "newest rows: the share of the newest rows that falls into the fullest of 16 key ranges of equally many rows\n";
  }
  return out;
}

std::string Advice::ToJson() const {
  Json json = {
      {"table", table}, {"schema", schema}, {"rows", rows}, {"sampled_rows", sampled_rows}, {"unfit_rows", unfit_rows}};
  json["queries"] = Json::array();
  for (const LoggedQuery& query : queries) {
    json["queries"].push_back({{"where", query.where},
                               {"weight", query.weight},
                               {"order_by", query.order_by},
                               {"limit_rows", query.limit_rows}});
  }
  json["left_out"] = left_out;
  json["findings"] = Json::array();
  for (const KeyFinding& finding : findings) {
    json["findings"].push_back({{"principle", KeyPrincipleName(finding.principle)},
                                {"problem", finding.problem},
                                {"measure", finding.measure},
                                {"reason", finding.reason},
                                {"remedy", finding.remedy},
                                {"formula", finding.formula}});
  }
  json["designs"] = Json::array();
  for (const KeyDesign& design : designs) {
    json["designs"].push_back(DesignJson(design));
  }
  json["costs"] = {{"measured", costs.measured}, {"seek_us", costs.seek_us},     {"far_seek_us", costs.far_seek_us},
                   {"step_us", costs.step_us},   {"return_us", costs.return_us}, {"look_us", costs.look_us},
                   {"put_us", costs.put_us},     {"byte_us", costs.byte_us},     {"entry_us", costs.entry_us}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace klip
