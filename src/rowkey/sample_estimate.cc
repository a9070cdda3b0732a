// Rows. Each sampled row stands for several rows of the table. If enough sampled rows match all conditions, they are
// counted. If few or none do, conditions are applied one after the other, the least selective first: of the sampled rows
// that match the previous ones, some match this one too. That share is blended with what is known about the condition
// alone (MarginalOf, which knows the most common values of each field), as if kPriorHits sampled rows had shown it. So
// dependencies between fields count as far as the sample shows them; beyond that, fields are assumed to be independent.
//
// Example: 1,000 sampled rows, of which 5 % have region=r7 and 4 % city=c70. If 20 rows have both, that is enough to count
// (kEnoughHits): 2 %. If 8 have both, the region gives (50 + 3) / (1,000 + 3 / 0.05) = 5 %, and within it the city gives
// (8 + 3) / (50 + 3 / 0.04) = 9 %: between the 16 % that the sample shows and the city's own 4 %. Result: 0.44 %. If none
// has both, the second share is 3 / (50 + 3 / 0.04) = 2.4 %. But if 4 % of 1,000 rows were expected and none has it, the conditions
// are not independent, and what is known about one alone counts little (Depends).
//
// Jumps. Conditions form groups: one jump serves adjacent fields with known values. A group is visited once for each
// distinct matching prefix before it (PrefixesThatFit). On a visit there are rows before and after the wanted ones. Their
// number follows from the prefix's rows and from the position of the group's values among those of the table. Each such
// gap is a jump, which the scanner steps or seeks. JumpTrial passes the gaps, in key order, to the scanner's policy
// (filter/rows/jump_policy.h).
#include "rowkey/sample_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "rowkey/jump_trial.h"
#include "rowkey/sampled_entries.h"
#include "rowkey/scan_trial.h"
#include "rowkey/stretch_clusters.h"

namespace klip::rowkey {
namespace {

using filter::KeySample;
using filter::SampledKeys;

// TUNING: what is known about a condition alone weighs as much as so many matching sampled rows.
constexpr double kPriorHits = 3;
constexpr double kRefutedHits = 0.5;  // if the sampled rows show that it does not hold
constexpr double kByChance = 1;       // hits besides two times the expected deviation
constexpr double kEnoughHits = 16;
constexpr double kMostHits = 64;  // which stretches make more exact
constexpr double kHitsOfMany = 3;
constexpr double kMostTries = 1 << 14;  // jumps: some 0.5 ms
constexpr double kFewTries = 1 << 8;    // to see whether there are some
constexpr size_t kNeighbours = 64;
constexpr double kMostDraws = 8;  // gaps per sampled prefix

bool IsPoints(const SlotCondition& condition) {
  return condition.restricted && condition.mask.empty() && !condition.intervals.empty() &&
         AllPoints(condition.intervals);
}

bool IsLiteralSlot(const KeySlot& slot) { return slot.field != nullptr && slot.field->type == KeyFieldType::kLiteral; }

// A condition on a slot, with the share of entries that match it, as far as known without the other conditions.
struct Asked {
  size_t slot;
  const SlotCondition* condition;
  double prior;
  double prior_hits = kPriorHits;
};

double Blend(double hits, double tested, double prior, double prior_hits) {
  return std::min(1.0, (hits + prior_hits) / (tested + prior_hits / prior));
}

// What is known about a condition alone counts less if the sampled rows show something else.
double IfRefuted(double prior_hits, double expected) { return std::min({prior_hits, kRefutedHits, expected / 8}); }

// Of some sampled entries, `own` match a condition, and a `part` the ones before it. Whether `hits` of them match both by dependence.
bool Depends(double own, double part, double hits) {
  return std::abs(hits - own * part) > 2 * std::sqrt(own * part * (1 - part)) + kByChance;
}

// The share of the entries marked in *fitting that match all conditions; then marks those in the sample that do. *weakest, unless null:
// lowered to the hits as which a condition alone has counted.
double ShareAmong(const Entries& entries, std::vector<Asked> asked, KnownMarks* known, Marks* fitting,
                  double* weakest = nullptr) {
  std::stable_sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) { return a.prior > b.prior; });
  const Marks all = *fitting;
  const double of_all = std::max(1.0, CountOf(all));
  double share = 1;
  for (const Asked& one : asked) {
    const double before = CountOf(*fitting);
    const Marks& marks = known->Of(entries, one.slot, *one.condition);
    double own = 0;
    for (size_t i = 0; i < marks.size(); ++i) {
      own += all[i] & marks[i];
      (*fitting)[i] = static_cast<char>((*fitting)[i] & marks[i]);
    }
    const double hits = CountOf(*fitting);
    if (entries.whole()) {
      share *= before > 0 ? hits / before : 0;
      continue;
    }
    const double prior = std::clamp(one.prior, 1e-12, 1.0);
    const double prior_hits =
        Depends(own, before / of_all, hits) ? IfRefuted(one.prior_hits, before * prior) : one.prior_hits;
    share *= Blend(hits, before, prior, prior_hits);
    if (weakest != nullptr) {
      *weakest = std::min(*weakest, prior_hits);
    }
  }
  return share;
}

// The share of all entries that match all conditions; *fitting: those in the sample.
double ShareOfAll(const Entries& entries, std::vector<Asked> asked, KnownMarks* known, Marks* fitting) {
  fitting->assign(entries.size(), 1);
  return ShareAmong(entries, std::move(asked), known, fitting);
}

