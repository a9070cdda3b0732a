// Opening and closing; the gate.
#include "klip/connection.h"

#include "capi/call.h"
#include "capi/requests.h"

namespace klip::capi {

thread_local Gate::Pass* Gate::innermost_ = nullptr;

Gate::Pass* Gate::Inside() const {
  for (Pass* pass = innermost_; pass != nullptr; pass = pass->outer_) {
    if (pass->gate_ == this && pass->holds_lock_) {
      return pass;
    }
  }
  return nullptr;
}

Gate::Pass::Pass(Gate* gate, bool refused) : gate_(gate), outer_(innermost_), refused_(refused) {
  if (!refused && gate->Inside() == nullptr) {
    gate->mutex_.lock_shared();
    holds_lock_ = true;
  }
  innermost_ = this;
}

Gate::Pass::~Pass() {
  innermost_ = outer_;
  if (holds_lock_) {
    gate_->mutex_.unlock_shared();
    if (close_behind_) {
      gate_->Close();
    }
  }
}

void Gate::Close() {
  {
    const std::lock_guard lock(list_mutex_);
    closing_.store(true, std::memory_order_release);
    for (Child* child : children_) {
      child->Cancel();
    }
  }
  if (Pass* inside = Inside(); inside != nullptr) {
    inside->close_behind_ = true;
    return;
  }
  const std::unique_lock alone(mutex_);
  {
    const std::lock_guard lock(list_mutex_);
    for (Child* child : children_) {
      child->Empty();
    }
    children_.clear();
  }
  connection_.reset();
}

void Gate::Enlist(Child* child) {
  const std::lock_guard lock(list_mutex_);
  if (closing_.load(std::memory_order_relaxed)) {
    child->Cancel();
  }
  children_.insert(child);
}

void Gate::Dismiss(Child* child) {
  const Pass pass(this, /*refused=*/false);  // keeps the connection open while the handle is freed
  {
    const std::lock_guard lock(list_mutex_);
    children_.erase(child);
  }
  child->Empty();
}

}  // namespace klip::capi

using klip::Status;

extern "C" {

klip_code klip_connection_open(const char* uri, const klip_options* options, klip_connection** connection,
                               klip_error** error) {
  return klip::capi::Report(
      [&]() -> Status {
        if (uri == nullptr || connection == nullptr) {
          return klip::capi::Missing(uri == nullptr ? "uri" : "connection");
        }
        KLIP_ASSIGN_OR_RETURN(const klip::ConnectionOptions from, klip::capi::ToOptions(options));
        KLIP_ASSIGN_OR_RETURN(auto opened, klip::Connection::Open(uri, from));
        *connection = new klip_connection{std::make_shared<klip::capi::Gate>(std::move(opened))};
        return Status::Ok();
      }(),
      error);
}

void klip_connection_close(klip_connection* connection) {
  if (connection != nullptr) {
    connection->gate->Close();
  }
}

void klip_connection_free(klip_connection* connection) {
  klip_connection_close(connection);
  delete connection;
}

}  // extern "C"
