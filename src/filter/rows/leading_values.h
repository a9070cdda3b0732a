// LeadingValues: the byte strings that a table's rows begin with, while those are few. A jump from one user to the next then
// goes to a user that exists, and within it straight to the rows wanted: one seek where two are needed otherwise.
//
// Every row begins with a known value: values are added before a row that begins with them can be seen, and never taken away.
// So some may be those of rows long deleted; such a value costs a jump, not a row.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "klip/status.h"

namespace klip::filter {

// A part of a row key: so many bytes, or (0) up to and including the delimiter; without one, the rest of the row.
struct KeyPart {
  int width_bytes = 0;
  std::optional<char> delimiter;
  bool operator==(const KeyPart&) const = default;
};

// What a row begins with: its first parts, or the whole row where it ends within them.
//
// With rows a <= b, LeadOf(a) <= LeadOf(b): of two rows that differ, the first byte in which they do is the last that both
// can have in common with a lead.
std::string_view LeadOf(const std::vector<KeyPart>& parts, std::string_view row);

// As of one moment. Immutable.
struct KnownLeads {
  std::vector<KeyPart> parts;
  std::vector<std::string> values;  // sorted
};

// Thread-safe.
class LeadingValues {
 public:
  // TUNING: what one more seek for each value costs (some ms for 4,096) against the memory of every family of a store.
  static constexpr size_t kMaxValues = 4096;
  static constexpr size_t kMaxBytes = 64 << 10;

  // As many of `parts` are used as keep the values few. Empty: nothing is known, ever.
  explicit LeadingValues(std::vector<KeyPart> parts);

  uint64_t id() const { return id_; }  // no other object of this process has or had it

  // False: too many, and it stays so.
  bool complete() const { return complete_.load(std::memory_order_acquire); }

  // Returns how many bytes of `row` tell that a row beginning with them is covered; 0: no such rule.
  size_t Add(std::string_view row);

  // Adds what a file holds, see Serialize. Errors: kCorruption naming the offset.
  Status AddSerialized(std::string_view bytes);
  // What is known, with its parts; "" when not complete.
  std::string Serialize() const;

  void GiveUp();

  // nullptr: not complete.
  std::shared_ptr<const KnownLeads> Known() const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>()(bytes); }
  };

  void Insert(std::string_view lead);
  void Shorten();
  void ShortenTo(size_t parts);
  void GiveUpLocked();

  const uint64_t id_;
  std::atomic<bool> complete_;
  mutable std::shared_mutex mutex_;
  std::vector<KeyPart> parts_;  // those in use; this and all below are guarded by mutex_
  std::unordered_set<std::string, Hash, std::equal_to<>> values_;
  size_t bytes_ = 0;
  mutable std::shared_ptr<const KnownLeads> known_;  // null: to be made anew
};

// Adds row after row, which mostly begin as the one before did. Not thread-safe.
class LeadingValuesWriter {
 public:
  void Add(LeadingValues* values, std::string_view row) {
    if (!values->complete() || (values->id() == last_id_ && row.starts_with(lead_))) {
      return;
    }
    lead_.assign(row.substr(0, values->Add(row)));
    last_id_ = lead_.empty() ? 0 : values->id();
  }

 private:
  uint64_t last_id_ = 0;
  std::string lead_;
};

}  // namespace klip::filter