class Estimator {
 public:
  Estimator(const SampledKeys& keys, const SampleQuestion& question)
      : keys_(keys),
        sample_(*keys.sample),
        question_(question),
        slots_(*question.slots),
        rows_(sample_.rows.Weight()),
        answer_{.jumps = std::vector<bool>(slots_.size(), false)} {}

  bool FindParts();
  SampleAnswer Make();

 private:
  struct Group {
    size_t first;
    size_t last;  // slot
  };
  // A number of prefixes with so many rows each.
  struct Visit {
    double rows;
    double times;
    std::string_view prefix;
    std::string_view parent;  // the prefix without its last part
    size_t pool = 0;
  };
  // The position of a prefix's rows relative to the wanted ones.
  struct Position {
    double below = 0;
    double between = 0;
    double above = 0;
  };

  void LoadRows();
  double ShareLeft() const;
  const Entries& PrefixesOf(size_t part);
  double LeadsThatFit(const std::vector<SlotCondition>& line, size_t slots, size_t part);
  std::optional<size_t> PartOf(size_t slot) const;
  double MarginalOf(size_t slot, const SlotCondition& condition, bool of_rows);
  double MarginalFromValues(size_t part, size_t slot, const SlotCondition& condition, bool of_rows);
  bool Implied(size_t slot, const std::vector<SlotCondition>& line, size_t slots) const;
  std::vector<Asked> AskedOf(const std::vector<SlotCondition>& line, size_t slots, bool of_rows);
  double RowsOf(const std::vector<SlotCondition>& line);
  void CountRows();
  void NotePlaces(double drawn, const std::vector<double>& wanted_at);
  double LiveAmong(double live, double tested) const;
  double ShareOfLost(double wanted) const;
  std::vector<Group> GroupsOf(const std::vector<SlotCondition>& line) const;
  Position PositionOf(const std::vector<SlotCondition>& line, const Group& group);
  void CountJumps(const std::vector<SlotCondition>& line, double most_tries);
  void NoteJumps(const std::vector<SlotCondition>& line);
  bool NoLeadFits() const;
  std::optional<TriedScan> TryOnStretches() const;
  void TakeFromTrial(const TriedScan& tried);
  void TakeFromRun();
  void BoundJumps(const TriedScan& tried);
  std::vector<ClusterSlot> AskedSlots() const;
  bool IsOneCondition() const;
  double AlikeOnStretches(const TriedScan& tried, const std::vector<ClusterSlot>& asked) const;
  void CountOnStretches(const TriedScan& tried);
  void CountLive(const TriedScan& tried);
  std::vector<Visit> VisitsOf(const std::vector<SlotCondition>& line, size_t slots, std::optional<size_t> part);
  std::string_view ParentOf(const Entries& entries, size_t entry, std::optional<size_t> part) const;
  static void SetPools(std::vector<Visit>* visits);
  bool SamePrefix(size_t a, size_t b, size_t slots) const;  // of sampled rows
  std::vector<Gap> GapsOf(const std::vector<SlotCondition>& line, const Group& group);
  std::vector<Gap> FirstGaps(const std::vector<SlotCondition>& line, const Group& group) const;
  std::vector<SlotCondition> WithBounds(const std::vector<SlotCondition>& line) const;

  const SampledKeys& keys_;
  const KeySample& sample_;
  const SampleQuestion& question_;
  const std::vector<KeySlot>& slots_;
  std::vector<size_t> first_slot_;  // [part]
  std::vector<size_t> end_slot_;    // [part]
  Entries rows_;                    // all stored ones
  Marks live_;
  std::vector<std::optional<Entries>> prefixes_;
  KnownMarks marks_;
  std::optional<Entries> leads_;
  double stored_rows_ = 0;
  double left_ = 1;       // of the drawn rows
  bool guessed_ = false;  // a condition asks for values that are not listed
  double sampled_ = 0;    // in the range
  double wanted_sampled_ = 0;
  double live_sampled_ = 0;           // of these
  double live_share_ = 1;             // of all rows
  double assumed_hits_ = kPriorHits;  // as which what is known about conditions alone counts, besides the sampled rows
  double walked_ = 0;                 // steps between wanted rows
  double jumped_ = 0;                 // rows jumped over
  double jumps_ = 0;
  SampleAnswer answer_;
};

// Finds the slots that make up each part, as in key_parts.cc. False: the sample has other parts. Files of older versions lack the rest
// of the row.
bool Estimator::FindParts() {
  size_t from = 0;
  bool fixed = false;  // the previous part can include literals
  for (size_t i = 0; i < slots_.size(); ++i) {
    const KeySlot& slot = slots_[i];
    if (IsLiteralSlot(slot)) {
      if (fixed) {
        end_slot_.back() = from = i + 1;
      }
      continue;
    }
    if (slot.width_bytes == 0 && from < i) {
      break;
    }
    first_slot_.push_back(from);
    end_slot_.push_back(i + 1);
    from = i + 1;
    fixed = slot.width_bytes > 0;
  }
  first_slot_.resize(std::min(first_slot_.size(), KeySample::kMaxParts));
  const size_t parts = sample_.prefixes.size();
  if (!slots_.empty() && slots_.back().width_bytes == 0 && !slots_.back().delimiter &&
      first_slot_.size() == parts + 1) {
    first_slot_.pop_back();
  }
  return first_slot_.size() == parts;
}

