// Sources: one for each peer of the store.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/log/cluster_id.h"
#include "engine/store/store.h"
#include "klip/cluster_metrics.h"
#include "replication/source.h"

namespace klip::replication {

// Thread-safe.
class Sources {
 public:
  // `store` outlives it.
  Sources(engine::Store* store, const engine::ClusterId& self, Report report)
      : store_(store), self_(self), report_(std::move(report)) {}

  // Creates, updates and ends sources to match the store's current peers.
  void Refresh();
  // Ends all. They resume where they were when the store is served again.
  void Stop();

  struct Told {
    ReplicationSource metrics;
    SourceCounts counts;
  };
  std::vector<Told> Tell() const;  // by peer

 private:
  engine::Store* const store_;
  const engine::ClusterId self_;
  const Report report_;
  mutable std::mutex mutex_;
  bool stopped_ = false;                                    // guarded by mutex_
  std::map<std::string, std::unique_ptr<Source>> sources_;  // guarded by mutex_
};

}  // namespace klip::replication
