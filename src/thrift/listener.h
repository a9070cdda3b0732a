// Answers the clients of one port: a thread for each, since a client may sit idle for hours and then go on. What they send is
// checked against limits before memory is taken; what cannot be understood ends that client's connection and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/read_memory.h"
#include "base/tls.h"
#include "klip/status.h"

namespace apache::thrift {
class TProcessor;
}

namespace klip::thrift {

// --- Limits on what a client may send ---
inline constexpr int32_t kMaxMessageBytes = 100 << 20;  // a call, framed or not; Thrift's own default
inline constexpr int32_t kMaxStringBytes = 64 << 20;    // a row, a column, a value
inline constexpr int32_t kMaxElements = 1 << 20;        // of a list or map
inline constexpr size_t kMaxConnections =
    1000;  // of one port; one more takes the place of one that waits for its client

// A line for the operator.
using Log = std::function<void(const std::string&)>;

using CallMemorySource = std::function<std::unique_ptr<base::ReadMemory>()>;

class Listener {
 public:
  // Clients can connect once this returns, and wait to be answered. `port` 0: any free one. Errors: kIoError (address in
  // use, ...); kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<Listener>> Listen(const std::string& address, uint16_t port,
                                                    const base::TlsFiles& tls, Log log);
  virtual ~Listener() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Answers them, from threads of its own. `memory` makes what is asked for memory by each call; null: nobody is. REQUIRES: called once.
  virtual void Answer(std::shared_ptr<apache::thrift::TProcessor> processor, CallMemorySource memory) = 0;

  // Ends the connections once their running calls are answered, and all threads. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::thrift
