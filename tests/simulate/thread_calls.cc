// Replacements of libc's functions for threads, locks and clocks in this program: see schedule.h.
#include <cerrno>
#include <cstdarg>
#include <ctime>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "simulate/raw_call.h"
#include "simulate/schedule.h"

using klip::simulate::Block;
using klip::simulate::BlockUntil;
using klip::simulate::IsScheduled;
using klip::simulate::MonotonicNs;
using klip::simulate::Point;
using klip::simulate::RawAddress;
using klip::simulate::RawCall;
using klip::simulate::Real;
using klip::simulate::TimeOfDayNs;
using klip::simulate::Wake;

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

int64_t Ns(const timespec& time) { return time.tv_sec * kSecondNs + time.tv_nsec; }
timespec TimeOf(int64_t ns) { return {ns / kSecondNs, ns % kSecondNs}; }

// The clock's time in that of MonotonicNs.
int64_t DeadlineNs(clockid_t clock, const timespec& time) {
  return clock == CLOCK_REALTIME ? Ns(time) - TimeOfDayNs() + MonotonicNs() : Ns(time);
}

template <typename Try>
int Take(const void* lock, Try attempt) {
  Point();
  int result = attempt();
  while (result == EBUSY) {
    Block(lock, /*is_lock=*/true);
    result = attempt();
  }
  return result;
}

int Release(const void* lock, int result) {
  Wake(lock, /*all=*/true);
  Point();
  return result;
}

void Sleep(int64_t ns) {
  int nobody = 0;
  BlockUntil(&nobody, MonotonicNs() + ns);
}

int RealUnlock(pthread_mutex_t* mutex) {
  static auto* const unlock = Real<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
  return unlock(mutex);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) noexcept {
  return klip::simulate::CreateThread(handle, attributes, run, argument);
}

int pthread_join(pthread_t handle, void** result) { return klip::simulate::JoinThread(handle, result); }

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const lock = Real<decltype(pthread_mutex_lock)>("pthread_mutex_lock");
  return IsScheduled() ? Take(mutex, [mutex] { return pthread_mutex_trylock(mutex); }) : lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const int result = RealUnlock(mutex);
  return IsScheduled() ? Release(mutex, result) : result;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static auto* const real = Real<decltype(pthread_rwlock_rdlock)>("pthread_rwlock_rdlock");
  return IsScheduled() ? Take(lock, [lock] { return pthread_rwlock_tryrdlock(lock); }) : real(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static auto* const real = Real<decltype(pthread_rwlock_wrlock)>("pthread_rwlock_wrlock");
  return IsScheduled() ? Take(lock, [lock] { return pthread_rwlock_trywrlock(lock); }) : real(lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  static auto* const real = Real<decltype(pthread_rwlock_timedwrlock)>("pthread_rwlock_timedwrlock");
  return IsScheduled() ? Take(lock, [lock] { return pthread_rwlock_trywrlock(lock); }) : real(lock, until);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  static auto* const real = Real<decltype(pthread_rwlock_unlock)>("pthread_rwlock_unlock");
  const int result = real(lock);
  return IsScheduled() ? Release(lock, result) : result;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static auto* const wait = Real<decltype(pthread_cond_wait)>("pthread_cond_wait", "GLIBC_2.3.2");
  if (!IsScheduled()) {
    return wait(condition, mutex);
  }
  RealUnlock(mutex);
  Wake(mutex, /*all=*/true);
  Block(condition, /*is_lock=*/false);
  return pthread_mutex_lock(mutex);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  static auto* const wait = Real<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  if (!IsScheduled()) {
    return wait(condition, mutex, clock, until);
  }
  const int64_t deadline_ns = DeadlineNs(clock, *until);
  RealUnlock(mutex);
  Wake(mutex, /*all=*/true);
  const bool woken = BlockUntil(condition, deadline_ns);
  pthread_mutex_lock(mutex);
  return woken ? 0 : ETIMEDOUT;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  static auto* const wait = Real<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait", "GLIBC_2.3.2");
  return IsScheduled() ? pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, until)
                       : wait(condition, mutex, until);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static auto* const signal = Real<decltype(pthread_cond_signal)>("pthread_cond_signal", "GLIBC_2.3.2");
  if (!IsScheduled()) {
    return signal(condition);
  }
  Wake(condition, /*all=*/false);
  Point();
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static auto* const broadcast = Real<decltype(pthread_cond_broadcast)>("pthread_cond_broadcast", "GLIBC_2.3.2");
  if (!IsScheduled()) {
    return broadcast(condition);
  }
  Wake(condition, /*all=*/true);
  Point();
  return 0;
}

