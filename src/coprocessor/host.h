// Host: the JVM in which HBase's own code runs Java coprocessors, as klip sees it: started when it is first needed, and again
// after it has died.
//
// A region is opened in the host when an operation first touches it, and again in each JVM that follows. Fail closed: while the
// host is away, operations of tables with hooks fail, and may be tried again. After kMostDeaths deaths within a minute it stays
// away until the minute is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "coprocessor/hook_mask.h"
#include "coprocessor/host_process.h"
#include "coprocessor/open_region.h"
#include "coprocessor/region_calls.h"
#include "coprocessor/session.h"
#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"
#include "table/embedded_connection.h"

namespace klip::coprocessor {

struct HostOptions {
  // Of the JVM: jars, or directories with `/*`, separated by colons. Empty: there is no Java.
  std::string class_path;
  std::string java = "java";
  std::vector<std::string> jvm_options;              // behind klip's own
  std::string socket;                                // of a host that somebody else has started, in place of a child
  std::map<std::string, std::string> configuration;  // hbase.coprocessor.region.classes, ...
  int64_t call_timeout_ms = 60'000;                  // of a call of a hook; then the host is killed
};

// What one hook of one class has cost.
struct HookCost {
  std::string java_class;
  std::string hook;
  uint64_t calls = 0;
  uint64_t failures = 0;
  uint64_t nanoseconds = 0;
};

// Who has made the call that this thread works for, as frames carry it.
void WriteCaller(FrameWriter* out);
// The begin of a call of kRegionEvent. `family`: the event's, or "".
FrameWriter BeginEvent(std::string_view hook, const OpenRegion& region, std::string_view family = {});

// What the host said when it was started.
struct HostServices {
  std::set<std::string, std::less<>> server;
  std::set<std::string, std::less<>> master;
  std::set<std::string, std::less<>> server_hooks;
  std::set<std::string, std::less<>> master_hooks;
  std::set<std::string, std::less<>> log_hooks;
};

class Host final : public Callbacks {
 public:
  explicit Host(HostOptions options) : options_(std::move(options)) {}
  ~Host() override { Stop(); }

  // Before any call. `address`: host:port of klip's own RPC, for coprocessors that are clients; empty: none.
  void Serve(table::EmbeddedConnection* connection, std::string address);
  // Ends the JVM. Calls fail from now on.
  void Stop();

  // A session while it lives. Bound to its thread, which gets the same session when it asks for another one meanwhile: what is
  // called back belongs to the call.
  class Lease {
   public:
    Lease(Host* host, Session* session, uint64_t generation, std::unique_ptr<Session> owned);
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    Expected<FrameReader> Call(Method method, const FrameWriter& body);
    void Send(Method method, const FrameWriter& body) { (void)session_->Send(method, body); }
    uint64_t generation() const { return generation_; }

   private:
    Host* host_;  // null: moved away
    Session* session_;
    uint64_t generation_;
    std::unique_ptr<Session> owned_;  // null: of another lease
  };
  // Errors: kIoError.
  Expected<Lease> Take();

  // The region in the JVM of the session.
  Expected<OpenRegionPtr> Open(Lease* lease, const engine::TableView& table, const engine::Region& region);
  // Closes those of the table that are none of `view` any more; null: all.
  void CloseRegions(const std::string& table, const engine::TableView* view);
  // Loads the coprocessors of a descriptor, to see whether that works. Errors: HBase's.
  Status Check(const TableDescriptor& table);
  // Of the JVM, which is started if none runs.
  Expected<HostServices> Services();
  // Those that are open now.
  std::vector<OpenRegionPtr> OpenRegions();
  // What the hooks have cost since the JVM started. None when none runs; it is not started.
  Expected<std::vector<HookCost>> Costs();

  // A scanner that the host may read by the number, until it is removed.
  uint32_t AddScanner(std::shared_ptr<ResultScanner> rows) { return region_calls_.AddScanner(std::move(rows)); }
  void RemoveScanner(uint32_t number) { region_calls_.RemoveScanner(number); }

  const HostOptions& options() const { return options_; }
  table::EmbeddedConnection* connection() const { return connection_; }

  Status Serve(FrameReader* call, FrameWriter* answer) override;

 private:
  // Serves the coprocessors' own threads of one JVM.
  struct Background {
    std::shared_ptr<Session> session;
    std::shared_ptr<std::atomic<bool>> ended;
    std::thread thread;
  };

  // All REQUIRE: mutex_ is held.
  Status Start();
  void EndBackgrounds();
  Status Introduce(Session* session);
  void Forget();

  void Return(std::unique_ptr<Session> session, uint64_t generation);
  void NoteDeath(uint64_t generation);
  OpenRegionPtr Keep(const OpenRegionPtr& opened);
  static void Close(Lease* lease, const OpenRegionPtr& region);
  Expected<OpenRegionPtr> RegionOf(uint64_t id);

  const HostOptions options_;
  table::EmbeddedConnection* connection_ = nullptr;
  std::string address_;
  RegionCalls region_calls_;

  std::mutex mutex_;
  bool stopped_ = false;  // this and all below are guarded by mutex_
  bool running_ = false;
  uint64_t generation_ = 0;                     // of the JVM that runs, or ran last
  std::unique_ptr<HostProcess> process_;        // null: none runs, or somebody else's does
  std::vector<std::unique_ptr<Session>> free_;  // of generation_
  std::vector<int64_t> deaths_ms_;
  HostServices services_;
  std::map<std::string, OpenRegionPtr> regions_;  // by encoded name
  std::vector<Background> backgrounds_;
};

}  // namespace klip::coprocessor
