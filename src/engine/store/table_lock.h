// The reader-writer lock of a table.
#pragma once

#include <cerrno>
#include <ctime>

#include <pthread.h>

namespace klip::engine {

// The table's writers share it; a change of the table holds it exclusively. Its names suit std::shared_lock and
// std::unique_lock. It is not a std::shared_mutex: glibc's prefers readers, so a change of a busy table would wait
// forever. Here, a waiting exclusive locker precedes sharers that arrive later, but lets those in that have waited for a
// second: a sharer may wait for one of them (a coprocessor that is a client of its own server).
class TableLock {
 public:
  TableLock() = default;
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
  ~TableLock() { pthread_rwlock_destroy(&lock_); }

  void lock() {
    while (!LockWithinASecond()) {
      lock_shared();  // for a moment it is a sharer among those who wait
      unlock_shared();
    }
  }
  bool try_lock() { return pthread_rwlock_trywrlock(&lock_) == 0; }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() {
    while (pthread_rwlock_rdlock(&lock_) == EAGAIN) {  // the maximum number of sharers
    }
  }
  bool try_lock_shared() { return pthread_rwlock_tryrdlock(&lock_) == 0; }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  bool LockWithinASecond() {
    timespec until = {};
    clock_gettime(CLOCK_REALTIME, &until);
    ++until.tv_sec;
    return pthread_rwlock_timedwrlock(&lock_, &until) == 0;
  }

  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
};

}  // namespace klip::engine
