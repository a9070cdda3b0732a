// Answers the clients of one port: one thread each, since a client may be idle for hours and then continue. Limits are
// checked before memory is allocated for a client's data; malformed data ends only that client's connection.
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
inline constexpr int32_t kMaxElements = 1 << 20;        // per list or map
inline constexpr size_t kMaxConnections = 1000;         // per port; another one replaces one that waits for its client

// A line for the operator.
using Log = std::function<void(const std::string&)>;

using CallMemorySource = std::function<std::unique_ptr<base::ReadMemory>()>;

class Listener {
 public:
  // Clients can connect once this returns, and wait for answers. `port` 0: any free port. Errors: kIoError (address in
  // use, ...); kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<Listener>> Listen(const std::string& address, uint16_t port,
                                                    const base::TlsFiles& tls, Log log);
  virtual ~Listener() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Answers them, with its own threads. `memory` creates the object that grants memory to a call; null: no limit.
  // REQUIRES: called once.
  virtual void Answer(std::shared_ptr<apache::thrift::TProcessor> processor, CallMemorySource memory) = 0;

  // Ends connections when their running calls are answered, and all threads. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::thrift
