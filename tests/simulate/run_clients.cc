#include <thread>
#include <utility>
#include <vector>

#include "crash/crash_load.h"
#include "crash/crash_log.h"
#include "crash/crash_state.h"
#include "simulate/disk.h"
#include "simulate/run.h"

namespace klip::simulate {
namespace {

using crash::Allowed;
using crash::Items;

class ClientsRun {
 public:
  explicit ClientsRun(Run* run) : run_(*run), random_(run->seed) {
    options_.sync_wal = random_.OneIn(4) ? false : true;
    options_.memtable_bytes = random_.Pick<int64_t>({64 << 10, 256 << 10, 4 << 20});
    options_.block_cache_bytes = 1 << 20;
  }

  std::string Make() {
    const int64_t lives = random_.Between(2, 4);
    for (int64_t life = 0; life < lives; ++life) {
      if (std::string wrong = Live(); !wrong.empty()) {
        return wrong;
      }
      // Recoveries that are cut short, too.
      while (random_.OneIn(3)) {
        const Trouble trouble = Begin(60);
        if (std::string wrong = Recover(); !wrong.empty()) {
          return wrong;
        }
        EndTrouble(trouble, &random_, &run_);
      }
      if (std::string wrong = Check(); !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

 private:
  Trouble Begin(int64_t most_calls) { return MakeTrouble(&run_, &random_, most_calls, options_.sync_wal); }

  Expected<std::unique_ptr<Connection>> Open() {
    return Connection::Open("klip:" + run_.directory + "/store", options_);
  }

  // Opens the store, under any faults.
  std::string Recover() {
    const Expected<std::unique_ptr<Connection>> opened = Open();
    run_.log += "opened: " + opened.status().ToString() + "\n";
    return opened.ok() || MayFail() ? "" : "the store does not open: " + opened.status().ToString();
  }

  std::string Live() {
    const Trouble trouble = Begin(random_.OneIn(2) ? 600 : 120);
    std::string said;
    {
      Expected<std::unique_ptr<Connection>> opened = Open();
      Status status = opened.status();
      if (status.ok()) {
        status = crash::CreateTables(opened->get());
      }
      if (!status.ok() && !MayFail()) {
        return "the store does not open: " + status.ToString();
      }
      if (status.ok()) {
        said = Load(opened->get());
      }
    }
    allowed_ = crash::AfterLog(items_, said);
    run_.log += said;
    run_.operations += static_cast<int64_t>(allowed_.acknowledged);
    if (!allowed_.error.empty() && (!MayFail() || allowed_.error.find("Corruption") != std::string::npos)) {
      return "a write failed: " + allowed_.error;
    }
    EndTrouble(trouble, &random_, &run_);
    return "";
  }

  std::string Load(Connection* connection) {
    std::string said;
    const crash::Listener listener = [&said](const std::string& line) {
      // A machine without power answers nobody, and does nothing.
      if (!Disk::The().is_off() || line[0] == 'E') {
        said += line + "\n";
      }
    };
    const auto steps = static_cast<int>(random_.Between(5, 60));
    const uint64_t seed = random_.Bits();
    std::vector<std::thread> threads;
    for (int i = 0; i <= crash::kThreads; ++i) {
      threads.emplace_back(
          [&, i] { crash::RunLoad(connection, i, seed + static_cast<uint64_t>(i), steps, items_, listener); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    return said;
  }

  std::string Check() {
    const Expected<std::unique_ptr<Connection>> opened = Open();
    if (!opened.ok()) {
      return "the store does not open: " + opened.status().ToString();
    }
    if (const Status made = crash::CreateTables(opened->get()); !made.ok()) {
      return "tables cannot be made: " + made.ToString();
    }
    Expected<Items> found = crash::ReadItems(opened->get());
    if (!found.ok()) {
      return "reading after the recovery: " + found.status().ToString();
    }
    std::string wrong = crash::Compare(items_, *found, allowed_);
    items_ = *std::move(found);
    return wrong;
  }

  Run& run_;
  ops::Random random_;
  ConnectionOptions options_;
  Items items_;
  Allowed allowed_;
};

}  // namespace

std::string RunClients(Run* run) { return ClientsRun(run).Make(); }

}  // namespace klip::simulate
