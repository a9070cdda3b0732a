#include "replication/source.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "engine/store/peers.h"
#include "replication/cluster_ids.h"

namespace klip::replication {
namespace {

constexpr int64_t kPollMs = 50;         // TUNING: the delay of a write after a pause
constexpr int64_t kSaveMs = 1000;       // TUNING: two fsyncs
constexpr int64_t kFirstPauseMs = 100;  // hbase.client.pause
constexpr int64_t kLongestPauseMs = 10'000;
constexpr int64_t kPatienceMs = 10'000;  // wait for the peer's master

}  // namespace

Source::Source(engine::Store* store, const engine::ClusterId& self, ReplicationPeer peer, Report report)
    : store_(store), self_(self), id_(peer.id), report_(std::move(report)), peer_(std::move(peer)) {
  metrics_.peer_id = id_;
  metrics_.queue_id = id_;
  caught_up_ms_ = store_->NowMs();
  thread_ = std::thread([this] { Run(); });
}

Source::~Source() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  cancel_.Cancel();
  changed_.notify_all();
  thread_.join();
}

void Source::Update(ReplicationPeer peer) {
  {
    const std::lock_guard lock(mutex_);
    if (peer.enabled == peer_.enabled && peer.config == peer_.config) {
      return;
    }
    peer_ = std::move(peer);
    ++generation_;
  }
  changed_.notify_all();
}

ReplicationSource Source::Metrics() const {
  const std::lock_guard lock(mutex_);
  ReplicationSource metrics = metrics_;
  metrics.lag_ms = caught_up_ ? 0 : std::max<int64_t>(0, store_->NowMs() - caught_up_ms_);
  return metrics;
}

SourceCounts Source::Counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool Source::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void Source::Pause(int64_t ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(ms),
                    [this] { return stopping_ || generation_ != current_generation_; });
}

void Source::Run() {
  const CancelScope scope(cancel_);
  while (!stopping()) {
    if (!Step()) {
      const int64_t pause_ms = kFirstPauseMs << std::min(failures_in_a_row_, 10);
      Pause(std::min(pause_ms, kLongestPauseMs));
    }
  }
  SavePosition(/*now=*/true);
}

bool Source::Step() {
  {
    std::unique_lock lock(mutex_);
    if (generation_ != current_generation_) {
      const bool other_scope = !(current_.config == peer_.config);
      current_ = peer_;
      current_generation_ = generation_;
      failures_in_a_row_ = 0;
      if (other_scope) {
        tail_ = nullptr;  // it was read for the previous configuration
      }
    }
    metrics_.running = current_.enabled && cluster_ != nullptr;
    if (!current_.enabled) {
      caught_up_ = false;
      changed_.wait(lock, [this] { return stopping_ || generation_ != current_generation_; });
      return true;
    }
  }
  if (cluster_ == nullptr && !Connect()) {
    return false;
  }
  if (tail_ == nullptr) {
    BeginAnew();
    if (tail_ == nullptr) {
      return false;
    }
  }
  return Ship();
}

void Source::BeginAnew() {
  edits_.Clear();
  const Expected<engine::LogPosition> position = store_->peers().Position(id_);
  if (!position.ok()) {
    Failed(position.status());
    return;
  }
  if (shipped_ == engine::LogPosition()) {
    shipped_ = saved_ = *position;
  }
  tail_ = std::make_unique<engine::LogTail>(store_, shipped_);
}

bool Source::Connect() {
  Expected<std::unique_ptr<client::PeerCluster>> cluster = client::PeerCluster::Open(current_.config.cluster_key);
  if (!cluster.ok()) {
    Failed(cluster.status());
    return false;
  }
  Expected<client::PeerCluster::State> state = (*cluster)->Ask(kPatienceMs);
  if (!state.ok()) {
    Failed(state.status());
    return false;
  }
  const std::optional<engine::ClusterId> to = ParseClusterId(state->cluster_id);
  if (!to.has_value()) {
    Failed(Status(Code::kIoError, "the peer's cluster id, '" + state->cluster_id + "', is not a UUID"));
    return false;
  }
  if (*to == self_) {
    Failed(Status(Code::kDoNotRetry, "the peer is this cluster itself, " + state->cluster_id));
    return false;
  }
  if (state->servers.empty()) {
    Failed(Status(Code::kIoError, "No sinks available at peer"));
    return false;
  }
  cluster_ = *std::move(cluster);
  std::random_device device;
  server_ = state->servers[device() % state->servers.size()];
  to_ = *to;
  return true;
}

