#include "advise/findings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "advise/figures.h"
#include "advise/key_choices.h"
#include "advise/key_layout.h"
#include "rowkey/key_codec.h"
#include "rowkey/planner.h"
#include "rowkey/schema_parser.h"

namespace klip::advise {
namespace {

// TUNING: the thresholds of problems. Below them, changing the keys would cost more than it brings.
constexpr double kMuchOfACell = 0.1;       // names, as a share of a cell's bytes
constexpr size_t kFewValues = 256;         // a code of one byte can distinguish them
constexpr double kLongValue = 8;           // bytes
constexpr double kHotShare = 0.3;          // of the newest rows, in one of kKeyRanges
constexpr double kSkewed = 0.5;            // of the rows, with the same leading value
constexpr double kReadTooMuch = 10;        // rows read for each returned
constexpr double kMuchFaster = 4;          // the factor by which the best design beats the present keys for a query
constexpr double kFewRows = 1000;          // so few take no time, however they are found
constexpr int64_t kWideRowCells = 10'000;  // HBase reads a row's cells at once
constexpr int64_t kLargeRowBytes = 10 << 20;
constexpr double kCollisionsExpected = 0.01;

using Findings = std::vector<KeyFinding>;

struct Evidence {
  const Sample& sample;
  const LabQueries& queries;
  const std::vector<KeyDesign>& designs;