void Estimator::LoadRows() {
  for (const KeySample::Row& row : sample_.rows.items) {
    rows_.Add(row.bytes, 1);
    live_.push_back(keys_.IsLive(row) ? 1 : 0);
  }
  rows_.Cut(slots_, slots_.size());
  left_ = ShareLeft();
  stored_rows_ = StoredRows(sample_, question_.table_rows) * left_;
  prefixes_.resize(sample_.prefixes.size());
}

// Files are sampled when they are written, so drawn rows may be gone: entries of an index, for instance, that are removed in memory.
// Stretches do not have those.
double Estimator::ShareLeft() const {
  if (keys_.stretches == nullptr || rows_.whole()) {
    return 1;
  }
  double passed = 0;
  double left = 0;
  const auto& drawn = sample_.rows.items;
  for (const filter::RowStretch& stretch : keys_.stretches->stretches) {
    auto row = std::ranges::lower_bound(drawn, stretch.row(0), {}, &KeySample::Row::bytes);
    const std::string_view last = stretch.row(stretch.size() - 1);
    for (size_t at = 0; row != drawn.end() && row->bytes < last; ++row) {
      if (row->bytes.size() < KeySample::kMaxBytes) {  // otherwise it may be cut
        at = stretch.LowerBound(at, row->bytes);
        ++passed;
        left += stretch.row(at) == row->bytes ? 1 : 0;
      }
    }
  }
  return passed < kEnoughHits ? 1 : (left + 1) / (passed + 1);
}

const Entries& Estimator::PrefixesOf(size_t part) {
  if (!prefixes_[part].has_value()) {
    const auto& drawn = sample_.prefixes[part];
    Entries& entries = prefixes_[part].emplace(drawn.left_out() ? sample_.rows.Weight() : drawn.Weight());
    for (const KeySample::Prefix& prefix : drawn.items) {
      entries.Add(prefix.bytes, prefix.rows);
    }
    for (size_t i = 0; drawn.left_out() && i < rows_.size(); ++i) {
      entries.Add(rows_.bytes(i), 1);
    }
    entries.Cut(slots_, end_slot_[part]);
  }
  return *prefixes_[part];
}

std::optional<size_t> Estimator::PartOf(size_t slot) const {
  for (size_t part = 0; part < first_slot_.size(); ++part) {
    if (slot < end_slot_[part]) {
      return part;
    }
  }
  return std::nullopt;
}

// From the most common values, and the remaining share of the others. The counts are estimates: if no value is left out, what remains is
// their error. A value that is left out has no more rows than those that are listed, unless it is a long one.
double Estimator::MarginalFromValues(size_t part, size_t slot, const SlotCondition& condition, bool of_rows) {
  const KeySample::Values& values = sample_.values[part];
  const auto weight = [of_rows](const KeySample::Value& value) { return of_rows ? value.rows : value.prefixes; };
  double listed = 0;
  double fitting = 0;
  double fitting_values = 0;
  double fewest = std::numeric_limits<double>::max();
  for (const KeySample::Value& value : values.common) {
    fewest = std::min(fewest, weight(value));
    size_t at = 0;
    std::string_view bytes;
    for (size_t i = first_slot_[part]; i <= slot; ++i) {
      bytes = Entries::Take(slots_[i], value.bytes, &at);
    }
    listed += weight(value);
    if (condition.FitsValue(bytes)) {
      fitting += weight(value);
      ++fitting_values;
    }
  }
  const bool complete = values.left_out < 1 && listed > 0;
  const double all = complete ? listed : std::max({1.0, listed, of_rows ? values.rows : values.prefixes});
  const double rest = all - listed;
  if (IsPoints(condition)) {
    const double missing = std::max(0.0, static_cast<double>(condition.intervals.size()) - fitting_values);
    const auto is_long = [](const auto& point) { return point.low.size() > KeySample::kMaxValueBytes; };
    fewest = std::ranges::any_of(condition.intervals, is_long) ? rest : fewest;
    const double others = std::min(missing * fewest, rest * std::min(1.0, missing / std::max(1.0, values.left_out)));
    guessed_ = guessed_ || others > fitting;
    fitting += others;
  } else if (!values.common.empty()) {
    fitting += rest * fitting_values / static_cast<double>(values.common.size());
  }
  return fitting / all;
}

// The share of rows, or of distinct prefixes up to this slot, that match the condition, whatever the other slots contain.
double Estimator::MarginalOf(size_t slot, const SlotCondition& condition, bool of_rows) {
  const std::optional<size_t> part = PartOf(slot);
  const Entries& entries = of_rows || !part ? rows_ : PrefixesOf(*part);
  const double hits = CountOf(marks_.Of(entries, slot, condition));
  const double seen = hits / std::max(1.0, static_cast<double>(entries.size()));
  if (entries.whole() || hits >= 2 * kEnoughHits) {
    return seen;
  }
  if (!part) {
    return std::max(seen, 0.3 / static_cast<double>(entries.size()));
  }
  if (of_rows && *part == 0 && PrefixesOf(0).whole()) {
    double fitting = 0;
    double all = 0;
    const Entries& first = PrefixesOf(0);
    for (size_t i = 0; i < first.size(); ++i) {
      all += first.rows()[i];
      fitting += condition.FitsValue(first.values(slot)[i]) ? first.rows()[i] : 0;
    }
    return fitting / std::max(1.0, all);
  }
  const double known = MarginalFromValues(*part, slot, condition, of_rows);
  if (IsPoints(condition)) {
    return known;
  }
  // A list of the most common values is useless if nearly all values are distinct.
  const KeySample::Values& values = sample_.values[*part];
  double listed = 0;
  for (const KeySample::Value& value : values.common) {
    listed += value.rows;
  }
  return listed > 0.5 * values.rows ? known : seen;
}

