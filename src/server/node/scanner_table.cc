#include "server/node/scanner_table.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "server/rpc/call.h"

namespace klip::server {
namespace {

constexpr size_t kMaxClosed = 10000;

}  // namespace

// Ids from before a restart must not be found, so they start at a random number.
ScannerTable::ScannerTable() : next_id_((uint64_t{std::random_device()()} << 32) | 1) {}

bool ScannerTable::Hold(OpenScanner* scanner, const std::shared_ptr<net::MemoryShare>& client) {
  if (scanner->client == nullptr) {
    scanner->client = client;
    scanner->memory = net::MemoryLease(&memory_, client.get());
  }
  return scanner->memory.Hold(static_cast<size_t>(std::max(kScannerBytes, scanner->largest_cell_bytes)));
}

void ScannerTable::Add(const OpenScannerPtr& scanner) {
  RenewLease(scanner.get());
  const std::lock_guard lock(mutex_);
  scanner->id = next_id_++;
  scanners_[scanner->id] = scanner;
}

void ScannerTable::AddClosed(OpenScanner* scanner) {
  const std::lock_guard lock(mutex_);
  scanner->id = next_id_++;
  Remember(scanner->id, scanner->next_call_seq);
}

OpenScannerPtr ScannerTable::Find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto at = scanners_.find(id);
  return at == scanners_.end() ? nullptr : at->second;
}

OpenScannerPtr ScannerTable::Take(uint64_t id) {
  const auto at = scanners_.find(id);
  if (at == scanners_.end()) {
    return nullptr;
  }
  OpenScannerPtr scanner = std::move(at->second);
  scanners_.erase(at);
  return scanner;
}

void ScannerTable::Remember(uint64_t id, uint64_t next_call) {
  if (closed_.emplace(id, next_call).second) {
    closed_order_.push_back(id);
    if (closed_order_.size() > kMaxClosed) {
      closed_.erase(closed_order_.front());
      closed_order_.pop_front();
    }
  }
}

void ScannerTable::Close(const OpenScanner& scanner) {
  OpenScannerPtr last;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  last = Take(scanner.id);
  if (last != nullptr) {
    Remember(scanner.id, scanner.next_call_seq);
  }
}

void ScannerTable::Drop(uint64_t id) {
  OpenScannerPtr last;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  last = Take(id);
}

std::optional<uint64_t> ScannerTable::NextCallOfClosed(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto at = closed_.find(id);
  return at == closed_.end() ? std::nullopt : std::optional(at->second);
}

void ScannerTable::Expire(int64_t now_us) {
  std::vector<OpenScannerPtr> expired;
  const std::lock_guard lock(mutex_);
  for (auto at = scanners_.begin(); at != scanners_.end();) {
    // A scanner in use has references other than this table's.
    if (at->second->lease_until_us < now_us && at->second.use_count() == 1) {
      expired.push_back(std::move(at->second));
      at = scanners_.erase(at);
    } else {
      ++at;
    }
  }
}

void ScannerTable::RenewLease(OpenScanner* scanner) const {
  scanner->lease_until_us = MonotonicUs() + lease_ms_ * 1000;
}

size_t ScannerTable::size() const {
  const std::lock_guard lock(mutex_);
  return scanners_.size();
}

}  // namespace klip::server