  const KeyDesign& present() const { return designs.front(); }
  double rows() const { return static_cast<double>(sample.size()); }
};

void Add(KeyPrinciple principle, KeyFinding finding, Findings* out) {
  finding.principle = principle;
  out->push_back(std::move(finding));
}

double AverageBytes(const FieldValues& field) {
  double bytes = 0;
  for (const uint32_t id : field.ids) {
    bytes += static_cast<double>(field.values[id].size());
  }
  return bytes / std::max<double>(1, static_cast<double>(field.ids.size()));
}

double BytesOf(const Evidence& of, size_t at) {
  const KeyField& field = of.sample.schema.fields()[at];
  return (field.width_bytes > 0 ? field.width_bytes : AverageBytes(of.sample.fields[at])) + (field.delimiter ? 1 : 0);
}

double CellsPerRow(const Sample& sample) {
  return std::max<double>(
      1, static_cast<double>(sample.cells.cells) / std::max<double>(1, static_cast<double>(sample.sampled)));
}

// "user 10, day 8 bytes".
std::string PartsText(const Evidence& of) {
  std::string text;
  for (size_t i = 0; i < of.sample.fields.size(); ++i) {
    const KeyField& field = of.sample.schema.fields()[i];
    text += (text.empty() ? "" : ", ") + (field.name.empty() ? "literal" : field.name) + " " + Figure(BytesOf(of, i));
  }
  return text;
}

void FindCompactFields(const Evidence& of, Findings* out) {
  std::vector<KeyField> fields = of.sample.schema.fields();
  std::string names;
  double saved = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool hashed = std::any_of(fields.begin(), fields.end(), [i](const KeyField& other) {
      return std::find(other.source_fields.begin(), other.source_fields.end(), static_cast<int>(i)) !=
             other.source_fields.end();
    });
    const std::optional<KeyField> compact =
        fields[i].derived() || hashed ? std::nullopt : CompactField(fields[i], of.sample.fields[i], of.queries.queries);
    if (compact) {
      const double before = BytesOf(of, i);
      double after = compact->width_bytes;
      if (after == 0) {
        after = 1;
        for (const uint32_t id : of.sample.fields[i].ids) {
          const std::string& value = of.sample.fields[i].values[id];
          after += static_cast<double>(value.find_last_not_of(fields[i].pad) + 1) / of.rows();
        }
      }
      saved += before - after;
      names +=
          (names.empty() ? "" : ", ") + fields[i].name + " (" + Figure(before) + " bytes, needs " + Figure(after) + ")";
      fields[i] = *compact;
    }
  }
  const double key_bytes = of.present().key_bytes;
  const std::string measure = "a row key has " + Figure(key_bytes) + " bytes on the average: " + PartsText(of);
  if (names.empty()) {
    return Add(KeyPrinciple::kConciseness, {.measure = measure}, out);
  }
  Add(KeyPrinciple::kConciseness,
      {.problem = true,
       .measure = measure + "; longer than needed: " + names,
       .reason = "the key is in every cell, here " + Figure(CellsPerRow(of.sample)) +
                 " a row: " + Bytes(saved * static_cast<double>(of.sample.rows) * CellsPerRow(of.sample)) +
                 " of the table, before compression",
       .remedy = "row key \"" + rowkey::FieldsToString(fields) + "\"",
       .formula = "saved " + Figure(saved) + " bytes a key x " + Figure(static_cast<double>(of.sample.rows)) +
                  " rows x " + Figure(CellsPerRow(of.sample)) + " cells a row"},
      out);
}

void FindLongNames(const Evidence& of, Findings* out) {
  const CellSums& cells = of.sample.cells;
  if (cells.cells == 0) {
    return;
  }
  constexpr double kTimestampAndType = 9;
  const auto count = static_cast<double>(cells.cells);
  const double names = static_cast<double>(cells.name_bytes) / count;
  const double key =
      static_cast<double>(of.sample.key_bytes) / std::max<double>(1, static_cast<double>(of.sample.rows));
  const double cell = key + names + kTimestampAndType + static_cast<double>(cells.value_bytes) / count;
  std::set<std::string> families;
  std::pair<std::string, std::string> longest;
  for (const auto& [column, unused] : cells.columns) {
    families.insert(column.first);
    longest =
        column.first.size() + column.second.size() > longest.first.size() + longest.second.size() ? column : longest;
  }
  const bool long_family =
      std::any_of(families.begin(), families.end(), [](const std::string& f) { return f.size() > 2; });
  const bool problem = names / cell >= kMuchOfACell && (long_family || names > 8);
  Add(KeyPrinciple::kConciseness,
      {.problem = problem,
       .measure = "family and qualifier take " + Figure(names) + " of the " + Figure(cell) + " bytes of a cell (" +
                  Percent(names / cell) + "); the longest are " + longest.first + ":" + longest.second,
       .reason = problem ? "the names are in every cell: " + Bytes(static_cast<double>(cells.name_bytes)) +
                               " of the table, before compression"
                         : "",
       .remedy =
           problem ? "a family of one letter and qualifiers of some bytes, e.g. --family " + longest.first.substr(0, 1)
                   : "",
       .formula = "names " + Figure(names) + " / (key " + Figure(key) + " + names + timestamp and type 9 + value " +
                  Figure(static_cast<double>(cells.value_bytes) / count) + ")"},
      out);
}

void FindLookUps(const Evidence& of, Findings* out) {
  for (size_t i = 0; i < of.sample.fields.size(); ++i) {
    const KeyField& field = of.sample.schema.fields()[i];
    const FieldValues& values = of.sample.fields[i];
    const bool text = field.type == KeyFieldType::kText || field.type == KeyFieldType::kBytes;
    const double bytes = text ? BytesOf(of, i) : 0;
    if (values.values.size() > kFewValues || bytes < kLongValue ||
        of.rows() < 4 * static_cast<double>(values.values.size()) || of.sample.Weight() > 1.5) {
      continue;
    }
    Add(KeyPrinciple::kConciseness,
        {.problem = bytes >= of.present().key_bytes / 4,
         .measure = field.name + " takes " + Figure(bytes) + " bytes for one of " +
                    Figure(static_cast<double>(values.values.size())) + " values",
         .reason = "a code of one byte tells them apart: " + Figure(bytes - 1) + " bytes less in every cell",
         .remedy = "keep the values in a table of their own, and their numbers in the key: " + field.name +
                   ":u8 (u16 if more than 256 may come)",
         .formula = Figure(bytes) + " - 1 bytes; different values counted in the sample"},
        out);
  }
}

// The number of hashed values, if `seen` of `all` possible hashes occur.
double HashedValues(double seen, double all) { return seen >= all ? INFINITY : -all * std::log1p(-seen / all); }

void FindHashes(const Evidence& of, Findings* out) {
  for (size_t i = 0; i < of.sample.fields.size(); ++i) {
    const KeyField& field = of.sample.schema.fields()[i];
    if (field.type != KeyFieldType::kHash || field.derived()) {
      continue;
    }
    const double all = std::exp2(8.0 * field.width_bytes);
    const auto seen = static_cast<double>(of.sample.fields[i].values.size());
    const double collisions = HashedValues(seen, all) - seen;
    const bool problem = !(collisions < kCollisionsExpected);
    Add(KeyPrinciple::kUniqueness,
        {.problem = problem,
         .measure = field.name + ": " + Figure(seen) + " different hashes of " + Figure(field.width_bytes) +
                    " bytes; " +
                    (std::isfinite(collisions) ? "about " + Figure(collisions) : std::string("unknown many")) +
                    " values share one with another",
         .reason = "the key holds the hash alone, so values of one hash overwrite each other; with one chance in two "
                   "two of " +
                   Figure(1.1774 * std::sqrt(all)) + " values do",
         .remedy = problem ? "a longer hash, " + field.name + ":md5(16), or the hash before the value: md5(" +
                                 field.name + "," + Figure(field.width_bytes) + ") " + field.name + ":text"
                           : "",
         .formula = "-M ln(1 - d/M) - d for d = " + Figure(seen) + " of M = " + Figure(all) +
                    "; birthday bound 1.1774 sqrt(M)"},
        out);
  }
}

void FindTruncation(const Evidence& of, Findings* out) {
  for (size_t i = 0; i < of.sample.fields.size(); ++i) {
    const KeyField& field = of.sample.schema.fields()[i];
    if (field.type != KeyFieldType::kText || !field.truncate) {
      continue;
    }
    const FieldValues& values = of.sample.fields[i];
    const auto full =
        static_cast<double>(std::count_if(values.values.begin(), values.values.end(), [&](const std::string& value) {
          return !value.empty() && value.back() != field.pad;
        }));
    const double share = full / std::max<double>(1, static_cast<double>(values.values.size()));
    Add(KeyPrinciple::kUniqueness,
        {.problem = full > 0,
         .measure = Figure(full) + " of " + Figure(static_cast<double>(values.values.size())) + " values of " +
                    field.name + " fill all " + Figure(field.width_bytes) + " bytes (" + Percent(share) +
                    "): they may have been cut",
         .reason = "values that are the same in their first bytes get the same key, and overwrite each other",
         .remedy =
             full > 0 ? "a text of any length, " + field.name + ":text('\\x00'), or a hash of the whole value behind it"
                      : "",
         .formula = "values without a padding byte, counted in the sample"},
        out);
  }
}

void FindUniqueness(const Evidence& of, Findings* out) {
  const Sample& sample = of.sample;
  if (sample.collisions > 0) {
    std::string remedy = "add a column that tells them apart, or a time of writing";
    if (!sample.telling_column.empty()) {
      remedy = "add " + sample.telling_column + ", which tells all of them apart: row key \"" +
               rowkey::FieldsToString(sample.schema.fields()) + " " + sample.telling_column + ":text\"";
    }
    Add(KeyPrinciple::kUniqueness,
        {.problem = true,
         .measure = Figure(static_cast<double>(sample.collisions)) + " of " +
                    Figure(static_cast<double>(sample.sampled)) + " records have the key of another one (" +
                    Percent(static_cast<double>(sample.collisions) / static_cast<double>(sample.sampled)) + ")",
         .reason = "readers see only the last written of several records with the same key",
         .remedy = remedy,
         .formula = "records that differ and have one key, after padding, truncation and hashes: counted"},
        out);
  }
  FindHashes(of, out);
  FindTruncation(of, out);
  if (std::none_of(out->begin(), out->end(),
                   [](const KeyFinding& f) { return f.principle == KeyPrinciple::kUniqueness; })) {
    Add(KeyPrinciple::kUniqueness,
        {.measure = Figure(static_cast<double>(sample.size())) +
                    " keys of the sample differ, and nothing in the key is cut or only a hash",
         .formula = "keys counted; schema without truncate and without hashes of values"},
        out);
  }
}

void FindHotSpot(const Evidence& of, Findings* out) {
  const std::optional<double> share = of.present().hot_share;
  if (!share) {
    return Add(KeyPrinciple::kDistribution,
               {.measure = "unknown: the sample does not show in which order rows were written (" + Figure(of.rows()) +
                           " rows, of which too many have the newest timestamp)"},
               out);
  }
  const auto newest = static_cast<double>(NewestRows(of.sample.size()));
  KeyFinding finding = {
      .problem = *share > kHotShare,
      .measure = Percent(*share) + " of the newest " + Figure(newest) + " rows fall into one sixteenth of the keys",
      .formula = "newest " + Figure(newest) + " of " + Figure(of.rows()) +
                 " rows by timestamp; share in the fullest of " + Figure(kKeyRanges) +
                 " ranges of equally many rows; 6 % would be even"};
  if (finding.problem) {
    finding.reason = "one region, so one server, receives all of these writes, regardless of the number of servers";
    const KeyDesign* best = nullptr;
    for (const KeyDesign& design : of.designs) {
      if (!design.present && design.hot_share.value_or(1) <= kHotShare &&
          (best == nullptr || design.time_us < best->time_us)) {
        best = &design;
      }
    }
    finding.remedy = best == nullptr ? "a field that does not grow with time at the beginning of the key"
                                     : "row key \"" + best->schema + "\" (" + best->what +
                                           "): " + Percent(*best->hot_share) + " of them fall into the fullest";
    for (size_t i = 0; best != nullptr && i < best->queries.size(); ++i) {
      finding.remedy += (i == 0 ? "; `" : ", `") + of.queries.logged[best->queries[i].query].where + "` takes " +
                        Time(best->queries[i].predicted.time_us) + " instead of " +
                        Time(of.present().queries[i].predicted.time_us);
    }
  }
  Add(KeyPrinciple::kDistribution, std::move(finding), out);
}

void FindSkew(const Evidence& of, Findings* out) {
  const KeyField& field = of.sample.schema.fields().front();
  const FieldValues& values = of.sample.fields.front();
  if (values.ids.empty() || values.values.size() < 2) {
    return;
  }
  std::vector<int64_t> counts(values.values.size(), 0);
  for (const uint32_t id : values.ids) {
    ++counts[id];
  }
  const auto most = static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const double share = static_cast<double>(counts[most]) / of.rows();
  const Expected<std::string> value = rowkey::DecodeField(field, values.values[most]);
  Add(KeyPrinciple::kDistribution,
      {.problem = share > kSkewed && of.rows() > kFewRows,
       .measure = "the most common leading value, " + field.name + "=" + rowkey::Shown(value.ok() ? *value : "?") +
                  ", has " + Percent(share) + " of the rows",
       .reason = share > kSkewed ? "reads and writes of this value go to few neighbouring regions" : "",
       .remedy = share > kSkewed ? "salt(16) before it, or another field first" : "",
       .formula = Figure(static_cast<double>(counts[most])) + " / " + Figure(of.rows()) + " rows of the sample"},
      out);
}

// What is different from the present keys.
std::string DesignNamed(const KeyDesign& design, const KeyDesign& present) {
  std::string text = design.schema == present.schema ? "" : "row key \"" + design.schema + "\"";
  for (const IndexDescriptor& index : design.indexes) {
    text += (text.empty() ? "index \"" : ", index \"") + index.ToString() + "\"";
  }
  return text;
}

void FindAccess(const Evidence& of, Findings* out) {
  if (of.queries.queries.empty()) {
    return Add(KeyPrinciple::kAccessibility,
               {.measure = "no queries were given, so the lab has nothing to compare by",
                .remedy = "--queries FILE, a `where` a line"},
               out);
  }
  for (size_t i = 0; i < of.present().queries.size(); ++i) {
    const QueryOutcome& now = of.present().queries[i];
    const PlanCost& cost = now.predicted;
    KeyFinding finding = {.measure = "`" + of.queries.logged[now.query].where +
                                     "`: " + std::string(PlanKindName(now.kind)) +
                                     (now.index.empty() ? "" : " by " + now.index) + ", " + Figure(cost.seeks, "jump") +
                                     ", " + Figure(cost.rows_read, "row") + " read for " + Figure(cost.rows_returned) +
                                     " returned, " + Time(cost.time_us),
                          .formula = "the planner's estimate from the sample's statistics"};
    const auto best =
        std::min_element(of.designs.begin(), of.designs.end(), [i](const KeyDesign& a, const KeyDesign& b) {
          return a.queries[i].predicted.time_us < b.queries[i].predicted.time_us;
        });
    const bool reads_too_much = cost.rows_read > kFewRows && cost.rows_read > kReadTooMuch * cost.rows_returned;
    const bool much_slower = cost.time_us > kMuchFaster * best->queries[i].predicted.time_us;
    finding.problem = reads_too_much || (much_slower && cost.time_us > rowkey::kTrivialUs);
    if (finding.problem) {
      finding.reason = "the conditions do not name the beginning of the keys";
      finding.remedy = best->present
                           ? "no other design is faster"
                           : DesignNamed(*best, of.present()) + ": " + Time(best->queries[i].predicted.time_us);
    }
    Add(KeyPrinciple::kAccessibility, std::move(finding), out);
  }
}

void FindShape(const Evidence& of, Findings* out) {
  const CellSums& cells = of.sample.cells;
  if (cells.cells == 0) {
    return Add(KeyPrinciple::kShape, {.measure = "unknown: records do not show how they become cells"}, out);
  }
  const bool wide = cells.widest_row_cells > kWideRowCells || cells.largest_row_bytes > kLargeRowBytes;
  const std::string measure = Figure(CellsPerRow(of.sample)) + " cells a row, at most " +
                              Figure(static_cast<double>(cells.widest_row_cells)) + "; the largest row has " +
                              Bytes(static_cast<double>(cells.largest_row_bytes));
  Add(KeyPrinciple::kShape,
      {.problem = wide,
       .measure = measure,
       .reason = wide ? "a row lies in one region and is never split: it limits how far the table can be spread" : "",
       .remedy = wide ? "move what grows from the qualifiers to the end of the key: more rows with fewer cells" : "",
       .formula =
           "counted; wide: above " + Figure(static_cast<double>(kWideRowCells)) + " cells or " + Bytes(kLargeRowBytes)},
      out);
}

}  // namespace

std::vector<KeyFinding> FindingsOf(const Sample& sample, const LabQueries& queries,
                                   const std::vector<KeyDesign>& designs) {
  const Evidence of = {.sample = sample, .queries = queries, .designs = designs};
  Findings out;
  FindCompactFields(of, &out);
  FindLongNames(of, &out);
  FindLookUps(of, &out);
  FindUniqueness(of, &out);
  FindHotSpot(of, &out);
  FindSkew(of, &out);
  FindAccess(of, &out);
  FindShape(of, &out);
  return out;
}

}  // namespace klip::advise
