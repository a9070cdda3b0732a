// The reader-writer lock of a table.
#pragma once

#include <cerrno>

#include <pthread.h>

namespace klip::engine {

// Shared by the table's writers, exclusively held while the table changes. For std::shared_lock and std::unique_lock, hence the
// names. Not a std::shared_mutex, since glibc's lets sharers in as long as there are any: a change of a busy table would wait
// for ever. Here whoever waits for it exclusively comes before those who come later to share it. So a thread that shares it must
// not ask again, nor wait for one that does: behind a change that waits, both would wait for ever.
class TableLock {
 public:
  TableLock() = default;
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
  ~TableLock() { pthread_rwlock_destroy(&lock_); }

  void lock() { pthread_rwlock_wrlock(&lock_); }
  bool try_lock() { return pthread_rwlock_trywrlock(&lock_) == 0; }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() {
    while (pthread_rwlock_rdlock(&lock_) == EAGAIN) {  // as many sharers as can be counted
    }
  }
  bool try_lock_shared() { return pthread_rwlock_tryrdlock(&lock_) == 0; }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
};

}  // namespace klip::engine
