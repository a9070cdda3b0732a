#include "server/procedures.h"

namespace klip::server {
namespace {

constexpr size_t kMaxKept = 10000;  // TUNING: minutes of them, at any pace at which tables are changed

}  // namespace

uint64_t ProcedureTable::Add(rpc::Error error, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  outcomes_[++last_id_] = {now_ms, std::move(error)};
  if (outcomes_.size() > kMaxKept) {
    outcomes_.erase(outcomes_.begin());
  }
  return last_id_;
}

std::optional<ProcedureTable::Outcome> ProcedureTable::Find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto at = outcomes_.find(id);
  return at == outcomes_.end() ? std::nullopt : std::optional(at->second);
}

uint64_t ProcedureTable::OfNonce(uint64_t group, uint64_t nonce) const {
  const std::lock_guard lock(mutex_);
  const auto at = nonces_.find({group, nonce});
  return nonce == 0 || at == nonces_.end() ? 0 : at->second;
}

void ProcedureTable::SetNonce(uint64_t group, uint64_t nonce, uint64_t id) {
  if (nonce == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  nonces_[{group, nonce}] = id;
  nonce_order_.emplace_back(group, nonce);
  if (nonce_order_.size() > kMaxKept) {
    nonces_.erase(nonce_order_.front());
    nonce_order_.pop_front();
  }
}

}  // namespace klip::server
