// Runtime: wasmtime, loaded into this process, and the clock that ends calls at their deadline.
//
// The clock is a thread that counts a tick every 10 ms. wasmtime's code compares this count with its deadline at each
// loop and at the start of each function. A call that has 1 s gets a deadline 100 ticks ahead, and an endless loop in it
// ends within a tick of it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "klip/status.h"
#include "wasm/runtime_api.h"

namespace klip::wasm {

inline constexpr int64_t kTickMs = 10;

// Finds the library of the runtime: `given`, or the environment variable KLIP_WASM_RUNTIME, or the packages of pip (of
// this user, the machine, the active virtual environment) or of the system. Errors: kInvalidArgument with the places
// searched and how to get it.
Expected<std::string> FindRuntime(const std::string& given);

class Runtime {
 public:
  // Loads the library, once in a process for each path, and tests it. It stays loaded. Errors: kInvalidArgument: there is
  // none, or it is not a suitable version of wasmtime.
  static Expected<std::shared_ptr<Runtime>> Load(const std::string& wanted);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const Api& api() const { return api_; }
  Engine* engine() const { return engine_; }
  const std::string& path() const { return path_; }

  // The deadline of a call that starts now and may run for `ms` milliseconds, in ticks from the current count. It ends the
  // call within two ticks after this time, and never before it.
  uint64_t TicksUntil(int64_t ms) const;

  // The text of an error or a trap, which it deletes. One of both is not null.
  std::string TextOf(Error* error, Trap* trap) const;

 private:
  Runtime(std::string path, const Api& api);
  Status Try();
  void Tick();

  const std::string path_;
  const Api api_;
  Engine* const engine_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<int64_t> ticked_ = 0;  // the ticks counted since started_; increased after the count of the engine
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // guarded by mutex_
  std::thread clock_;  // the last member: it uses the others
};

}  // namespace klip::wasm
