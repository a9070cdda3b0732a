// Session: one connection to the coprocessor host. Calls nest: while one side waits for an answer, it serves the calls of
// the other on the same thread. So a hook's callbacks run on the thread whose operation called the hook.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "coprocessor/frame.h"
#include "klip/status.h"

namespace klip::coprocessor {

// Serves the host's callbacks.
class Callbacks {
 public:
  virtual ~Callbacks() = default;
  virtual Status Serve(FrameReader* call, FrameWriter* answer) = 0;
};

// Used by one thread at a time.
class Session {
 public:
  // Errors: kIoError naming the socket. `callbacks` outlives the session.
  static Expected<std::unique_ptr<Session>> Connect(const std::string& socket, Callbacks* callbacks);

  // Waits for the answer, at most `limit_ms` for each frame. Errors: kIoError, after which the session is broken; those
  // of the host.
  Expected<FrameReader> Call(Method method, const FrameWriter& body, int64_t limit_ms);
  // A call without an answer.
  Status Send(Method method, const FrameWriter& body) { return SendFrame(FrameKind::kCall, method, body); }
  bool broken() const { return broken_; }
  // Fails a call for which another thread waits.
  void Shutdown();

 private:
  Session(base::Descriptor socket, Callbacks* callbacks) : socket_(std::move(socket)), callbacks_(callbacks) {}

  Status SendFrame(FrameKind kind, Method method, const FrameWriter& body);
  Expected<FrameReader> Receive(int64_t limit_ms);
  void LimitWaiting(int64_t limit_ms);
  // Reads at least one byte.
  Expected<size_t> Read(char* out, size_t most);
  Status Break(std::string_view why);

  base::Descriptor socket_;
  Callbacks* callbacks_;
  bool broken_ = false;
  int64_t limit_ms_ = -1;  // of the socket; below 0: none
  // Bytes that were received, but not used yet: most frames need only one call of the system.
  std::array<char, 4096> received_;
  size_t received_begin_ = 0;
  size_t received_end_ = 0;
};

}  // namespace klip::coprocessor