// A hash or a salt follows from its sources: if these have conditions, its own condition excludes no further row.
bool Estimator::Implied(size_t slot, const std::vector<SlotCondition>& line, size_t slots) const {
  const KeyField* field = slots_[slot].field;
  if (field == nullptr || !field->derived() || field->source_fields.empty()) {
    return false;
  }
  return std::all_of(field->source_fields.begin(), field->source_fields.end(), [&](int source) {
    const auto at = static_cast<size_t>(source);
    return at < slots && IsPoints(line[at]);
  });
}

// The conditions of the line on slots below `slots`.
std::vector<Asked> Estimator::AskedOf(const std::vector<SlotCondition>& line, size_t slots, bool of_rows) {
  std::vector<Asked> asked;
  for (size_t i = 0; i < slots; ++i) {
    if (line[i].restricted && !IsLiteralSlot(slots_[i]) && !Implied(i, line, slots)) {
      // Values with more rows have more long prefixes, so the share of rows is the better guess there.
      const bool own = of_rows || PartOf(i) == PartOf(slots - 1);
      asked.push_back({i, &line[i], MarginalOf(i, line[i], of_rows || !own), own ? kPriorHits : kPriorHits / 6});
    }
  }
  return asked;
}

// Leading fields with few distinct values are completely known, with the rows of each.
double Estimator::RowsOf(const std::vector<SlotCondition>& line) {
  Marks fitting(rows_.size(), 1);
  std::vector<Asked> asked = AskedOf(line, slots_.size(), true);
  double share = 1;
  for (size_t part = first_slot_.size(); part-- > 0;) {
    const Entries& prefixes = PrefixesOf(part);
    if (!prefixes.whole()) {
      continue;
    }
    const auto in_part = [&](const Asked& one) { return one.slot < end_slot_[part]; };
    const std::vector<Asked> known(asked.begin(), std::find_if_not(asked.begin(), asked.end(), in_part));
    Marks marks;
    ShareOfAll(prefixes, known, &marks_, &marks);
    share = SumOf(prefixes.rows(), marks) / std::max(1.0, SumOf(prefixes.rows(), Marks(marks.size(), 1)));
    ShareOfAll(rows_, known, &marks_, &fitting);
    std::erase_if(asked, in_part);
    break;
  }
  return stored_rows_ * share * ShareAmong(rows_, std::move(asked), &marks_, &fitting, &assumed_hits_);
}

std::vector<SlotCondition> Estimator::WithBounds(const std::vector<SlotCondition>& line) const {
  std::vector<SlotCondition> both = line;
  for (size_t i = 0; i < both.size(); ++i) {
    if (!both[i].restricted) {
      both[i] = (*question_.bounds)[i];
    }
  }
  return both;
}

// A row set may have conditions that no slot shows: on the fields of the rows that entries of an index lead to. Of the sampled rows that
// the lines select, `wanted` meet those as well.
double Estimator::ShareOfLost(double wanted) const {
  constexpr size_t kMostLines = 64;
  constexpr double kNone = 0.3;
  if (question_.rows == nullptr || question_.lines->size() > kMostLines) {
    return 1;
  }
  double selected = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto fits = [&](const std::vector<SlotCondition>& line) {
      for (size_t slot = 0; slot < slots_.size(); ++slot) {
        if (!IsLiteralSlot(slots_[slot]) && !line[slot].FitsValue(rows_.values(slot)[i])) {
          return false;
        }
      }
      return true;
    };
    selected += std::any_of(question_.lines->begin(), question_.lines->end(), fits) ? 1 : 0;
  }
  return selected > wanted ? (wanted + kNone) / (selected + kNone) : 1;
}

// Rows of one kind are often deleted or expire together: what is known about all rows counts little.
double Estimator::LiveAmong(double live, double tested) const {
  constexpr double kLivePriorHits = 1;
  return live_share_ > 0 ? BlendedShare(live, tested, live_share_, kLivePriorHits) : 0;
}

void Estimator::CountRows() {
  const RowRange& range = question_.range;
  double stored = 0;
  double wanted = 0;
  double live = 0;
  double all_live = 0;
  std::vector<double> wanted_at;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const std::string_view row = rows_.bytes(i);
    all_live += live_[i];
    const bool inside =
        row >= range.start && (range.stop.empty() || row < range.stop || (range.include_stop && row == range.stop));
    if (inside) {
      ++stored;
      if (question_.rows == nullptr || question_.rows->Contains(row)) {
        ++wanted;
        live += live_[i];
        if (live_[i] != 0) {
          wanted_at.push_back(stored);
        }
      }
    }
  }
  sampled_ = stored * left_;
  wanted_sampled_ = wanted * left_;
  live_sampled_ = live * left_;
  live_share_ = rows_.size() == 0 ? 1 : all_live / static_cast<double>(rows_.size());
  const double each = rows_.size() == 0 ? 0 : stored_rows_ / static_cast<double>(rows_.size());
  answer_.in_range = stored * each;
  if (stored < kEnoughHits && !rows_.whole()) {
    // Not all bounds show as conditions on slots.
    const double most = (stored + 2 * std::sqrt(stored) + kPriorHits) * each;
    answer_.in_range = std::min(most, RowsOf(*question_.bounds));
  }
  double wanted_rows = wanted * each;
  double of_these = wanted > 0 ? live / wanted : 0;
  if (!rows_.whole()) {
    of_these = LiveAmong(live, wanted);
  }
  if (wanted < kEnoughHits && !rows_.whole()) {
    wanted_rows = question_.rows == nullptr ? answer_.in_range : 0;
    for (const std::vector<SlotCondition>& line : JoinedLines(*question_.lines)) {
      wanted_rows += RowsOf(WithBounds(line));
    }
    wanted_rows *= ShareOfLost(wanted);
  }
  answer_.rows = std::min(wanted_rows * of_these, answer_.in_range);
  answer_.stored_wanted = answer_.rows_read = std::min(wanted_rows, answer_.in_range);
  NotePlaces(stored, wanted_at);
}

