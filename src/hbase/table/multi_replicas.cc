#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "hbase/table/multi.h"

namespace klip::client {
namespace {

constexpr size_t kMaxGets = 1000;  // TUNING: per round, since each may be answered once per replica

// The gets of one round, and their calls.
class Hedge {
 public:
  Hedge(Cluster* cluster, Deadline deadline) : cluster_(cluster), deadline_(deadline) {}

  void Locate(const std::string& table, MultiItem* item) {
    RegionPtr region = reads_.empty() ? nullptr : reads_.back().region;
    const int replica = item->timeline()->replica_id;
    if (region == nullptr || !region->Contains(item->row()) || replica >= ReplicasOf(*region) ||
        (replica >= 0 && ServerOf(*region, replica).host.empty())) {
      item->failure = {cluster_->LocateReplica(table, item->row(), Where::kHolds, replica, deadline_, &region)};
    }
    if (item->failure.ok()) {
      reads_.push_back({item, std::move(region)});
    }
  }

  // Sends to the primaries, or to the requested replicas.
  void SendFirst() {
    Send([](const MultiItem& item, const Region& region) {
      const int replica = item.timeline()->replica_id < 0 ? FirstServed(region) : item.timeline()->replica_id;
      return std::pair(replica, replica + 1);
    });
  }
  void SendToReplicas() {
    Send([](const MultiItem& item, const Region& region) {
      const bool open = !item.done && item.timeline()->replica_id < 0 &&
                        (item.failure.ok() || item.failure.recovery != Recovery::kNone);
      const int others = FirstServed(region) + 1;
      return std::pair(others, open ? ReplicasOf(region) : others);
    });
  }

  // Takes answers until then, or until all gets are done.
  void TakeUntil(Deadline until) {
    while (!sent_.empty() && !AllDone()) {
      std::vector<Call*> calls;
      std::ranges::transform(sent_, std::back_inserter(calls), [](const auto& call) { return call->call(); });
      Call* answered = WaitForAny(calls, until);
      if (answered == nullptr) {
        return;
      }
      Finish(std::ranges::find(calls, answered) - calls.begin());
    }
  }

  // Fails calls without an answer in time.
  void FinishAll() {
    while (!sent_.empty() && !AllDone()) {
      Finish(0);
    }
  }

 private:
  struct Read {
    MultiItem* item;
    RegionPtr region;
  };

  bool AllDone() const {
    return std::ranges::all_of(reads_, [](const Read& read) { return read.item->done; });
  }

  void Finish(std::ptrdiff_t at) {
    const std::unique_ptr<MultiCall> call = std::move(sent_[static_cast<size_t>(at)]);
    sent_.erase(sent_.begin() + at);
    call->Finish(deadline_);
  }

  // `replicas_for`: the range of replicas for a get.
  template <typename ReplicasFor>
  void Send(ReplicasFor replicas_for) {
    std::map<std::pair<Address, int>, std::unique_ptr<MultiCall>> calls;
    for (const auto& [item, region] : reads_) {
      const auto [first, end] = replicas_for(*item, *region);
      for (int replica = first; replica < end; ++replica) {
        const Address& server = ServerOf(*region, replica);
        if (server.host.empty()) {
          continue;
        }
        std::unique_ptr<MultiCall>& call = calls[{server, replica}];
        if (call == nullptr) {
          call = std::make_unique<MultiCall>(cluster_, server, replica);
        }
        if (Status added = call->Add(region, item); !added.ok()) {
          item->failure = {std::move(added)};
        }
      }
    }
    for (auto& [where, call] : calls) {
      call->Send(deadline_);
      sent_.push_back(std::move(call));
    }
  }

  Cluster* cluster_;
  Deadline deadline_;
  std::vector<Read> reads_;
  std::vector<std::unique_ptr<MultiCall>> sent_;
};

}  // namespace

void ReadReplicas(Cluster* cluster, const std::string& table, std::span<MultiItem* const> items, Deadline deadline) {
  while (!items.empty()) {
    Hedge hedge(cluster, deadline);
    const auto part = items.first(std::min(items.size(), kMaxGets));
    items = items.subspan(part.size());
    for (MultiItem* item : part) {
      hedge.Locate(table, item);
    }
    hedge.SendFirst();
    hedge.TakeUntil(Clock::now() + cluster->timeouts().primary_get);
    hedge.SendToReplicas();
    hedge.TakeUntil(cluster->CallDeadline(deadline));
    hedge.FinishAll();
  }
}

}  // namespace klip::client
