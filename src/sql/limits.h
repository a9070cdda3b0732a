// What a server gives to the sessions of its clients, beyond SessionOptions.
#pragma once

#include <cstdint>
#include <memory>

#include "base/memory_pool.h"
#include "klip/cancel.h"
#include "klip/sql.h"

namespace klip::sql {

struct SessionLimits {
  base::MemoryPool* memory = nullptr;  // null: memory_bytes of each statement is the only limit. Outlives the session
  int64_t timeout_ms = 0;              // that the calls for a statement may take together; 0: any
};

class ServedSession : public Session {
 public:
  // Errors: those of Session::Open.
  static Expected<std::unique_ptr<ServedSession>> Open(Connection* connection, SessionOptions options,
                                                       const SessionLimits& limits);

  // Statements that run in the calls from now on end when the token is cancelled, too.
  virtual void SetCaller(CancelToken caller) = 0;
};

}  // namespace klip::sql
