// Computes a table's statistics with the KeySampler that also samples rows while files are written, so a plan based on
// them is that of a table loaded with these keys.
#include "advise/key_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "engine/statistics/key_sampler.h"
#include "engine/statistics/key_statistics.h"
#include "filter/rows/leading_values.h"
#include "rowkey/key_codec.h"
#include "rowkey/key_parts.h"

namespace klip::advise {
namespace {

using filter::KeySample;

// Merges equal values, and sorts them.
LayoutColumn Sorted(std::vector<std::string> values, const std::vector<uint32_t>& ids) {
  std::vector<uint32_t> by_bytes(values.size());
  std::iota(by_bytes.begin(), by_bytes.end(), 0U);
  std::sort(by_bytes.begin(), by_bytes.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  std::vector<uint32_t> ranks(values.size());
  LayoutColumn column;
  for (const uint32_t old : by_bytes) {
    if (column.values.empty() || column.values.back() != values[old]) {
      column.values.push_back(std::move(values[old]));
    }
    ranks[old] = static_cast<uint32_t>(column.values.size() - 1);
  }
  column.ids.reserve(ids.size());
  for (const uint32_t id : ids) {
    column.ids.push_back(ranks[id]);
  }
  return column;
}

Status Delimit(const KeyField& field, LayoutColumn* column) {
  if (!field.delimiter) {
    return Status::Ok();
  }
  for (std::string& value : column->values) {
    if (value.find(*field.delimiter) != std::string::npos) {
      return rowkey::FieldError(field, rowkey::Shown(value) + " contains the delimiter");
    }
    value += *field.delimiter;
  }
  // With the delimiter '|', al and al1 become al| and al1|, which sort in the opposite order.
  *column = Sorted(std::move(column->values), column->ids);
  return Status::Ok();
}

Expected<LayoutColumn> ValuesOf(const Sample& sample, const KeyField& field) {
  const std::optional<int> at = sample.schema.FieldIndex(field.name);
  if (!at || sample.schema.fields()[static_cast<size_t>(*at)].derived()) {
    return Status(Code::kInvalidArgument, rowkey::UnknownField(sample.schema.fields(), field.name));
  }
  const KeyField& from = sample.schema.fields()[static_cast<size_t>(*at)];
  const FieldValues& given = sample.fields[static_cast<size_t>(*at)];
  const bool same = from.type == field.type && from.width_bytes == field.width_bytes && from.pad == field.pad &&
                    from.descending == field.descending && from.hash == field.hash;
  if (same) {
    return Sorted(given.values, given.ids);
  }
  std::vector<std::string> values;
  values.reserve(given.values.size());
  for (const std::string& bytes : given.values) {
    KLIP_ASSIGN_OR_RETURN(const std::string text, rowkey::DecodeField(from, bytes));
    KLIP_ASSIGN_OR_RETURN(std::string encoded, rowkey::EncodeField(field, text));
    values.push_back(std::move(encoded));
  }
  return Sorted(std::move(values), given.ids);
}

LayoutColumn Computed(const std::vector<KeyField>& fields, const KeyField& field, const std::vector<LayoutColumn>& of,
                      size_t rows) {
  std::vector<std::string> values;
  std::unordered_map<std::string, uint32_t> known;
  std::vector<uint32_t> ids;
  std::vector<std::string_view> bytes(fields.size());
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].derived()) {
        bytes[i] = of[i].values[of[i].ids[row]];
      }
    }
    std::string value = rowkey::DerivedBytes(field, bytes);
    const auto [at, is_new] = known.try_emplace(std::move(value), static_cast<uint32_t>(values.size()));
    if (is_new) {
      values.push_back(at->first);
    }
    ids.push_back(at->second);
  }
  return Sorted(std::move(values), ids);
}

// Sorts rows by the ranks of their fields, packed into a number if they fit. `rows`: of the sample.
void SortRows(const std::vector<LayoutColumn>& columns, size_t rows, std::vector<uint32_t>* order) {
  using Packed = unsigned __int128;
  std::vector<Packed> packed(rows, 0);
  int bits_left = 128;
  bool all = true;
  for (const LayoutColumn& column : columns) {
    const auto bits = static_cast<int>(std::bit_width(column.values.size()));
    if (bits > bits_left) {
      all = false;
      break;
    }
    bits_left -= bits;
    for (size_t row = 0; row < rows; ++row) {
      packed[row] = (packed[row] << bits) | column.ids[row];
    }
  }
  std::sort(order->begin(), order->end(), [&](uint32_t a, uint32_t b) {
    if (packed[a] != packed[b] || all) {
      return packed[a] < packed[b];
    }
    for (const LayoutColumn& column : columns) {
      if (column.ids[a] != column.ids[b]) {
        return column.ids[a] < column.ids[b];
      }
    }
    return false;
  });
}

