// Random writes of every kind, for two clusters that must become equal. Each writes its own rows: cells with equal
// timestamps and different values would stay different, in HBase too.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "klip/table.h"

namespace klip {

class RandomWrites {
 public:
  // Families f and g, a row's name begins with `rows`.
  RandomWrites(uint32_t seed, std::string rows) : random_(seed), rows_(std::move(rows)) {}

  // Writes once: a put, a delete of one of the four kinds or of the whole row, an increment, an append, or several in a row at once.
  Status Write(Table* table);
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

 private:
  std::string Row() { return rows_ + std::to_string(Below(20)); }
  std::string Family() { return Below(2) == 0 ? "f" : "g"; }
  Put RandomPut(const std::string& row);
  Delete RandomDelete(const std::string& row);

  std::mt19937 random_;
  const std::string rows_;
};

}  // namespace klip
