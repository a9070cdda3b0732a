#include "sql/catalog/served_statement.h"

#include <chrono>
#include <map>
#include <utility>

#include "base/clock.h"

namespace klip::sql {
namespace {

int64_t NowUs() {
  using std::chrono::microseconds;
  return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Those of the process, by id.
struct Running {
  std::mutex mutex;
  int64_t last_id = 0;                        // guarded by mutex
  std::map<int64_t, ServedStatement*> by_id;  // guarded by mutex
};

Running& AllRunning() {
  static auto* const running = new Running();  // statements may end after static objects
  return *running;
}

}  // namespace

void SessionCaller::Set(CancelToken token) {
  const std::lock_guard lock(mutex_);
  token_ = std::move(token);
}

bool SessionCaller::gone() const {
  CancelToken token;
  {
    const std::lock_guard lock(mutex_);
    token = token_;
  }
  return token.cancelled();
}

bool ServedStatement::Ends::Now() {
  const int64_t at = at_us.load(std::memory_order_relaxed);
  if (at != 0 && NowUs() >= at) {
    timed_out.store(true, std::memory_order_relaxed);
    return true;
  }
  return caller->gone();
}

ServedStatement::ServedStatement(std::string_view text, int64_t timeout_ms, std::shared_ptr<SessionCaller> caller,
                                 const std::atomic<int64_t>* rows_read)
    : timeout_us_(timeout_ms * 1000),
      ends_(std::make_shared<Ends>(std::move(caller))),
      token_(CancelToken::Asking([ends = ends_] { return ends->Now(); })),
      rows_read_(rows_read),
      left_us_(timeout_us_) {
  constexpr size_t kMostText = 1000;
  const Caller& caller_now = Caller::Current();
  info_ = {.user = caller_now.user,
           .address = caller_now.address,
           .door = NameOf(caller_now.door),
           .began_ms = base::SystemMs(),
           .text = std::string(text.substr(0, kMostText))};
  Running& running = AllRunning();
  const std::lock_guard lock(running.mutex);
  info_.id = ++running.last_id;
  running.by_id.emplace(info_.id, this);
}

ServedStatement::~ServedStatement() {
  Running& running = AllRunning();
  const std::lock_guard lock(running.mutex);
  running.by_id.erase(info_.id);
}

void ServedStatement::BeginCall() {
  working_.store(true, std::memory_order_relaxed);
  if (timeout_us_ > 0) {
    began_us_ = NowUs();
    ends_->at_us.store(began_us_ + left_us_, std::memory_order_relaxed);
  }
}

void ServedStatement::EndCall() {
  working_.store(false, std::memory_order_relaxed);
  if (timeout_us_ > 0) {
    left_us_ -= NowUs() - began_us_;
    ends_->at_us.store(0, std::memory_order_relaxed);
  }
}

Status ServedStatement::InSql(const Status& status) const {
  if (status.code() != Code::kCancelled || !ends_->timed_out.load(std::memory_order_relaxed)) {
    return status;
  }
  return {Code::kTimedOut, "ERROR 6000 (TIM01): Operation timed out. The statement took more than " +
                               std::to_string(timeout_us_ / 1000) + " ms (statement-timeout)"};
}

std::vector<ServedStatement::Info> ServedStatement::List() {
  std::vector<Info> list;
  Running& running = AllRunning();
  const std::lock_guard lock(running.mutex);
  for (const auto& [id, statement] : running.by_id) {
    Info& info = list.emplace_back(statement->info_);
    info.rows_read = statement->rows_read_->load(std::memory_order_relaxed);
    info.working = statement->working_.load(std::memory_order_relaxed);
  }
  return list;
}

bool ServedStatement::End(int64_t id) {
  Running& running = AllRunning();
  const std::lock_guard lock(running.mutex);
  const auto found = running.by_id.find(id);
  if (found == running.by_id.end()) {
    return false;
  }
  found->second->token_.Cancel();
  return true;
}

}  // namespace klip::sql