// Does what the engine's collector does for the rows of a file.
class LayoutSampler {
 public:
  explicit LayoutSampler(const RowKeySchema& schema)
      : parts_(rowkey::KeyParts(schema)),
        leads_(engine::LeadParts(Cuts(parts_))),
        runs_(std::min(parts_.size(), KeySample::kMaxParts)),
        singles_(runs_.size(), 0),
        distinct_(runs_.size(), 0),
        sampler_(runs_.size()) {}

  void Add(std::string_view row) {
    const size_t common =
        static_cast<size_t>(std::mismatch(row.begin(), row.end(), last_.begin(), last_.end()).first - row.begin());
    size_t end = 0;
    bool is_new = rows_ == 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      size_t next = row.size();
      if (parts_[i].width_bytes > 0) {
        next = std::min(row.size(), end + static_cast<size_t>(parts_[i].width_bytes));
      } else if (parts_[i].delimiter) {
        const size_t at = row.find(*parts_[i].delimiter, end);
        next = at == std::string_view::npos ? row.size() : at + 1;
      }
      if (!is_new && (next > common || next != runs_[i].end)) {
        is_new = true;
        EndRuns(i);
      }
      if (is_new) {
        runs_[i] = {.end = next, .hash = filter::SampleHash(row.substr(0, next)), .first_row = rows_};
      }
      end = next;
    }
    const bool same_as_prefix = is_new && end == row.size() && !runs_.empty();
    prefix_is_row_ = prefix_is_row_ && same_as_prefix;
    sampler_.StartRow(row, same_as_prefix ? runs_.back().hash : filter::SampleHash(row));
    if (sampler_.wants_cells()) {
      sampler_.AddCell(CellType::kPut, 1);
    }
    leads_writer_.Add(&leads_, row);
    ++rows_;
    last_.assign(row);
  }

  // `weight`: the table's rows per added row.
  rowkey::AccessPath Finish(double weight);

 private:
  struct Run {
    size_t end = 0;
    uint64_t hash = 0;
    int64_t first_row = 0;
  };

  static std::vector<filter::KeyPart> Cuts(const std::vector<rowkey::KeyPart>& parts) {
    std::vector<filter::KeyPart> cuts;
    for (const rowkey::KeyPart& part : parts) {
      cuts.push_back({.width_bytes = part.width_bytes, .delimiter = part.delimiter});
    }
    return cuts;
  }

  void EndRuns(size_t first) {
    const std::string_view row = last_;
    for (size_t i = first; i < runs_.size() && rows_ > 0; ++i) {
      const size_t start = i == 0 ? 0 : runs_[i - 1].end;
      const int64_t rows = rows_ - runs_[i].first_row;
      sampler_.EndRun(i, row.substr(0, runs_[i].end), row.substr(start, runs_[i].end - start), runs_[i].hash, rows);
      distinct_[i] += 1;
      singles_[i] += rows == 1 ? 1 : 0;
    }
  }

  // Prefixes with only one sampled row represent others that were not drawn (the estimator GEE: the error is at most the
  // square root of the weight).
  double DistinctOf(size_t part, double weight) const {
    return distinct_[part] - singles_[part] + std::sqrt(weight) * singles_[part];
  }

  bool AllSeen(size_t parts) const { return parts > 0 && parts <= singles_.size() && singles_[parts - 1] == 0; }

  std::vector<rowkey::KeyPart> parts_;
  filter::LeadingValues leads_;
  filter::LeadingValuesWriter leads_writer_;
  std::vector<Run> runs_;
  std::vector<double> singles_;   // [part] prefixes with one row
  std::vector<double> distinct_;  // [part] prefixes
  engine::KeySampler sampler_;
  bool prefix_is_row_ = true;
  int64_t rows_ = 0;
  std::string last_;
};

