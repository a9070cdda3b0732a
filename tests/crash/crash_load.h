// The writes of the threads whose process is killed: items of crash_state.h. Each thread prints one line before an
// operation and one for its acknowledgement, which crash_log.h reads:
//
//   I <thread> <item> <value>      A <thread>      E <thread> <error>
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "crash/crash_state.h"
#include "klip/connection.h"

namespace klip::crash {

// Called by the writing thread itself. Lines have no newline.
using Listener = std::function<void(const std::string& line)>;

// Makes `steps` random operations, or ends at the first that fails. Threads 0 .. kThreads - 1 write rows, thread kThreads maintains
// tables. `items` are what the store holds at the beginning.
void RunLoad(Connection* connection, int thread, uint64_t seed, int steps, const Items& items,
             const Listener& listener);

}  // namespace klip::crash
