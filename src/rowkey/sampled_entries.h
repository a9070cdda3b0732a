// Sampled rows or key prefixes, divided into slots, and which of them match conditions.
#pragma once

#include <algorithm>
#include <deque>
#include <numeric>
#include <string_view>
#include <vector>

#include "rowkey/key_estimate.h"

namespace klip::rowkey {

// Rows or prefixes, divided into slots.
class Entries {
 public:
  explicit Entries(double weight) : weight_(weight) {}

  void Add(std::string_view bytes, double rows) {
    bytes_.push_back(bytes);
    rows_.push_back(rows);
  }

  size_t size() const { return bytes_.size(); }
  double weight() const { return weight_; }
  bool whole() const { return weight_ <= 1; }
  double Count() const { return static_cast<double>(size()) * weight_; }
  const std::vector<double>& rows() const { return rows_; }
  std::string_view bytes(size_t entry) const { return bytes_[entry]; }

  // The values of each slot, as far as the entries reach.
  void Cut(const std::vector<KeySlot>& slots, size_t count) {
    std::vector<size_t> at(size(), 0);
    values_.resize(count);
    for (size_t slot = 0; slot < count; ++slot) {
      values_[slot].reserve(size());
      for (size_t i = 0; i < size(); ++i) {
        values_[slot].push_back(Take(slots[slot], bytes_[i], &at[i]));
      }
    }
  }
  static std::string_view Take(const KeySlot& slot, std::string_view bytes, size_t* at) {
    const std::string_view rest = bytes.substr(std::min(*at, bytes.size()));
    if (slot.width_bytes > 0) {
      *at += static_cast<size_t>(slot.width_bytes);
      return rest.substr(0, static_cast<size_t>(slot.width_bytes));
    }
    const size_t end = slot.delimiter ? rest.find(*slot.delimiter) : std::string_view::npos;
    *at += end == std::string_view::npos ? rest.size() : end + 1;
    return rest.substr(0, end);
  }
  const std::vector<std::string_view>& values(size_t slot) const { return values_[slot]; }
  size_t slots() const { return values_.size(); }

 private:
  double weight_;
  std::vector<std::string_view> bytes_;
  std::vector<double> rows_;  // that each stands for in a file; 1 for a row
  std::vector<std::vector<std::string_view>> values_;
};

using Marks = std::vector<char>;  // of each entry

inline double SumOf(const std::vector<double>& of, const Marks& marks) {
  double sum = 0;
  for (size_t i = 0; i < marks.size(); ++i) {
    sum += marks[i] != 0 ? of[i] : 0;
  }
  return sum;
}

inline double SumOf(const std::vector<double>& of) { return std::accumulate(of.begin(), of.end(), 0.0); }

inline double CountOf(const Marks& marks) { return static_cast<double>(std::count(marks.begin(), marks.end(), 1)); }

// Which entries match a condition; each is tested once.
class KnownMarks {
 public:
  const Marks& Of(const Entries& entries, size_t slot, const SlotCondition& condition) {
    const auto same = [&](const Known& known) {
      return known.entries == &entries && known.slot == slot && known.condition == condition;
    };
    if (const auto found = std::ranges::find_if(known_, same); found != known_.end()) {
      return found->marks;
    }
    Known& fresh = known_.emplace_back(Known{.entries = &entries, .slot = slot, .condition = condition});
    fresh.marks.reserve(entries.size());
    for (const std::string_view value : entries.values(slot)) {
      fresh.marks.push_back(condition.FitsValue(value) ? 1 : 0);
    }
    return fresh.marks;
  }

 private:
  struct Known {
    const Entries* entries;
    size_t slot;
    SlotCondition condition;
    Marks marks = {};
  };
  std::deque<Known> known_;
};

}  // namespace klip::rowkey