// `drawn`: rows of the range. `wanted_at`: the numbers of those of them that are found; from 1 on.
void Estimator::NotePlaces(double drawn, const std::vector<double>& wanted_at) {
  const double each = answer_.in_range / std::max(1.0, drawn);
  const bool reversed = question_.reversed;
  for (const double at : wanted_at) {
    answer_.places.before.push_back(each * (reversed ? drawn - at : at - 1));
  }
  if (reversed) {
    std::ranges::reverse(answer_.places.before);
  }
  const BriefRun& run = question_.run;
  if (run.rows_read <= 0) {
    return;
  }
  double passed = 0;
  if (!run.stopped_at.empty()) {
    const RowRange& range = question_.range;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const std::string_view row = rows_.bytes(i);
      passed += (reversed ? row > run.stopped_at && (range.stop.empty() || row <= range.stop)
                          : row < run.stopped_at && row >= range.start)
                    ? 1
                    : 0;
    }
  }
  answer_.part = {.rows = std::max(run.rows_read, passed * each), .wanted = run.rows};
}

std::vector<Estimator::Group> Estimator::GroupsOf(const std::vector<SlotCondition>& line) const {
  std::vector<Group> groups;
  bool goes_on = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (IsLiteralSlot(slots_[i])) {
      continue;
    }
    if (!line[i].restricted) {
      goes_on = false;
      continue;
    }
    if (goes_on) {
      groups.back().last = i;
    } else {
      groups.push_back({i, i});
    }
    goes_on = IsPoints(line[i]);
  }
  return groups;
}

// The position, as shares, of the group's rows among those that match the line before the group.
Estimator::Position Estimator::PositionOf(const std::vector<SlotCondition>& line, const Group& group) {
  Marks before(rows_.size(), 1);
  Marks fitting;
  ShareOfAll(rows_, AskedOf(line, group.first, true), &marks_, &before);
  if (CountOf(before) < 2 * kEnoughHits) {
    before.assign(rows_.size(), 1);
  }
  ShareOfAll(rows_, AskedOf(line, group.last + 1, true), &marks_, &fitting);
  const Intervals& wanted = line[group.first].intervals;
  Position position;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (before[i] == 0 || fitting[i] != 0) {
      continue;
    }
    const std::string_view value = rows_.values(group.first)[i];
    const bool low = !wanted.empty() && value < wanted.front().low;
    const bool high = !wanted.empty() && value > wanted.back().high;
    position.below += low ? 1 : !high && wanted.size() <= 1 ? 0.5 : 0;
    position.above += high ? 1 : !low && wanted.size() <= 1 ? 0.5 : 0;
    position.between += low || high || wanted.size() <= 1 ? 0 : 1;
  }
  const double all = std::max(1.0, CountOf(before));
  return {position.below / all, position.between / all, position.above / all};
}

// The number of prefixes, of parts 0..part, that match the line's conditions on the first slots. REQUIRES: these parts are known.
double Estimator::LeadsThatFit(const std::vector<SlotCondition>& line, size_t slots, size_t part) {
  if (!leads_.has_value()) {
    leads_.emplace(1);
    for (const std::string& lead : keys_.leads->values) {
      leads_->Add(lead, 1);
    }
    leads_->Cut(slots_, end_slot_[keys_.known_parts() - 1]);
  }
  double count = 0;
  std::optional<size_t> last;
  for (size_t i = 0; i < leads_->size(); ++i) {
    bool fits = true;
    bool is_new = !last.has_value();
    for (size_t slot = 0; slot < end_slot_[part] && fits; ++slot) {
      fits = slot >= slots || IsLiteralSlot(slots_[slot]) || line[slot].FitsValue(leads_->values(slot)[i]);
      is_new = is_new || leads_->values(slot)[i] != leads_->values(slot)[*last];
    }
    count += fits && is_new ? 1 : 0;
    last = fits ? i : last;
  }
  return count;
}