rowkey::AccessPath LayoutSampler::Finish(double weight) {
  EndRuns(0);
  auto sample = std::make_shared<KeySample>(sampler_.Finish(rows_, prefix_is_row_));
  rowkey::AccessPath path;
  path.statistics.emplace();
  path.statistics->rows = std::llround(static_cast<double>(rows_) * weight);
  path.statistics->sorted_runs = 1;
  const auto scaled = [](uint64_t limit, double by) {
    return by <= 1 ? limit : static_cast<uint64_t>(static_cast<double>(limit) / by);
  };
  for (size_t i = 0; i < runs_.size(); ++i) {
    const double distinct = DistinctOf(i, weight);
    path.statistics->fields.push_back({.name = parts_[i].name, .distinct_prefixes = distinct});
    const double more = distinct / std::max(1.0, distinct_[i]);
    KeySample::Draw<KeySample::Prefix>& prefixes = sample->prefixes[i];
    if (!prefixes.left_out()) {
      prefixes.limit = scaled(prefixes.limit, more);
    }
    for (KeySample::Prefix& prefix : prefixes.items) {
      prefix.rows *= weight / more;
    }
    KeySample::Values& values = sample->values[i];
    values.rows *= weight;
    values.prefixes *= more;
    for (KeySample::Value& value : values.common) {
      value.rows *= weight;
      value.prefixes *= more;
    }
  }
  sample->rows.limit = scaled(sample->rows.limit, weight);
  path.keys.sample = std::move(sample);
  // If the sample is partial, but all its values occurred several times, it contains all values.
  if (const auto known = leads_.Known(); known != nullptr && (weight <= 1 || AllSeen(known->parts.size()))) {
    path.keys.leads = known;
  }
  return path;
}

std::optional<double> HotShare(const Sample& sample, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> newest(order.size());
  std::iota(newest.begin(), newest.end(), 0U);
  const size_t count = NewestRows(order.size());
  if (count == 0 || sample.fields.empty()) {
    return std::nullopt;
  }
  std::nth_element(newest.begin(), newest.begin() + static_cast<std::ptrdiff_t>(count - 1), newest.end(),
                   [&](uint32_t a, uint32_t b) { return sample.written[a] > sample.written[b]; });
  const int64_t oldest = sample.written[newest[count - 1]];
  const auto same = std::count(sample.written.begin(), sample.written.end(), oldest);
  if (static_cast<size_t>(same) > count) {
    return std::nullopt;  // all written at once, according to the timestamps
  }
  std::vector<char> is_newest(order.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    is_newest[newest[i]] = 1;
  }
  std::vector<size_t> shares(kKeyRanges, 0);
  for (size_t i = 0; i < order.size(); ++i) {
    shares[i * kKeyRanges / order.size()] += static_cast<size_t>(is_newest[order[i]]);
  }
  return static_cast<double>(*std::max_element(shares.begin(), shares.end())) / static_cast<double>(count);
}

}  // namespace

size_t NewestRows(size_t rows) { return rows < 160 ? 0 : std::clamp<size_t>(rows / kKeyRanges / 2, 1, 1024); }

std::string KeyLayout::KeyOf(uint32_t row) const {
  std::string key;
  for (const LayoutColumn& column : columns) {
    key += column.values[column.ids[row]];
  }
  return key;
}

bool KeyLayout::AllDiffer() const {
  for (size_t i = 1; i < order.size(); ++i) {
    if (std::all_of(columns.begin(), columns.end(),
                    [&](const LayoutColumn& column) { return column.ids[order[i]] == column.ids[order[i - 1]]; })) {
      return false;
    }
  }
  return true;
}

Expected<KeyLayout> LayOut(const Sample& sample, const RowKeySchema& schema) {
  KeyLayout layout{.schema = schema, .columns = {}, .order = {}};
  const std::vector<KeyField>& fields = schema.fields();
  layout.columns.resize(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].type == KeyFieldType::kLiteral) {
      layout.columns[i] = {.values = {fields[i].literal}, .ids = std::vector<uint32_t>(sample.size(), 0)};
    } else if (!fields[i].derived()) {
      KLIP_ASSIGN_OR_RETURN(layout.columns[i], ValuesOf(sample, fields[i]));
    }
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].derived() && fields[i].type != KeyFieldType::kLiteral) {
      layout.columns[i] = Computed(fields, fields[i], layout.columns, sample.size());
    }
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    KLIP_RETURN_IF_ERROR(Delimit(fields[i], &layout.columns[i]));
  }
  layout.order.resize(sample.size());
  std::iota(layout.order.begin(), layout.order.end(), 0U);
  SortRows(layout.columns, sample.size(), &layout.order);
  return layout;
}

namespace {

bool IsAbsent(const SampledColumn& column, uint32_t row) { return column.stored.ids[row] == SampledColumn::kAbsent; }

// Adds the fields of a part. Leaves out rows that lack the column, unless it is optional.
Status LayOutPart(const rowkey::IndexPart& part, const SampledColumn& column, KeyLayout* layout) {
  std::vector<std::string> values;
  for (const std::string& stored : column.stored.values) {
    KLIP_RETURN_IF_ERROR(rowkey::AppendStoredValue(part, stored, &values.emplace_back()));
  }
  std::vector<uint32_t> ids = column.stored.ids;
  std::ranges::replace(ids, SampledColumn::kAbsent, static_cast<uint32_t>(values.size()));
  values.emplace_back(static_cast<size_t>(part.field.width_bytes), '\0');
  if (part.presence.has_value()) {
    const std::vector<std::string> bytes = {{rowkey::PresenceByte(part, false)}, {rowkey::PresenceByte(part, true)}};
    std::vector<uint32_t> present;
    for (uint32_t row = 0; row < ids.size(); ++row) {
      present.push_back(IsAbsent(column, row) ? 0 : 1);
    }
    layout->columns.push_back(Sorted(bytes, present));
  } else {
    std::erase_if(layout->order, [&](uint32_t row) { return IsAbsent(column, row); });
  }
  layout->columns.push_back(Sorted(std::move(values), ids));
  return Delimit(part.field, &layout->columns.back());
}

}  // namespace