bool Source::Ship() {
  if (edits_.empty()) {
    edits_.Clear();
    const Status filled = edits_.Fill(*store_, current_.config, {self_, to_}, read_to_end_ms_, tail_.get());
    {
      const std::lock_guard lock(mutex_);
      metrics_.edits_read += edits_.entries();
      metrics_.queued_logs = static_cast<int64_t>(tail_->files());
    }
    if (tail_->skipped_logs() && !std::exchange(told_of_gap_, true)) {
      report_("replication_log_missing", id_,
              "log files are missing that the peer has not received: compare the tables");
    }
    if (!filled.ok()) {
      tail_ = nullptr;  // an unreadable record is met again: nothing is skipped
      if (edits_.empty()) {
        shipped_ = edits_.end();
        Failed(filled);
        return false;
      }
    }
  }
  if (edits_.empty()) {
    const bool moved = shipped_ != edits_.end();
    shipped_ = edits_.end();
    if (!moved) {
      read_to_end_ms_ = store_->NowMs();
      const std::lock_guard lock(mutex_);
      caught_up_ = true;
      caught_up_ms_ = read_to_end_ms_;
    }
    SavePosition(/*now=*/false);
    if (!moved) {
      Pause(kPollMs);
    }
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    caught_up_ = false;
    metrics_.next_to_replicate_ms = edits_.written_ms();
  }
  client::Failure failure = cluster_->Replicate(server_, edits_.request(), edits_.block());
  if (!failure.ok()) {
    cluster_ = nullptr;  // finds the servers again
    tail_ = nullptr;     // and excludes what has been dropped here meanwhile
    Failed(failure.status);
    return false;
  }
  shipped_ = edits_.end();
  Succeeded();
  SavePosition(/*now=*/false);
  const auto bytes = static_cast<int64_t>(edits_.bytes());
  edits_.Clear();
  if (current_.config.bandwidth > 0) {
    Pause(bytes * 1000 / current_.config.bandwidth);
  }
  return true;
}

void Source::Succeeded() {
  failures_in_a_row_ = 0;
  const int64_t now_ms = store_->NowMs();
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    again = !counts_.last_error.empty();
    counts_.last_error.clear();
    metrics_.running = true;
    metrics_.edits_since_restart = true;
    metrics_.operations_shipped += edits_.cells();
    metrics_.last_shipped_ms = edits_.written_ms();
    metrics_.age_of_last_shipped_ms = std::max<int64_t>(0, now_ms - edits_.written_ms());
    metrics_.next_to_replicate_ms = 0;
  }
  if (again) {
    report_("replication_resumed", id_, "the peer accepts edits again");
  }
}

void Source::Failed(const Status& status) {
  if (cancel_.cancelled()) {
    return;
  }
  ++failures_in_a_row_;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    caught_up_ = false;
    ++counts_.failures;
    news = counts_.last_error.empty();
    counts_.last_error = status.ToString();
  }
  if (news) {
    report_("replication_failed", id_, status.ToString());
  }
}

void Source::SavePosition(bool now) {
  const int64_t now_ms = store_->NowMs();
  if (shipped_ == saved_ || (!now && now_ms - saved_ms_ < kSaveMs && now_ms >= saved_ms_)) {
    return;
  }
  saved_ms_ = now_ms;
  const Status saved = store_->peers().SetPosition(id_, shipped_);
  if (saved.ok()) {
    saved_ = shipped_;
  } else if (!now) {
    report_("replication_position_not_saved", id_, saved.ToString());
  }
}

}  // namespace klip::replication
