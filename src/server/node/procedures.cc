#include "server/node/procedures.h"

namespace klip::server {
namespace {

constexpr size_t kMaxKept = 10000;  // TUNING: minutes' worth, however fast tables are changed

}  // namespace

ProcedureTable::Begun ProcedureTable::Begin(uint64_t group, uint64_t nonce, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  if (nonce != 0) {
    const auto [at, added] = nonces_.try_emplace({group, nonce}, last_id_ + 1);
    if (!added) {
      return {at->second, false};
    }
    nonce_order_.emplace_back(group, nonce);
    if (nonce_order_.size() > kMaxKept) {
      nonces_.erase(nonce_order_.front());
      nonce_order_.pop_front();
    }
  }
  procedures_[++last_id_].submitted_ms = now_ms;
  if (procedures_.size() > kMaxKept) {
    procedures_.erase(procedures_.begin());
  }
  return {last_id_, true};
}

void ProcedureTable::Finish(uint64_t id, rpc::Error outcome) {
  const std::lock_guard lock(mutex_);
  if (const auto at = procedures_.find(id); at != procedures_.end()) {
    at->second.outcome = std::move(outcome);
  }
}

std::optional<ProcedureTable::Procedure> ProcedureTable::Find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto at = procedures_.find(id);
  return at == procedures_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace klip::server
