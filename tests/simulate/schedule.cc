#include "simulate/schedule.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulate/raw_call.h"

namespace klip::simulate {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kEpochNs = int64_t{1'700'000'000} * 1'000'000'000;

struct Thread {
  int number = 0;
  pthread_t handle = {};
  int turn = 0;  // 1: has it; a futex
  const void* waits_for = nullptr;
  bool is_lock = false;
  int64_t deadline_ns = kNever;
  bool late = false;
  bool done = false;
  void* (*run)(void*) = nullptr;
  void* argument = nullptr;
  int end_rounds = 0;
};

struct Schedule {
  std::vector<Thread*> threads;  // as they were made, and never forgotten
  uint64_t random = 0;
  uint64_t switch_one_in = 0;
  int64_t now_ns = 0;
  int64_t jump_ns = 0;
};

Schedule* schedule = nullptr;
thread_local Thread* self = nullptr;

uint64_t NextRandom() {  // splitmix64
  uint64_t z = (schedule->random += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void AwaitTurn(Thread* thread) {
  while (__atomic_load_n(&thread->turn, __ATOMIC_ACQUIRE) == 0) {
    RawCall(SYS_futex, RawAddress(&thread->turn), FUTEX_WAIT_PRIVATE, 0);
  }
  __atomic_store_n(&thread->turn, 0, __ATOMIC_RELAXED);
}

void GiveTurn(Thread* thread) {
  __atomic_store_n(&thread->turn, 1, __ATOMIC_RELEASE);
  RawCall(SYS_futex, RawAddress(&thread->turn), FUTEX_WAKE_PRIVATE, 1);
}

[[noreturn]] void Stuck() {
  fprintf(stderr, "simulate: every thread waits for another:\n");
  for (const Thread* thread : schedule->threads) {
    if (!thread->done) {
      fprintf(stderr, "  thread %d waits for a %s\n", thread->number, thread->is_lock ? "lock" : "condition");
    }
  }
  _exit(kStuck);
}

bool IsReady(Thread* thread) {
  if (thread->done) {
    return false;
  }
  if (thread->waits_for != nullptr && thread->deadline_ns <= schedule->now_ns) {
    thread->late = true;
    thread->waits_for = nullptr;
  }
  return thread->waits_for == nullptr;
}

// The clock advances to the end of the first wait; false if no wait ends.
bool PassTime() {
  int64_t first = kNever;
  for (const Thread* thread : schedule->threads) {
    if (!thread->done && thread->waits_for != nullptr) {
      first = first < thread->deadline_ns ? first : thread->deadline_ns;
    }
  }
  schedule->now_ns = first == kNever || first < schedule->now_ns ? schedule->now_ns : first;
  return first != kNever;
}

// A thread that has left the schedule, and is running its last destructors, may hold a lock for a moment.
void RetryLocks(int* tries) {
  constexpr int kMostTries = 2000;
  if (++*tries == kMostTries) {
    Stuck();
  }
  timespec millisecond = {0, 1'000'000};
  RawCall(SYS_nanosleep, RawAddress(&millisecond));
  bool any = false;
  for (Thread* thread : schedule->threads) {
    if (!thread->done && thread->is_lock) {
      thread->waits_for = nullptr;
      any = true;
    }
  }
  if (!any) {
    Stuck();
  }
}

Thread* Choose() {
  int tries = 0;
  while (true) {
    size_t ready = 0;
    for (Thread* thread : schedule->threads) {
      ready += IsReady(thread) ? 1 : 0;
    }
    if (ready > 0) {
      size_t chosen = ready == 1 ? 0 : NextRandom() % ready;
      for (Thread* thread : schedule->threads) {
        if (!thread->done && thread->waits_for == nullptr && chosen-- == 0) {
          return thread;
        }
      }
    }
    if (!PassTime()) {
      RetryLocks(&tries);
    }
  }
}

void SwitchAway() {
  Thread* const next = Choose();
  if (next != self) {
    GiveTurn(next);
    AwaitTurn(self);
  }
}

pthread_key_t LastKey();

// Called by libc in rounds, each of which runs what others do at the end of a thread: RocksDB takes locks there. So the thread has its
// turn until they are through.
void EndThread(void* argument) {
  constexpr int kRounds = 3;
  Thread* const thread = static_cast<Thread*>(argument);
  if (++thread->end_rounds < kRounds) {
    pthread_setspecific(LastKey(), thread);
    return;
  }
  thread->done = true;
  Wake(thread, /*all=*/true);
  self = nullptr;
  GiveTurn(Choose());
}

pthread_key_t LastKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, EndThread);
    return made;
  }();
  return key;
}

void* RunThread(void* argument) {
  Thread* const thread = static_cast<Thread*>(argument);
  self = thread;
  AwaitTurn(thread);
  pthread_setspecific(LastKey(), thread);
  return thread->run(thread->argument);
}

Thread* NewThread() {
  auto* const thread = new Thread;
  thread->number = static_cast<int>(schedule->threads.size());
  schedule->threads.push_back(thread);
  return thread;
}

}  // namespace

