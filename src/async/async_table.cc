#include "klip/async_table.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "klip/caller.h"
#include "klip/cancel.h"

namespace klip {

namespace {

thread_local bool inside = false;  // this thread is one of an AsyncTable

auto StatusOnly(std::function<void(Status)> done) {
  return [done = std::move(done)](const Expected<Result>& outcome) { done(outcome.status()); };
}

}  // namespace

// The threads, and the calls that they run.
class AsyncTable::Calls {
 public:
  // A call on one row, which can be combined with others.
  struct RowCall {
    Action action;
    Done<Expected<Result>> done;
  };

  Calls(Table* table, AsyncOptions options)
      : table_(table),
        max_threads_(static_cast<size_t>(std::max(options.max_threads, 1))),
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

  void Run(std::variant<std::function<void()>, RowCall> call) {
    Lock lock(mutex_);
    if (!inside) {
      ended_.wait(lock, [this] { return under_way_ < max_threads_ + max_waiting_; });
    }
    ++under_way_;
    waiting_.push_back({std::move(call), CancelToken::Current(),
                        Caller::InScope() ? std::make_shared<const Caller>(Caller::Current()) : nullptr});
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
    // Calls that can be cancelled, or that have their own caller, are not combined.
    bool joins() const { return std::holds_alternative<RowCall>(what) && !token.armed() && caller == nullptr; }

    std::variant<std::function<void()>, RowCall> what;
    CancelToken token;
    std::shared_ptr<const Caller> caller;  // null: the process
  };

  // Takes the first call, and later ones that can be combined with it: each thread gets its share. REQUIRES: mutex_ is
  // held, a call waits.
  std::vector<Call> Take() {
    const size_t share = (waiting_.size() + max_threads_ - 1) / max_threads_;
    std::vector<Call> calls;
    do {
      calls.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    } while (calls.size() < share && calls.front().joins() && waiting_.front().joins());
    return calls;
  }

  void Do(std::vector<Call> calls) {
    const CancelScope scope(calls.front().token);
    const CallerScope caller(calls.front().caller.get());
    if (auto* run = std::get_if<std::function<void()>>(&calls.front().what); run != nullptr) {
      (*run)();
    } else if (calls.size() == 1) {
      const auto& [action, done] = std::get<RowCall>(calls.front().what);
      done(One(action));
    } else {
      std::vector<Action> actions;
      actions.reserve(calls.size());
      for (Call& call : calls) {
        actions.push_back(std::move(std::get<RowCall>(call.what).action));
      }
      std::vector<Expected<Result>> outcomes = table_->Batch(actions);
      for (size_t i = 0; i < calls.size(); ++i) {
        std::get<RowCall>(calls[i].what).done(std::move(outcomes[i]));
      }
    }
  }

  // Makes a single call: it is less work for a server than a batch of one.
  Expected<Result> One(const Action& action) {
    return std::visit(
        [this]<typename T>(const T& one) -> Expected<Result> {
          if constexpr (std::is_same_v<T, klip::Get>) {
            return table_->Get(one);
          } else if constexpr (std::is_same_v<T, klip::Put>) {
            KLIP_RETURN_IF_ERROR(table_->Put(one));
            return Result();
          } else if constexpr (std::is_same_v<T, klip::Delete>) {
            KLIP_RETURN_IF_ERROR(table_->Delete(one));
            return Result();
          } else if constexpr (std::is_same_v<T, klip::Increment>) {
            return table_->Increment(one);
          } else if constexpr (std::is_same_v<T, klip::Append>) {
            return table_->Append(one);
          } else if constexpr (std::is_same_v<T, RowMutations>) {
            return table_->Mutate(one);
          } else {
            KLIP_ASSIGN_OR_RETURN(CheckAndMutateResult outcome, table_->CheckAndMutate(one));
            return std::move(outcome.result);
          }
        },
        action);
  }

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
      std::vector<Call> calls = Take();
      const size_t count = calls.size();
      lock.unlock();
      Do(std::move(calls));
      lock.lock();
      under_way_ -= count;
      ended_.notify_all();
    }
  }

  Table* const table_;
  const size_t max_threads_;
  const size_t max_waiting_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable called_;
  std::condition_variable ended_;
  std::deque<Call> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  size_t under_way_ = 0;  // including waiting ones
  bool stopping_ = false;
};

AsyncTable::AsyncTable(std::unique_ptr<Table> table, AsyncOptions options)
    : table_(std::move(table)), calls_(std::make_unique<Calls>(table_.get(), options)) {}

AsyncTable::~AsyncTable() = default;

const std::string& AsyncTable::name() const { return table_->name(); }

void AsyncTable::Wait() { calls_->Wait(); }

void AsyncTable::Get(klip::Get get, Done<Expected<Result>> done) {
  calls_->Run(Calls::RowCall{std::move(get), std::move(done)});
}

void AsyncTable::Get(std::vector<klip::Get> gets, Done<Expected<std::vector<Result>>> done) {
  calls_->Run([this, gets = std::move(gets), done = std::move(done)] { done(table_->Get(gets)); });
}

void AsyncTable::Put(klip::Put put, Done<Status> done) {
  calls_->Run(Calls::RowCall{std::move(put), StatusOnly(std::move(done))});
}

void AsyncTable::Put(std::vector<klip::Put> puts, Done<Status> done) {
  calls_->Run([this, puts = std::move(puts), done = std::move(done)] { done(table_->Put(puts)); });
}

void AsyncTable::Delete(klip::Delete del, Done<Status> done) {
  calls_->Run(Calls::RowCall{std::move(del), StatusOnly(std::move(done))});
}

void AsyncTable::Increment(klip::Increment increment, Done<Expected<Result>> done) {
  calls_->Run(Calls::RowCall{std::move(increment), std::move(done)});
}

void AsyncTable::Append(klip::Append append, Done<Expected<Result>> done) {
  calls_->Run(Calls::RowCall{std::move(append), std::move(done)});
}

void AsyncTable::Mutate(RowMutations mutations, Done<Expected<Result>> done) {
  calls_->Run(Calls::RowCall{std::move(mutations), std::move(done)});
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
