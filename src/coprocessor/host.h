// Host: the JVM in which HBase's own code runs Java coprocessors, from klip's side. It is started on demand, and
// restarted after it has died.
//
// A region is opened in the host when an operation first uses it, and again in each new JVM. Fail closed: while the host
// is down, operations on tables with hooks fail, and may be retried. After kMostDeaths deaths within a minute it is not
// restarted until the minute is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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
#include "proto/HBase.pb.h"
#include "table/embedded_connection.h"

namespace klip::coprocessor {

struct HostOptions {
  // Class path of the JVM: jars, or directories with `/*`, separated by colons. Empty: no Java.
  std::string class_path;
  std::string java = "java";
  std::vector<std::string> jvm_options;  // after klip's own
  // of a host that was started externally, instead of a child process
  std::string socket;
  std::map<std::string, std::string> configuration;  // hbase.coprocessor.region.classes, ...
  int64_t call_timeout_ms = 60'000;                  // of a call of a hook; after it, the host is killed
};

// The cost of one hook of one class.
struct HookCost {
  std::string java_class;
  std::string hook;
  uint64_t calls = 0;
  uint64_t failures = 0;
  uint64_t nanoseconds = 0;
};

// The region as HBase's code names it.
hbase::pb::RegionInfo InfoOf(const std::string& table, const engine::Region& region);
// The caller on whose behalf this thread works, in the format of frames.
void WriteCaller(FrameWriter* out);
// The start of a call of kRegionEvent. `family`: the event's, or "".
FrameWriter BeginEvent(std::string_view hook, const OpenRegion& region, std::string_view family = {});

// A table that is closed to all operations, since one of its coprocessors cannot be loaded.
struct Unloaded {
  std::string table;
  std::string why;  // names the class or the attribute
};

// Reports to the owner of the host. Any thread makes them; they must not call the host.
struct HostListener {
  std::function<void(const Unloaded& table)> unloaded;  // once for each
  // A hook threw an Error or a RuntimeException, and hbase.coprocessor.abortonerror is true: HBase's server ends.
  std::function<void(const std::string& why)> aborted;
};

// What the host reported when it was started.
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

  // Call it before Serve.
  void Listen(HostListener listener) { listener_ = std::move(listener); }
  // Call it first. `address`: host:port of klip's own RPC, for coprocessors that are clients; empty: none.
  void Serve(table::EmbeddedConnection* connection, std::string address);
  // Ends the JVM. Calls fail from then on.
  void Stop();

  // A session during the lease's lifetime. Bound to its thread: a nested lease of the thread gets the same session, so
  // that callbacks belong to the call.
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
    Host* host_;  // null: moved from
    Session* session_;
    uint64_t generation_;
    std::unique_ptr<Session> owned_;  // null: of another lease
  };
  // Errors: kIoError.
  Expected<Lease> Take();

  // The region in the JVM of the session. Errors: also kDoNotRetry if a coprocessor of the table was not loaded: nothing
  // runs without it.
  Expected<OpenRegionPtr> Open(Lease* lease, const engine::TableView& table, const engine::Region& region);
  // Closes the table's regions that are not in `view` any more; null: all.
  void CloseRegions(const std::string& table, const engine::TableView* view);
  // Loads the coprocessors of a descriptor as a check. Errors: HBase's.
  Status Check(const TableDescriptor& table);
  // The same for a table of the store, which remains closed until its coprocessors can be loaded.
  void CheckStored(const TableDescriptor& table);
  std::vector<Unloaded> UnloadedTables();
  // Of the JVM, which is started if none runs.
  Expected<std::shared_ptr<const HostServices>> Services();
  // The regions that are open now.
  std::vector<OpenRegionPtr> OpenRegions();
  // The costs of the hooks since the JVM started. Empty if none runs; does not start one.
  Expected<std::vector<HookCost>> Costs();

  // What coprocessors call; it also has the scanners and conditions that klip lends them.
  RegionCalls& region_calls() { return region_calls_; }

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
  Expected<OpenRegionPtr> WithAllClasses(OpenRegionPtr region);
  void NoteUnloaded(const Unloaded& table);
  static void Close(Lease* lease, const OpenRegionPtr& region);
  Expected<OpenRegionPtr> RegionOf(uint64_t id);

  const HostOptions options_;
  table::EmbeddedConnection* connection_ = nullptr;
  std::string address_;
  RegionCalls region_calls_;
  HostListener listener_;

  std::mutex mutex_;
  bool stopped_ = false;  // this and all below are guarded by mutex_
  bool running_ = false;
  uint64_t generation_ = 0;                     // of the JVM that runs, or ran last
  std::unique_ptr<HostProcess> process_;        // null: none runs, or it was started externally
  std::vector<std::unique_ptr<Session>> free_;  // of generation_
  std::vector<int64_t> deaths_ms_;
  std::shared_ptr<const HostServices> services_;
  std::map<std::string, OpenRegionPtr> regions_;  // by encoded name
  std::map<std::string, std::string> unloaded_;   // table -> why
  std::vector<Background> backgrounds_;
};

}  // namespace klip::coprocessor