void StartSchedule(const ScheduleOptions& options) {
  schedule = new Schedule;
  schedule->random = options.seed;
  schedule->switch_one_in = options.switch_one_in;
  self = NewThread();
  self->handle = pthread_self();
}

bool IsScheduled() { return self != nullptr; }

void Point() {
  if (self == nullptr) {
    return;
  }
  schedule->now_ns += 50;
  if (schedule->switch_one_in > 0 && NextRandom() % schedule->switch_one_in == 0) {
    SwitchAway();
  }
}

void Block(const void* address, bool is_lock) {
  self->waits_for = address;
  self->is_lock = is_lock;
  self->deadline_ns = kNever;
  SwitchAway();
}

bool BlockUntil(const void* address, int64_t deadline_ns) {
  self->waits_for = address;
  self->is_lock = false;
  self->deadline_ns = deadline_ns;
  self->late = false;
  SwitchAway();
  self->deadline_ns = kNever;
  return !self->late;
}

int Wake(const void* address, bool all) {
  int woken = 0;
  for (Thread* thread : schedule->threads) {
    if (!thread->done && thread->waits_for == address && (all || woken == 0)) {
      thread->waits_for = nullptr;
      ++woken;
    }
  }
  return woken;
}

int CreateThread(pthread_t* handle, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  static auto* const create = Real<decltype(pthread_create)>("pthread_create");
  if (self == nullptr) {
    return create(handle, attributes, run, argument);
  }
  Thread* const thread = NewThread();
  thread->run = run;
  thread->argument = argument;
  const int result = create(handle, attributes, RunThread, thread);
  thread->handle = *handle;
  thread->done = result != 0;
  Point();
  return result;
}

int JoinThread(pthread_t handle, void** result) {
  static auto* const join = Real<decltype(pthread_join)>("pthread_join");
  if (self != nullptr) {
    // The newest: a handle is used again.
    for (size_t i = schedule->threads.size(); i-- > 0;) {
      Thread* const thread = schedule->threads[i];
      if (pthread_equal(thread->handle, handle) != 0) {
        while (!thread->done) {
          Block(thread, /*is_lock=*/false);
        }
        break;
      }
    }
  }
  return join(handle, result);
}

int64_t MonotonicNs() {
  schedule->now_ns += 1000;
  return schedule->now_ns;
}

int64_t TimeOfDayNs() { return kEpochNs + schedule->jump_ns + MonotonicNs(); }

void JumpNs(int64_t by_ns) {
  constexpr int64_t kYearNs = int64_t{365} * 86'400 * 1'000'000'000;
  const int64_t jump_ns = schedule->jump_ns + by_ns;
  schedule->jump_ns = jump_ns < -kEpochNs ? -kEpochNs : jump_ns > 100 * kYearNs ? 100 * kYearNs : jump_ns;
}

}  // namespace klip::simulate