// As libc's: 0 not run, 2 run; here 1 while it runs.
int pthread_once(pthread_once_t* control, void (*run)()) {
  static auto* const once = Real<decltype(pthread_once)>("pthread_once");
  if (!IsScheduled()) {
    return once(control, run);
  }
  while (*control == 1) {
    Block(control, /*is_lock=*/true);
  }
  if (*control != 2) {
    *control = 1;
    run();
    *control = 2;
    Wake(control, /*all=*/true);
  }
  return 0;
}

int sched_yield() noexcept {
  if (!IsScheduled()) {
    return static_cast<int>(RawCall(SYS_sched_yield));
  }
  // A thread that yields waits for another thread.
  Sleep(100);
  return 0;
}

int sched_getcpu() noexcept { return 0; }

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const bool coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
  if (!IsScheduled() || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && !coarse)) {
    const long result = RawCall(SYS_clock_gettime, clock, RawAddress(time));
    errno = result < 0 ? static_cast<int>(-result) : errno;
    return result < 0 ? -1 : 0;
  }
  const bool of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  *time = TimeOf(of_day ? TimeOfDayNs() : MonotonicNs());
  return 0;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) {
    *out = now.tv_sec;
  }
  return now.tv_sec;
}

int nanosleep(const timespec* how_long, timespec* left) {
  if (!IsScheduled()) {
    return static_cast<int>(RawCall(SYS_nanosleep, RawAddress(how_long), RawAddress(left)));
  }
  Sleep(Ns(*how_long));
  return 0;
}

int usleep(useconds_t us) {
  const timespec how_long = TimeOf(int64_t{us} * 1000);
  return nanosleep(&how_long, nullptr);
}

// Waits of libstdc++: std::atomic, std::future, statics.
long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) {
    argument = va_arg(list, long);
  }
  va_end(list);
  if (number == SYS_futex && IsScheduled()) {
    const int* const word = reinterpret_cast<const int*>(arguments[0]);
    const long operation = arguments[1] & FUTEX_CMD_MASK;
    if (operation == FUTEX_WAKE) {
      return Wake(word, arguments[2] > 1);
    }
    if (*word != static_cast<int>(arguments[2])) {
      errno = EAGAIN;
      return -1;
    }
    const auto* const until = reinterpret_cast<const timespec*>(arguments[3]);
    if (until == nullptr) {
      Block(word, /*is_lock=*/true);
      return 0;
    }
    const bool absolute = operation == FUTEX_WAIT_BITSET;
    const clockid_t clock = (arguments[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (!BlockUntil(word, absolute ? DeadlineNs(clock, *until) : MonotonicNs() + Ns(*until))) {
      errno = ETIMEDOUT;
      return -1;
    }
    return 0;
  }
  const long result =
      RawCall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (result < 0) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

}  // extern "C"

// The names of sessions, which RocksDB draws from the machine: they decide which part of the block cache takes a block.
namespace rocksdb {

void GenerateRawUniqueId(uint64_t* a, uint64_t* b, bool /*exclude_port_uuid*/);
void GenerateRawUniqueId(uint64_t* a, uint64_t* b, bool /*exclude_port_uuid*/) {
  static uint64_t drawn = 0;
  *a = ++drawn * 0x9e3779b97f4a7c15;
  *b = drawn * 0xbf58476d1ce4e5b9;
}

}  // namespace rocksdb
