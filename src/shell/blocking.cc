#include "shell/blocking.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "shell/ruby_api.h"

namespace klip::shell {
namespace {

// A thread that runs one piece of work after another. It is never destroyed: its abandoned work may still be running when
// the process ends.
struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;  // empty: idle
  bool woken = false;          // Ruby has pending interrupts
  bool abandoned = false;
};

struct Pool {
  std::mutex mutex;
  std::vector<Worker*> idle;
  int abandoned = 0;
};

Pool& ThePool() {
  static Pool* pool = new Pool;
  return *pool;
}

void GiveBack(Worker* worker, bool was_abandoned) {
  Pool& pool = ThePool();
  std::lock_guard lock(pool.mutex);
  pool.abandoned -= was_abandoned ? 1 : 0;
  pool.idle.push_back(worker);
}

void WorkForEver(Worker* worker) {
  std::unique_lock lock(worker->mutex);
  while (true) {
    worker->changed.wait(lock, [worker] { return worker->work != nullptr; });
    std::function<void()> work = worker->work;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    worker->work = nullptr;
    worker->changed.notify_all();
    if (worker->abandoned) {
      worker->abandoned = false;
      GiveBack(worker, /*was_abandoned=*/true);
    }
  }
}

Worker* TakeWorker() {
  Pool& pool = ThePool();
  {
    std::lock_guard lock(pool.mutex);
    if (!pool.idle.empty()) {
      Worker* worker = pool.idle.back();
      pool.idle.pop_back();
      return worker;
    }
  }
  auto* worker = new Worker;
  std::thread(WorkForEver, worker).detach();
  return worker;
}

// Without Ruby's lock: waits until the work is done or Ruby wakes this thread.
void* Wait(void* data) {
  auto* worker = static_cast<Worker*>(data);
  std::unique_lock lock(worker->mutex);
  worker->changed.wait(lock, [worker] { return worker->work == nullptr || worker->woken; });
  return nullptr;
}

void WakeUp(void* data) {
  auto* worker = static_cast<Worker*>(data);
  std::lock_guard lock(worker->mutex);
  worker->woken = true;
  worker->changed.notify_all();
}

VALUE CheckInterrupts(VALUE) {
  rb_thread_check_ints();
  return Qnil;
}

thread_local int pending_jump = 0;

}  // namespace

bool RunBlocking(std::function<void()> work) {
  Worker* worker = TakeWorker();
  {
    std::lock_guard lock(worker->mutex);
    worker->work = std::move(work);
    worker->woken = false;
    worker->changed.notify_all();
  }
  while (true) {
    rb_thread_call_without_gvl2(Wait, worker, WakeUp, worker);
    {
      std::lock_guard lock(worker->mutex);
      if (worker->work == nullptr) {
        break;
      }
      worker->woken = false;
    }
    int tag = 0;
    rb_protect(CheckInterrupts, Qnil, &tag);
    if (tag != 0) {
      pending_jump = tag;
      std::lock_guard lock(worker->mutex);
      if (worker->work == nullptr) {
        GiveBack(worker, /*was_abandoned=*/false);
      } else {
        worker->abandoned = true;
        std::lock_guard pool_lock(ThePool().mutex);
        ++ThePool().abandoned;
      }
      return false;
    }
  }
  GiveBack(worker, /*was_abandoned=*/false);
  return true;
}

int TakePendingJump() { return std::exchange(pending_jump, 0); }

bool AbandonedWorkIsRunning() {
  std::lock_guard lock(ThePool().mutex);
  return ThePool().abandoned > 0;
}

}  // namespace klip::shell
