// LeadingValues: the byte strings with which a table's rows begin, as long as there are few. A jump from one user to the
// next then goes to an existing user, and within it directly to the wanted rows: one seek instead of two.
//
// Every row begins with a known value ("lead"): values are added before a row that begins with them becomes visible, and
// never removed. So some may belong to deleted rows; such a value costs a jump, but hides no row.
//
// Example: rows "alice2014", "bob2013" and "bob2014", the parts user and date. With the users known, the query
// "date=2014" jumps to "alice2014", then to "bob2014". Without, it would seek for the first user above "alice", find
// "bob2013", and seek again.
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

// A part of a row key: `width` bytes, or (0) up to and including the delimiter; without one, the rest of the row.
struct KeyPart {
  int width_bytes = 0;
  std::optional<char> delimiter;
  bool operator==(const KeyPart&) const = default;
};

// The lead of a row: its first parts, or the whole row if it ends within them.
//
// With rows a <= b, LeadOf(a) <= LeadOf(b): the leads can share at most the bytes up to the first one that differs.
std::string_view LeadOf(const std::vector<KeyPart>& parts, std::string_view row);

// Known leads at one moment. Immutable.
struct KnownLeads {
  std::vector<KeyPart> parts;
  std::vector<std::string> values;  // sorted
};

// Thread-safe.
class LeadingValues {
 public:
  // TUNING: the cost of another seek for each value (some ms for 4,096), weighed against memory for every family of a
  // store.
  static constexpr size_t kMaxValues = 4096;
  static constexpr size_t kMaxBytes = 64 << 10;

  // Uses as many of `parts` as keep the values few. Empty: nothing is ever known.
  explicit LeadingValues(std::vector<KeyPart> parts);

  uint64_t id() const { return id_; }  // unique among all objects of this process, past or present

  // False, permanently: there are too many.
  bool complete() const { return complete_.load(std::memory_order_acquire); }

  // Returns the length of the prefix of `row` that is now covered for all rows with it; 0: unknown.
  size_t Add(std::string_view row);

  // Adds the values of a file, see Serialize. Errors: kCorruption naming the offset.
  Status AddSerialized(std::string_view bytes);
  // The values with their parts; "" if not complete.
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
  mutable std::shared_ptr<const KnownLeads> known_;  // null: to be recomputed
};

// Adds rows, most of which begin like the previous one. Not thread-safe.
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