// The prefixes that the scan visits for the group: parts 0..part, or rows without one. Prefixes with many rows are found
// among the sampled rows; the others are drawn.
std::vector<Estimator::Visit> Estimator::VisitsOf(const std::vector<SlotCondition>& line, size_t slots,
                                                  std::optional<size_t> part) {
  const Entries& entries = part ? PrefixesOf(*part) : rows_;
  Marks fitting;
  double visits = entries.Count() * ShareOfAll(entries, AskedOf(line, slots, !part), &marks_, &fitting);
  if (part && *part < keys_.known_parts()) {
    visits = LeadsThatFit(line, slots, *part);
  }
  if (CountOf(fitting) < kHitsOfMany && !entries.whole()) {
    Marks rows(rows_.size(), 1);
    const double all = stored_rows_ * ShareAmong(rows_, AskedOf(line, slots, true), &marks_, &rows);
    return {{std::max(1.0, all / std::max(1.0, visits)), visits, {}, {}}};
  }
  const double many = entries.whole() || !part ? 1e18 : kHitsOfMany * rows_.weight();
  const double each = visits / std::max(1.0, CountOf(fitting));
  std::vector<Visit> out;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (fitting[i] != 0 && entries.rows()[i] < many) {
      out.push_back({entries.rows()[i], each, entries.bytes(i), ParentOf(entries, i, part)});
    }
  }
  if (many < 1e18) {
    ShareOfAll(rows_, AskedOf(line, slots, true), &marks_, &fitting);
    for (size_t i = 0; i < rows_.size();) {
      size_t end = i + 1;
      while (end < rows_.size() && SamePrefix(i, end, end_slot_[*part])) {
        ++end;
      }
      const double rows = static_cast<double>(end - i) * rows_.weight();
      if (rows >= many && fitting[i] != 0) {
        out.push_back({rows, 1, rows_.bytes(i), ParentOf(rows_, i, part)});
      }
      i = end;
    }
    std::sort(out.begin(), out.end(), [](const Visit& a, const Visit& b) { return a.prefix < b.prefix; });
  }
  SetPools(&out);
  return out;
}

std::string_view Estimator::ParentOf(const Entries& entries, size_t entry, std::optional<size_t> part) const {
  const std::string_view bytes = entries.bytes(entry);
  if (!part) {
    return bytes;
  }
  return bytes.substr(0, static_cast<size_t>(entries.values(first_slot_[*part])[entry].data() - bytes.data()));
}

// Prefixes with the same parent are often similar, and are visited one after the other. For others, any of several
// neighbours may come next.
void Estimator::SetPools(std::vector<Visit>* visits) {
  size_t pool = 0;
  size_t in_pool = 0;
  bool alone = true;
  for (size_t i = 0; i < visits->size(); ++i) {
    Visit& visit = (*visits)[i];
    const bool as_before = i > 0 && visit.parent == (*visits)[i - 1].parent && !visit.parent.empty();
    const bool as_next = i + 1 < visits->size() && visit.parent == (*visits)[i + 1].parent && !visit.parent.empty();
    const bool is_alone = !as_before && !as_next;
    if ((is_alone ? !alone || in_pool >= kNeighbours : !as_before)) {
      ++pool;
      in_pool = 0;
    }
    alone = is_alone;
    ++in_pool;
    visit.pool = pool;
  }
}

bool Estimator::SamePrefix(size_t a, size_t b, size_t slots) const {
  for (size_t slot = 0; slot < slots; ++slot) {
    if (rows_.values(slot)[a] != rows_.values(slot)[b]) {
      return false;
    }
  }
  return true;
}

std::vector<Gap> Estimator::GapsOf(const std::vector<SlotCondition>& line, const Group& group) {
  const std::optional<size_t> part = PartOf(group.first - 1);
  const std::optional<size_t> own_part = PartOf(group.first);
  const Position position = PositionOf(line, group);
  const double intervals = std::max<double>(1, static_cast<double>(line[group.first].intervals.size()));
  std::vector<Visit> visits = VisitsOf(line, group.first, part);
  const bool next_known = part.has_value() && keys_.known_parts() > *part;
  if (own_part.has_value() && keys_.known_parts() > *own_part) {
    // Only prefixes that contain the group's first value are visited.
    double all = 0;
    double visited = 0;
    for (const Visit& visit : visits) {
      all += visit.times;
    }
    for (const Visit& visit : VisitsOf(line, group.first + 1, own_part)) {
      visited += visit.times;
    }
    const double share = std::clamp(visited / std::max(1.0, all), 1e-9, 1.0);
    for (Visit& visit : visits) {
      visit.times *= share;
      visit.rows /= share;
    }
  }
  std::vector<Gap> gaps;
  FixedRandom random;
  for (size_t i = 0; i < visits.size(); ++i) {
    const Visit& visit = visits[i];
    const auto add = [&](double rows, double times, bool onward) {
      if (rows > 0) {
        gaps.push_back({.steps = rows * question_.cells_per_row, .times = times, .onward = onward, .pool = visit.pool});
      }
    };
    const Visit& next = visits[(i + 1) % visits.size()];
    const double draws = std::clamp(std::floor(visit.times), 1.0, kMostDraws);
    for (double draw = 0; draw < draws; ++draw) {
      const double times = visit.times / draws;
      const double below = random.Some(next_known ? next.rows : visit.rows, position.below);
      const double above = random.Some(visit.rows, position.above);
      if (next_known) {
        add(below + above, times, true);
      } else {
        add(below, times, false);
        add(above, times, true);
      }
      const double inner = std::min(intervals - 1, visit.rows * position.between);
      if (inner > 0) {
        add(std::max(1.0, visit.rows * position.between / inner), times * inner, false);
      }
    }
  }
  return gaps;
}

// The first group is not visited repeatedly: the scan jumps to its values one by one.
std::vector<Gap> Estimator::FirstGaps(const std::vector<SlotCondition>& line, const Group& group) const {
  double runs = 1;
  for (size_t i = group.first; i <= group.last; ++i) {
    runs *= std::max<double>(1, static_cast<double>(line[i].intervals.size()));
  }
  runs = std::min(runs, answer_.in_range);
  std::vector<Gap> gaps;
  if (runs > 1) {
    const double rows = (answer_.in_range - answer_.stored_wanted) / runs;
    gaps.push_back({.steps = std::max(1.0, rows * question_.cells_per_row), .times = runs - 1, .onward = true});
  }
  return gaps;
}

