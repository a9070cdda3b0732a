#include "klip/async_table.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "klip/cancel.h"

namespace klip {

namespace {

thread_local bool inside = false;  // this thread is one of an AsyncTable

}  // namespace

// The threads, and the calls that they run.
class AsyncTable::Calls {
 public:
  explicit Calls(AsyncOptions options)
      : max_threads_(static_cast<size_t>(std::max(options.max_calls, 1))),
        max_waiting_(static_cast<size_t>(std::max(options.max_waiting, 0))) {}

  ~Calls() {
    Wait();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    called_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void Run(std::function<void()> call) {
    Lock lock(mutex_);
    if (!inside) {
      ended_.wait(lock, [this] { return under_way_ < max_threads_ + max_waiting_; });
    }
    ++under_way_;
    waiting_.push_back({std::move(call), CancelToken::Current()});
    if (idle_ < waiting_.size() && threads_.size() < max_threads_) {
      threads_.emplace_back([this] { Work(); });
    }
    called_.notify_one();
  }

  void Wait() {
    Lock lock(mutex_);
    ended_.wait(lock, [this] { return under_way_ == 0; });
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Call {
    std::function<void()> run;
    CancelToken token;
  };

  void Work() {
    inside = true;
    Lock lock(mutex_);
    while (true) {
      ++idle_;
      called_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) {
        return;
      }
      {
        const Call call = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        const CancelScope scope(call.token);
        call.run();
      }
      lock.lock();
      --under_way_;
      ended_.notify_all();
    }
  }

  const size_t max_threads_;
  const size_t max_waiting_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable called_;
  std::condition_variable ended_;
  std::deque<Call> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  size_t under_way_ = 0;  // waiting ones too
  bool stopping_ = false;
};

AsyncTable::AsyncTable(std::unique_ptr<Table> table, AsyncOptions options)
    : table_(std::move(table)), calls_(std::make_unique<Calls>(options)) {}

AsyncTable::~AsyncTable() = default;

const std::string& AsyncTable::name() const { return table_->name(); }

void AsyncTable::Wait() { calls_->Wait(); }

void AsyncTable::Get(klip::Get get, Done<Expected<Result>> done) {
  calls_->Run([this, get = std::move(get), done = std::move(done)] { done(table_->Get(get)); });
}

void AsyncTable::Get(std::vector<klip::Get> gets, Done<Expected<std::vector<Result>>> done) {
  calls_->Run([this, gets = std::move(gets), done = std::move(done)] { done(table_->Get(gets)); });
}

void AsyncTable::Put(klip::Put put, Done<Status> done) {
  calls_->Run([this, put = std::move(put), done = std::move(done)] { done(table_->Put(put)); });
}

void AsyncTable::Put(std::vector<klip::Put> puts, Done<Status> done) {
  calls_->Run([this, puts = std::move(puts), done = std::move(done)] { done(table_->Put(puts)); });
}

void AsyncTable::Delete(klip::Delete del, Done<Status> done) {
  calls_->Run([this, del = std::move(del), done = std::move(done)] { done(table_->Delete(del)); });
}

void AsyncTable::Increment(klip::Increment increment, Done<Expected<Result>> done) {
  calls_->Run([this, increment = std::move(increment), done = std::move(done)] { done(table_->Increment(increment)); });
}

void AsyncTable::Append(klip::Append append, Done<Expected<Result>> done) {
  calls_->Run([this, append = std::move(append), done = std::move(done)] { done(table_->Append(append)); });
}

void AsyncTable::Mutate(RowMutations mutations, Done<Expected<Result>> done) {
  calls_->Run([this, mutations = std::move(mutations), done = std::move(done)] { done(table_->Mutate(mutations)); });
}

void AsyncTable::CheckAndMutate(klip::CheckAndMutate check, Done<Expected<CheckAndMutateResult>> done) {
  calls_->Run([this, check = std::move(check), done = std::move(done)] { done(table_->CheckAndMutate(check)); });
}

void AsyncTable::Batch(std::vector<Action> actions, Done<std::vector<Expected<Result>>> done) {
  calls_->Run([this, actions = std::move(actions), done = std::move(done)] { done(table_->Batch(actions)); });
}

void AsyncTable::Scan(klip::Scan scan, std::function<bool(Result&)> each, Done<Status> done) {
  calls_->Run([this, scan = std::move(scan), each = std::move(each), done = std::move(done)] {
    const auto read = [&]() -> Status {
      KLIP_ASSIGN_OR_RETURN(const auto scanner, table_->Scan(scan));
      const CancelToken token = CancelToken::Current();
      Result row;
      while (true) {
        KLIP_RETURN_IF_ERROR(token.status());
        KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
        if (!more || !each(row)) {
          return Status::Ok();
        }
      }
    };
    done(read());
  });
}

}  // namespace klip