Expected<KeyLayout> LayOutEntries(const Sample& sample, const KeyLayout& rows, const rowkey::IndexDefinition& index) {
  KeyLayout layout{.schema = index.keys(), .columns = {}, .order = rows.order};
  std::vector<const SampledColumn*> columns;
  for (const rowkey::IndexPart& part : index.parts) {
    if (!part.column.has_value()) {
      return Status(Code::kInvalidArgument, "fields of the row key are not laid out before columns");
    }
    const rowkey::IndexColumn& name = index.columns[*part.column];
    const auto column = std::ranges::find_if(sample.columns, [&](const SampledColumn& one) {
      return one.family == name.family && one.qualifier == name.qualifier;
    });
    if (column == sample.columns.end() || column->too_long) {
      return Status(Code::kInvalidArgument, name.Name() + " is not in the sample, or too long for a key");
    }
    KLIP_RETURN_IF_ERROR(LayOutPart(part, *column, &layout));
    columns.push_back(&*column);
  }
  std::erase_if(layout.order, [&](uint32_t row) {
    return std::ranges::all_of(columns, [&](const SampledColumn* column) { return IsAbsent(*column, row); });
  });
  if (layout.order.empty()) {
    return Status(Code::kInvalidArgument, "no row of the sample has these columns");
  }
  layout.columns.insert(layout.columns.end(), rows.columns.begin(), rows.columns.end());
  SortRows(layout.columns, sample.size(), &layout.order);
  return layout;
}

namespace {

// TUNING: trying a scan out on so many keys takes up to some ms.
constexpr size_t kMostWhole = 32'768;

// All keys if they are few, and otherwise stretches that are spread evenly over them.
std::shared_ptr<const filter::RowStretches> StretchesOf(const KeyLayout& layout, uint32_t cells) {
  constexpr size_t kPlaces = filter::RowStretches::kPlaces;
  constexpr size_t kRows = filter::RowStretches::kRows;
  const size_t rows = layout.order.size();
  if (rows == 0) {
    return nullptr;
  }
  const bool all = rows <= kMostWhole;
  auto out = std::make_shared<filter::RowStretches>();
  out->from_start = out->to_end = true;
  out->stretches.resize(all ? 1 : kPlaces);
  for (size_t i = 0; i < out->stretches.size(); ++i) {
    const size_t first = all ? 0 : i * (rows - kRows) / (kPlaces - 1);
    for (size_t at = first; at < (all ? rows : first + kRows); ++at) {
      out->stretches[i].Add(layout.KeyOf(layout.order[at]), cells);
    }
  }
  return out;
}

}  // namespace

rowkey::AccessPath PathOf(const KeyLayout& layout, double weight, double cells_per_key, double* bytes) {
  LayoutSampler sampler(layout.schema);
  *bytes = 0;
  for (const uint32_t row : layout.order) {
    const std::string key = layout.KeyOf(row);
    sampler.Add(key);
    *bytes += static_cast<double>(key.size());
  }
  rowkey::AccessPath path = sampler.Finish(weight);
  path.schema = &layout.schema;
  path.statistics->cells = std::llround(static_cast<double>(path.statistics->rows) * cells_per_key);
  if (weight <= 1) {  // otherwise the table has other keys between two
    path.keys.stretches = StretchesOf(layout, static_cast<uint32_t>(std::max(1.0, std::round(cells_per_key))));
  }
  return path;
}

LayoutFigures FiguresOf(const Sample& sample, const KeyLayout& layout) {
  const double cells_per_row = sample.cells.cells == 0 ? 1
                                                       : static_cast<double>(sample.cells.cells) /
                                                             std::max<double>(1, static_cast<double>(sample.sampled));
  double bytes = 0;
  LayoutFigures figures{.path = PathOf(layout, sample.Weight(), cells_per_row, &bytes),
                        .hot_share = HotShare(sample, layout.order)};
  figures.key_bytes = bytes / std::max<double>(1, static_cast<double>(sample.size()));
  return figures;
}

}  // namespace klip::advise