void Estimator::CountJumps(const std::vector<SlotCondition>& line, double most_tries) {
  for (const Group& group : GroupsOf(line)) {
    const std::vector<Gap> gaps = group.first == 0 ? FirstGaps(line, group) : GapsOf(line, group);
    double steps = 0;
    double times = 0;
    for (const Gap& gap : gaps) {
      steps += gap.steps * gap.times;
      times += gap.times;
    }
    const double wanted = answer_.stored_wanted * question_.cells_per_row / std::max(1.0, times);
    const Moves moves =
        JumpTrial(question_.costs, question_.runs_factor, wanted, question_.expected_gap).Run(gaps, most_tries);
    answer_.seeks += moves.seeks;
    walked_ += moves.steps / question_.cells_per_row;
    jumped_ += steps / question_.cells_per_row;
    jumps_ += times;
    for (size_t i = group.first; i <= group.last; ++i) {
      answer_.jumps[i] = answer_.jumps[i] || moves.seeks >= 1;
    }
  }
}

// Of a scan whose seeks are known.
void Estimator::NoteJumps(const std::vector<SlotCondition>& line) {
  for (const Group& group : GroupsOf(line)) {
    for (size_t i = group.first; i <= group.last; ++i) {
      answer_.jumps[i] = question_.run.seeks > 1;
    }
  }
}

// The scan then ends before it reads.
bool Estimator::NoLeadFits() const {
  return question_.rows != nullptr && keys_.leads != nullptr && !question_.run.ended &&
         !question_.rows->NewCursor(question_.reversed, {.leads = keys_.leads})->First();
}

std::optional<TriedScan> Estimator::TryOnStretches() const {
  if (keys_.stretches == nullptr || question_.rows == nullptr) {
    return std::nullopt;
  }
  return TryScan(keys_, {.rows = question_.rows,
                         .range = question_.range,
                         .rows_in_range = answer_.in_range,
                         .costs = question_.costs,
                         .runs_factor = question_.runs_factor,
                         .expected_gap = question_.expected_gap,
                         .reversed = question_.reversed});
}

// What a trial shows replaces what follows from the groups, or bounds it.
void Estimator::TakeFromTrial(const TriedScan& tried) {
  if (tried.is_typical) {
    answer_.seeks = 1 + tried.seeks;
    walked_ = tried.steps / question_.cells_per_row;
    jumped_ = tried.skipped / question_.cells_per_row;
    jumps_ = tried.jumps;
  } else {
    BoundJumps(tried);
  }
  answer_.seeks = std::max(answer_.seeks, 1 + tried.long_jumps);
  if (wanted_sampled_ < kMostHits && !rows_.whole()) {
    CountOnStretches(tried);
  }
  if (!rows_.whole()) {
    CountLive(tried);
  }
}

// What was read is the least that there is, or all of it.
void Estimator::TakeFromRun() {
  const BriefRun& run = question_.run;
  const auto take = [&run](double read, double* estimate) { *estimate = run.ended ? read : std::max(read, *estimate); };
  take(run.rows, &answer_.rows);
  take(run.rows_read, &answer_.rows_read);
  take(run.seeks, &answer_.seeks);
  answer_.in_range = std::max(answer_.in_range, answer_.rows_read);
  answer_.stored_wanted = std::clamp(answer_.stored_wanted, answer_.rows, answer_.rows_read);
  answer_.places.in_range = answer_.in_range;
  answer_.places.wanted = answer_.rows;
}

// The conditions that decide which rows of the range are wanted.
std::vector<ClusterSlot> Estimator::AskedSlots() const {
  constexpr double kMostBuckets = 256;
  std::vector<ClusterSlot> asked(slots_.size());
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    const auto is_asked = [slot](const std::vector<SlotCondition>& line) { return line[slot].restricted; };
    const auto has_points = [slot](const std::vector<SlotCondition>& line) { return IsPoints(line[slot]); };
    if (IsLiteralSlot(slots_[slot]) || (*question_.bounds)[slot].restricted ||
        std::ranges::none_of(*question_.lines, is_asked)) {
      continue;
    }
    asked[slot].asked = true;
    if (std::ranges::any_of(*question_.lines, has_points)) {
      continue;
    }
    double fitting = 0;
    for (const std::string_view value : rows_.values(slot)) {
      const auto fits = [&](const std::vector<SlotCondition>& line) { return line[slot].FitsValue(value); };
      fitting += std::ranges::any_of(*question_.lines, fits) ? 1 : 0;
    }
    const double all = static_cast<double>(rows_.size());
    asked[slot].SetBuckets(rows_.values(slot), std::min(kMostBuckets, all / std::max(1.0, fitting)));
  }
  return asked;
}

bool Estimator::IsOneCondition() const {
  int count = 0;
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    const auto is_asked = [slot](const std::vector<SlotCondition>& line) { return line[slot].restricted; };
    count += !IsLiteralSlot(slots_[slot]) && std::ranges::any_of(*question_.lines, is_asked) ? 1 : 0;
  }
  return count == 1;
}

// How many rows of stretches tell as much as one that was drawn.
double Estimator::AlikeOnStretches(const TriedScan& tried, const std::vector<ClusterSlot>& asked) const {
  const double tested = SumOf(tried.rows);
  const double hits = SumOf(tried.wanted);
  double alike = std::max(ClusteringOf(*keys_.stretches, slots_, asked), ClusteringOf(tried.wanted, tried.rows));
  const double each = tested / std::max(1.0, sampled_);
  if (const double expected = each * wanted_sampled_; expected > 0) {
    // Both show the same rows, so they differ by twice what chance explains at most: the rest is that rows are alike.
    alike = std::max(alike, (std::pow((hits - expected) / 2, 2) - each * expected) / expected);
  }
  return alike;
}

