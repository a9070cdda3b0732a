// Runs the threads of a process one at a time, in an order that a seed decides. Its clock advances only when it is read
// or when all threads wait.
//
// An executable that links thread_calls.cc has its own pthread_mutex_lock, pthread_cond_wait, clock_gettime, ..., which
// librocksdb and libstdc++ call instead of libc's. At each call, another thread may continue. So two runs with the same
// seed make the same calls in the same order, and a failure can be replayed. The code under test is unchanged.
//
// Example with two threads, A holding the turn:
//
//   A  pthread_mutex_lock(m)    Point(): the seed says stay; m is free, A takes it
//   A  write(...)               Point(): the seed says B
//   B  pthread_mutex_lock(m)    m is taken: Block(m), so A has the turn again, in its write
//   A  pthread_mutex_unlock(m)  Wake(m): B may continue, and does when A waits or the seed decides it
#pragma once

#include <cstdint>
#include <string>

#include <pthread.h>

namespace klip::simulate {

struct ScheduleOptions {
  uint64_t seed = 0;
  uint64_t switch_one_in = 0;  // points; 0: only where a thread must wait
};

// From here on the process is scheduled; the calling thread is its only one and has the turn.
void StartSchedule(const ScheduleOptions& options);

// Whether the calling thread belongs to the schedule. False before StartSchedule, and at the very end of a thread.
bool IsScheduled();

// Another thread may have its turn here.
void Point();

// Gives the turn away until Wake(address). `is_lock`: who holds it may be a thread outside of the schedule, so the wait ends now and
// then, when nobody else has anything to do.
void Block(const void* address, bool is_lock);
// The same until the clock shows `deadline_ns`; false when it did.
bool BlockUntil(const void* address, int64_t deadline_ns);
// Wakes one or all of those that wait for the address; returns how many.
int Wake(const void* address, bool all);

// A thread of the schedule, as pthread_create and pthread_join are called.
int CreateThread(pthread_t* handle, const pthread_attr_t* attributes, void* (*run)(void*), void* argument);
int JoinThread(pthread_t handle, void** result);

// The simulated clocks. MonotonicNs moves by a microsecond with each call; the time of day is that plus what JumpNs added: a time
// between 1970 and about 2120.
int64_t MonotonicNs();
int64_t TimeOfDayNs();
void JumpNs(int64_t by_ns);

// Printed, with the exit code kStuck, if every thread waits and no timeout ends it.
inline constexpr int kStuck = 97;

}  // namespace klip::simulate
