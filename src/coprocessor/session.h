// Session: one connection with the coprocessor host. Calls nest: while one side waits for an answer it serves the calls of the
// other, on the same thread. So what a hook calls back runs on the thread whose operation called the hook.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "coprocessor/frame.h"
#include "klip/status.h"

namespace klip::coprocessor {

// Serves what the host calls back.
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

  // Waits for the answer, but not longer than `limit_ms` for any frame. Errors: kIoError, after which the session is broken; those
  // that the host answers.
  Expected<FrameReader> Call(Method method, const FrameWriter& body, int64_t limit_ms);
  // A call that has no answer.
  Status Send(Method method, const FrameWriter& body) { return SendFrame(FrameKind::kCall, method, body); }
  bool broken() const { return broken_; }
  // Ends a call that another thread waits for.
  void Shutdown();

 private:
  Session(base::Descriptor socket, Callbacks* callbacks) : socket_(std::move(socket)), callbacks_(callbacks) {}

  Status SendFrame(FrameKind kind, Method method, const FrameWriter& body);
  Expected<FrameReader> Receive(int64_t limit_ms);
  Status ReadExactly(char* out, size_t bytes, int64_t limit_ms);
  Status Break(std::string_view why);

  base::Descriptor socket_;
  Callbacks* callbacks_;
  bool broken_ = false;
};

}  // namespace klip::coprocessor