// The stretches contain more rows than were drawn. What follows from the drawn ones counts as if so many rows had shown it.
void Estimator::CountOnStretches(const TriedScan& tried) {
  constexpr double kHitsOfOne = 16;  // a condition alone depends on no other one
  constexpr double kHitsOfGuess = 2;
  constexpr double kExpected = 3;  // rows, none of which is there
  const std::vector<ClusterSlot> asked = AskedSlots();
  const auto last = std::find_if(asked.rbegin(), asked.rend(), std::mem_fn(&ClusterSlot::asked));
  const double before = answer_.stored_wanted;
  if (last == asked.rend() || before <= 0) {
    return;
  }
  if (const auto part = PartOf(static_cast<size_t>(asked.rend() - last) - 1); part && PrefixesOf(*part).whole()) {
    return;  // exact
  }
  const double alike = AlikeOnStretches(tried, asked);
  const double assumed = guessed_           ? std::min(kHitsOfGuess, assumed_hits_)
                         : IsOneCondition() ? kHitsOfOne
                                            : assumed_hits_;
  double wanted =
      answer_.in_range * BlendedShare(SumOf(tried.wanted) / alike, SumOf(tried.rows) / alike, before / answer_.in_range,
                                      wanted_sampled_ + assumed, wanted_sampled_);
  const double seen = SumOf(tried.rows) / alike + sampled_;
  if (SumOf(tried.wanted) + wanted_sampled_ == 0 && before / answer_.in_range * seen > kExpected) {
    // All that is left to know is that there are fewer than one in `seen`: any order of magnitude is as likely.
    wanted = std::min(wanted, std::sqrt(answer_.in_range / seen));
  }
  answer_.stored_wanted = answer_.rows_read = wanted;
}

// As CountRows does by the drawn rows, with those of the stretches.
void Estimator::CountLive(const TriedScan& tried) {
  const double alike = ClusteringOf(tried.live, tried.wanted);
  const double live = live_sampled_ + SumOf(tried.live) / alike;
  answer_.rows = answer_.stored_wanted * LiveAmong(live, wanted_sampled_ + SumOf(tried.wanted) / alike);
}

// The trial looked at too few jumps to replace those of the groups, but it may show that there are fewer. If it made some, the others are
// like these.
void Estimator::BoundJumps(const TriedScan& tried) {
  constexpr double kSome = 6;
  const double looks = answer_.stored_wanted + jumps_;
  if (jumps_ <= 0 || tried.looks <= 0) {
    return;
  }
  const double jumps = looks * BlendedShare(tried.jumps, tried.looks, jumps_ / looks, kPriorHits);
  if (jumps >= jumps_) {
    return;
  }
  const double part = jumps / jumps_;
  jumps_ = jumps;
  jumped_ *= part;
  walked_ *= part;
  answer_.seeks = 1 + (answer_.seeks - 1) * part;
  if (tried.jumps >= kSome) {
    walked_ = jumps_ * tried.steps / tried.jumps / question_.cells_per_row;
    answer_.seeks = 1 + jumps_ * tried.seeks / tried.jumps;
  }
}

SampleAnswer Estimator::Make() {
  LoadRows();
  CountRows();
  if (NoLeadFits()) {
    return {.in_range = answer_.in_range, .seeks = 0, .jumps = std::move(answer_.jumps)};
  }
  const std::optional<TriedScan> tried = question_.run.ended ? std::nullopt : TryOnStretches();
  const bool is_known = tried.has_value() && tried->is_typical;
  for (const std::vector<SlotCondition>& line : *question_.lines) {
    if (question_.run.ended) {
      NoteJumps(WithBounds(line));
    } else {
      CountJumps(WithBounds(line), is_known ? kFewTries : kMostTries);
    }
  }
  answer_.seeks += static_cast<double>(std::max<size_t>(1, question_.lines->size()) - 1);
  if (tried.has_value()) {
    TakeFromTrial(*tried);
  }
  answer_.rows_read = std::min(answer_.in_range, answer_.rows_read + walked_ + answer_.seeks - 1);
  answer_.gap = jumps_ > 0 ? jumped_ / jumps_ : 0;
  TakeFromRun();
  return std::move(answer_);
}

}  // namespace

double BlendedShare(double hits, double tested, double prior, double prior_hits, double least_hits) {
  prior = std::clamp(prior, 1e-12, 1.0);
  const double expected = tested * prior;
  const bool refuted = std::abs(hits - expected) > 2 * std::sqrt(expected) + kByChance;
  return Blend(hits, tested, prior, refuted ? std::max(least_hits, IfRefuted(prior_hits, expected)) : prior_hits);
}

double StoredRows(const KeySample& sample, double counted) {
  const double drawn = sample.rows.Count();
  if (sample.rows.all()) {
    return drawn;
  }
  // The sample has an estimate of what each file has counted.
  return counted < 1.1 * drawn ? counted : drawn;
}

std::optional<SampleAnswer> EstimateFromSample(const SampledKeys& keys, const SampleQuestion& question) {
  if (keys.sample == nullptr || keys.sample->empty() || question.slots->empty()) {
    return std::nullopt;
  }
  Estimator estimator(keys, question);
  if (!estimator.FindParts()) {
    return std::nullopt;
  }
  return estimator.Make();
}

}  // namespace klip::rowkey
