// Blocking calls: they run on a separate thread while other Ruby threads continue, and ctrl-C ends the waiting.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "klip/status.h"

namespace klip::shell {

// False: Ruby wants this thread to raise (ctrl-C, Thread#kill, Timeout); `work` continues alone. Border then raises.
bool RunBlocking(std::function<void()> work);

// The exception that made RunBlocking return false, as a tag for rb_jump_tag; 0: none.
int TakePendingJump();

// Whether abandoned work is still running. Then the process must not destroy what it uses.
bool AbandonedWorkIsRunning();

// The result of `work`, an Expected or a Status. `work` must own all that it uses, since it may outlive the call.
template <typename Work>
auto Blocking(Work work) -> decltype(work()) {
  struct Shared {
    explicit Shared(Work&& w) : work(std::move(w)) {}
    Work work;
    std::optional<decltype(work())> result;
  };
  auto shared = std::make_shared<Shared>(std::move(work));
  if (!RunBlocking([shared] { shared->result.emplace(shared->work()); })) {
    return Status(Code::kCancelled, "interrupted");
  }
  return *std::move(shared->result);
}

}  // namespace klip::shell
