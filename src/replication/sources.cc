#include "replication/sources.h"

#include <utility>

#include "engine/store/peers.h"

namespace klip::replication {

void Sources::Refresh() {
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    return;
  }
  std::map<std::string, std::unique_ptr<Source>> before = std::move(sources_);
  sources_.clear();
  for (ReplicationPeer& peer : store_->peers().List()) {
    std::unique_ptr<Source>& source = sources_[peer.id];
    if (const auto known = before.find(peer.id); known != before.end()) {
      source = std::move(known->second);
      source->Update(std::move(peer));
    } else {
      source = std::make_unique<Source>(store_, self_, std::move(peer), report_);
    }
  }
}

void Sources::Stop() {
  std::map<std::string, std::unique_ptr<Source>> ended;
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  ended.swap(sources_);
}

std::vector<Sources::Told> Sources::Tell() const {
  const std::lock_guard lock(mutex_);
  std::vector<Told> told;
  for (const auto& [id, source] : sources_) {
    told.push_back({source->Metrics(), source->Counts()});
  }
  return told;
}

}  // namespace klip::replication
