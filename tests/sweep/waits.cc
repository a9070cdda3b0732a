#include "sweep/waits.h"

#include <atomic>
#include <cstdint>

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "simulate/raw_call.h"

namespace klip::sweep {
namespace {

using simulate::RawAddress;
using simulate::RawCall;

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kSpeed = 50;

std::atomic<int64_t> since_ns{0};  // 0: the clock is the system's

int64_t InNs(const timespec& time) { return time.tv_sec * kSecondNs + time.tv_nsec; }
timespec InSeconds(int64_t time_ns) { return {time_ns / kSecondNs, time_ns % kSecondNs}; }

}  // namespace

void ShortenWaits() {
  timespec now = {};
  RawCall(SYS_clock_gettime, CLOCK_MONOTONIC, RawAddress(&now));
  since_ns = InNs(now);
}

}  // namespace klip::sweep

using namespace klip::sweep;

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static auto* const real = klip::simulate::Real<decltype(clock_gettime)>("clock_gettime");
  const int result = real(clock, out);
  const int64_t since = since_ns;
  if (clock == CLOCK_MONOTONIC && since > 0) {
    *out = InSeconds(since + (InNs(*out) - since) * kSpeed);
  }
  return result;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  static auto* const real = klip::simulate::Real<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  const int64_t since = since_ns;
  if (clock != CLOCK_MONOTONIC || since == 0) {
    return real(condition, mutex, clock, deadline);
  }
  const timespec sooner = InSeconds(since + (InNs(*deadline) - since) / kSpeed + 1);
  return real(condition, mutex, clock, &sooner);
}

}  // extern "C"
