// DistinctCounter of key_statistics.h: exact up to 256 hashes, then a HyperLogLog of 2,048 registers (standard error 2.3
// %).
//
// A hash chooses a register by its first 11 bits. The register keeps the highest rank seen: the position of the first 1
// among the other 53 bits. Many distinct hashes are needed before one of them starts with many zeros, so high ranks mean
// a high count. Equal hashes change nothing, and a merge takes the maximum of each register.
//
// Example: the hash 0b00000000011'0001... goes to register 3 with rank 4. If every register had rank 4, the sum of
// 2^-rank would be 2,048 / 16 = 128, and the estimate 0.7209 * 2,048^2 / 128, about 23,600. While some registers are 0,
// the estimate comes from their share: 1,024 empty ones mean 2,048 * ln(2,048 / 1,024), about 1,420 values.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/statistics/key_statistics.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

constexpr size_t kFewMax = 256;
constexpr int kIndexBits = 11;
constexpr size_t kRegisters = size_t{1} << kIndexBits;
constexpr uint8_t kMaxRank = 64 - kIndexBits + 1;
constexpr uint8_t kFewTag = 0;
constexpr uint8_t kRegistersTag = 1;

}  // namespace

void DistinctCounter::Add(uint64_t hash) {
  if (!registers_.empty()) {
    AddToRegisters(hash);
    return;
  }
  const auto at = std::lower_bound(few_.begin(), few_.end(), hash);
  if (at != few_.end() && *at == hash) {
    return;
  }
  few_.insert(at, hash);
  if (few_.size() > kFewMax) {
    Densify();
  }
}

void DistinctCounter::AddToRegisters(uint64_t hash) {
  const size_t index = hash >> (64 - kIndexBits);
  const uint64_t rest = hash << kIndexBits;
  const uint8_t rank = rest == 0 ? kMaxRank : std::min(kMaxRank, static_cast<uint8_t>(std::countl_zero(rest) + 1));
  registers_[index] = std::max(registers_[index], rank);
}

void DistinctCounter::Densify() {
  registers_.assign(kRegisters, 0);
  for (uint64_t hash : few_) {
    AddToRegisters(hash);
  }
  few_ = {};
}

void DistinctCounter::Merge(const DistinctCounter& other) {
  if (other.registers_.empty()) {
    for (uint64_t hash : other.few_) {
      Add(hash);
    }
    return;
  }
  if (registers_.empty()) {
    Densify();
  }
  for (size_t i = 0; i < kRegisters; ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

double DistinctCounter::Estimate() const {
  if (registers_.empty()) {
    return static_cast<double>(few_.size());
  }
  double sum = 0;
  size_t zeros = 0;
  for (uint8_t rank : registers_) {
    sum += std::ldexp(1.0, -rank);
    zeros += rank == 0 ? 1 : 0;
  }
  constexpr double kCount = kRegisters;
  const double raw = 0.7213 / (1 + 1.079 / kCount) * kCount * kCount / sum;
  if (raw <= 2.5 * kCount && zeros > 0) {
    return kCount * std::log(kCount / static_cast<double>(zeros));
  }
  return raw;
}

void DistinctCounter::AppendTo(std::string* out) const {
  if (registers_.empty()) {
    out->push_back(static_cast<char>(kFewTag));
    AppendBigEndian(static_cast<uint16_t>(few_.size()), out);
    for (uint64_t hash : few_) {
      AppendBigEndian(hash, out);
    }
    return;
  }
  out->push_back(static_cast<char>(kRegistersTag));
  out->append(registers_.begin(), registers_.end());
}

bool DistinctCounter::ParseFrom(std::string_view* input) {
  few_.clear();
  registers_.clear();
  if (input->empty()) {
    return false;
  }
  const uint8_t tag = static_cast<uint8_t>(input->front());
  input->remove_prefix(1);
  if (tag == kRegistersTag && input->size() >= kRegisters) {
    registers_.assign(input->begin(), input->begin() + kRegisters);
    input->remove_prefix(kRegisters);
    return std::all_of(registers_.begin(), registers_.end(), [](uint8_t rank) { return rank <= kMaxRank; });
  }
  if (tag != kFewTag || input->size() < sizeof(uint16_t)) {
    return false;
  }
  const size_t count = ReadBigEndian<uint16_t>(input->data());
  input->remove_prefix(sizeof(uint16_t));
  if (count > kFewMax || input->size() < count * sizeof(uint64_t)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    few_.push_back(ReadBigEndian<uint64_t>(input->data() + i * sizeof(uint64_t)));
  }
  input->remove_prefix(count * sizeof(uint64_t));
  return std::is_sorted(few_.begin(), few_.end());
}

}  // namespace klip::engine
