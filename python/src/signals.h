// Ctrl-C while klip works.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "py.h"

namespace klip_python {

// Asks Python, now and then, whether a signal such as Ctrl-C has come: its handler runs and may raise.
class Signals {
 public:
  void BeginCall() {
    raised_ = false;
    looked_ = std::chrono::steady_clock::now();
    caller_ = std::this_thread::get_id();
  }
  bool raised() const { return raised_; }

  // klip_scan.interrupted, klip_sql_options.interrupted. Other threads than the caller's have no signals to handle.
  static int Look(void* self) {
    auto* signals = static_cast<Signals*>(self);
    if (signals->caller_.load() == std::this_thread::get_id()) {
      const auto now = std::chrono::steady_clock::now();
      if (now - signals->looked_ >= kSignalTurn) {
        signals->looked_ = now;
        const PyGILState_STATE state = PyGILState_Ensure();
        if (PyErr_CheckSignals() != 0) {
          signals->raised_ = true;
        }
        PyGILState_Release(state);
      }
    }
    return signals->raised_ ? 1 : 0;
  }

 private:
  static constexpr std::chrono::milliseconds kSignalTurn{50};

  std::atomic<std::thread::id> caller_;
  std::atomic<bool> raised_ = false;
  std::chrono::steady_clock::time_point looked_;  // the caller's
};

// As Run, where Ctrl-C ends the call: its `interrupted` is Signals::Look of `signals`.
template <typename Call>
bool RunInterruptibly(Signals* signals, Call call) {
  signals->BeginCall();
  klip_error* error = nullptr;
  klip_code code;
  {
    const WithoutGil released;
    code = call(&error);
  }
  if (code == KLIP_OK) {
    return true;
  }
  if (signals->raised()) {  // Python's exception is set already
    klip_error_free(error);
    return false;
  }
  return Raise(error);
}

}  // namespace klip_python
