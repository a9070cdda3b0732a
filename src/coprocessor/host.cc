#include "coprocessor/host.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/coprocessor_spec.h"
#include "klip/caller.h"
#include "proto/HBase.pb.h"
#include "rpc/names.h"
#include "rpc/schema_messages.h"

namespace klip::coprocessor {
namespace {

constexpr size_t kMostDeaths = 5;  // within kDeathsMs
constexpr int64_t kDeathsMs = 60'000;
constexpr int64_t kStartLimitMs = 30'000;
// Memory, and the options that HBase needs on current versions of Java.
constexpr std::array kJvmOptions = {"-XX:+UseSerialGC",
                                    "-Xmx96m",
                                    "-Djava.security.manager=allow",
                                    "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
                                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                                    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
                                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                                    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"};
constexpr std::string_view kAborted = "org.apache.hadoop.hbase.regionserver.RegionServerAbortedException";
constexpr size_t kMostFree = 64;  // idle sessions; each has a thread in the JVM

// This thread's lease: nested calls get the same session.
struct Current {
  const Host* host = nullptr;
  Session* session = nullptr;
  uint64_t generation = 0;
};
thread_local Current current;

// The region that this thread is opening or closing: its hooks may call back before it is registered, and after.
thread_local OpenRegionPtr in_transit;

class Transit {
 public:
  explicit Transit(OpenRegionPtr region) : outer_(std::exchange(in_transit, std::move(region))) {}
  ~Transit() { in_transit = std::move(outer_); }
  Transit(const Transit&) = delete;
  Transit& operator=(const Transit&) = delete;

 private:
  OpenRegionPtr outer_;
};

int64_t NowMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

bool IsAbort(const Status& status) { return status.java_class() != nullptr && *status.java_class() == kAborted; }

template <typename Set>
void ReadNames(FrameReader* frame, Set* names) {
  for (uint32_t count = frame->U32(); count > 0 && frame->status().ok(); --count) {
    names->insert(names->end(), std::string(frame->Text()));
  }
}

// Without WebAssembly modules, which HBase's code would mistake for classes.
std::string SchemaOf(TableDescriptor table) {
  for (const base::CoprocessorSpec& spec : base::CoprocessorSpecsOf(table)) {
    if (spec.is_module()) {
      table.attributes.erase(spec.attribute);
    }
  }
  hbase::pb::TableSchema schema;
  rpc::FillTableSchema(table, &schema);
  return schema.SerializeAsString();
}

OpenRegionPtr ReadRegion(FrameReader* frame, OpenRegion region) {
  region.id = frame->U64();
  std::set<std::string, std::less<>> hooks;
  ReadNames(frame, &hooks);
  for (size_t i = 0; i < kHookNames.size(); ++i) {
    region.hooks.set(i, hooks.contains(kHookNames[i]));
  }
  ReadNames(frame, &region.services);
  for (uint32_t count = frame->U32(); count > 0 && frame->status().ok(); --count) {
    std::string name(frame->Text());
    region.loaded.push_back({std::move(name), frame->U32()});
  }
  ReadNames(frame, &region.left_out);
  return std::make_shared<const OpenRegion>(std::move(region));
}

}  // namespace

hbase::pb::RegionInfo InfoOf(const std::string& table, const engine::Region& region) {
  hbase::pb::RegionInfo info;
  info.set_region_id(static_cast<uint64_t>(region.region_id));
  rpc::FillTableName(table, info.mutable_table_name());
  info.set_start_key(region.start_key);
  info.set_end_key(region.end_key);
  info.set_offline(false);
  info.set_split(false);
  info.set_replica_id(0);
  return info;
}

void WriteCaller(FrameWriter* out) {
  const Caller& caller = Caller::Current();
  out->Text(caller.user).Text(caller.address);
}

FrameWriter BeginEvent(std::string_view hook, const OpenRegion& region, std::string_view family) {
  FrameWriter call;
  WriteCaller(&call);
  call.Text(hook).U64(region.id).Text(family);
  return call;
}

Host::Lease::Lease(Host* host, Session* session, uint64_t generation, std::unique_ptr<Session> owned)
    : host_(host), session_(session), generation_(generation), owned_(std::move(owned)) {
  if (owned_ != nullptr) {
    current = {host, session, generation};
  }
}

Host::Lease::Lease(Lease&& other) noexcept
    : host_(std::exchange(other.host_, nullptr)),
      session_(other.session_),
      generation_(other.generation_),
      owned_(std::move(other.owned_)) {}

Host::Lease::~Lease() {
  if (host_ != nullptr && owned_ != nullptr) {
    current = {};
    host_->Return(std::move(owned_), generation_);
  }
}

Expected<FrameReader> Host::Lease::Call(Method method, const FrameWriter& body) {
  Expected<FrameReader> answer = session_->Call(method, body, host_->options_.call_timeout_ms);
  if (session_->broken()) {
    host_->NoteDeath(generation_);
  } else if (!answer.ok() && IsAbort(answer.status()) && host_->listener_.aborted) {
    host_->listener_.aborted(answer.status().message());
  }
  return answer;
}

void Host::Serve(table::EmbeddedConnection* connection, std::string address) {
  connection_ = connection;
  address_ = std::move(address);
  region_calls_.Use(connection);
}

Expected<Host::Lease> Host::Take() {
  if (current.host == this) {
    return Lease(this, current.session, current.generation, nullptr);
  }
  const std::lock_guard lock(mutex_);
  KLIP_RETURN_IF_ERROR(Start());
  std::unique_ptr<Session> session;
  if (free_.empty()) {
    KLIP_ASSIGN_OR_RETURN(session, Session::Connect(process_ == nullptr ? options_.socket : process_->socket(), this));
  } else {
    session = std::move(free_.back());
    free_.pop_back();
  }
  Session* const taken = session.get();
  return Lease(this, taken, generation_, std::move(session));
}

void Host::Return(std::unique_ptr<Session> session, uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (!session->broken() && running_ && generation == generation_ && free_.size() < kMostFree) {
    free_.push_back(std::move(session));
  }
}

// Starts the JVM if none runs.
Status Host::Start() {
  if (stopped_) {
    return {Code::kIoError, "the coprocessor host is stopped: this process ends"};
  }
  if (running_) {
    return Status::Ok();
  }
  std::erase_if(deaths_ms_, [now = NowMs()](int64_t died_ms) { return died_ms < now - kDeathsMs; });
  if (deaths_ms_.size() >= kMostDeaths) {
    return {Code::kIoError, "the coprocessor host died " + std::to_string(kMostDeaths) +
                                " times within a minute; tables with coprocessors can be used again in a minute"};
  }
  std::string socket = options_.socket;
  if (socket.empty()) {
    if (options_.class_path.empty()) {
      return {Code::kDoNotRetry,
              "this table has Java coprocessors, and klip was given no Java to run them: see --coprocessor-class-path"};
    }
    std::vector<std::string> command = {options_.java};
    command.insert(command.end(), kJvmOptions.begin(), kJvmOptions.end());
    command.insert(command.end(), options_.jvm_options.begin(), options_.jvm_options.end());
    command.insert(command.end(), {"-cp", options_.class_path, "klip.coprocessor.Host"});
    Expected<std::unique_ptr<HostProcess>> process = HostProcess::Start(std::move(command));
    if (!process.ok()) {
      deaths_ms_.push_back(NowMs());
      return process.status();
    }
    process_ = *std::move(process);
    socket = process_->socket();
  }
  ++generation_;
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Session> first, Session::Connect(socket, this));
  KLIP_RETURN_IF_ERROR(Introduce(first.get()));
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Session> background, Session::Connect(socket, this));
  EndBackgrounds();
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  backgrounds_.push_back({background, ended, std::thread([background, ended] {
                            constexpr int64_t kForEverMs = -1;
                            (void)background->Call(Method::kBackground, {}, kForEverMs);
                            *ended = true;
                          })});
  running_ = true;
  return Status::Ok();
}

Status Host::Introduce(Session* session) {
  FrameWriter start;
  start.Text(address_).U32(options_.configuration.size());
  for (const auto& [key, value] : options_.configuration) {
    start.Text(key).Text(value);
  }
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, session->Call(Method::kStart, start, kStartLimitMs));
  auto services = std::make_shared<HostServices>();
  ReadNames(&answer, &services->server_hooks);
  ReadNames(&answer, &services->master_hooks);
  ReadNames(&answer, &services->log_hooks);
  ReadNames(&answer, &services->server);
  ReadNames(&answer, &services->master);
  services_ = std::move(services);
  return answer.status();
}

void Host::NoteDeath(uint64_t generation) {
  std::unique_ptr<HostProcess> dead;
  {
    const std::lock_guard lock(mutex_);
    if (!running_ || generation != generation_) {
      return;
    }
    deaths_ms_.push_back(NowMs());
    Forget();
    dead = std::move(process_);
  }
  if (dead != nullptr) {
    dead->Kill();
  }
  region_calls_.CloseScans();
}

// Ends the threads whose JVM has ended.
void Host::EndBackgrounds() {
  std::erase_if(backgrounds_, [](Background& one) {
    const bool ended = *one.ended;
    if (ended) {
      one.thread.join();
    }
    return ended;
  });
}

// Drops all state of the JVM.
void Host::Forget() {
  running_ = false;
  free_.clear();
  regions_.clear();
}

void Host::Stop() {
  std::unique_ptr<HostProcess> process;
  decltype(backgrounds_) backgrounds;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    Forget();
    process = std::move(process_);
    backgrounds = std::move(backgrounds_);
  }
  for (Background& one : backgrounds) {
    one.session->Shutdown();
    one.thread.join();
  }
}

Expected<OpenRegionPtr> Host::Open(Lease* lease, const engine::TableView& table, const engine::Region& region) {
  OpenRegion open = {.generation = lease->generation(),
                     .table = table.descriptor.name,
                     .encoded_name = rpc::EncodedRegionName(table.descriptor.name, region.start_key, region.region_id),
                     .start_key = region.start_key,
                     .end_key = region.end_key,
                     .schema = SchemaOf(table.descriptor)};
  OpenRegionPtr found;
  OpenRegionPtr outdated;  // for an earlier descriptor
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = regions_.find(open.encoded_name);
        at != regions_.end() && at->second->generation == open.generation) {
      if (at->second->schema == open.schema) {
        found = at->second;
      } else {
        outdated = std::move(at->second);
        regions_.erase(at);
      }
    }
  }
  if (found != nullptr) {
    return WithAllClasses(std::move(found));
  }
  if (outdated != nullptr) {
    Close(lease, outdated);
  }
  const Transit opening(std::make_shared<const OpenRegion>(open));
  FrameWriter call;
  call.Message(InfoOf(open.table, region)).Text(open.schema);
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease->Call(Method::kOpen, call));
  const OpenRegionPtr opened = ReadRegion(&answer, std::move(open));
  KLIP_RETURN_IF_ERROR(answer.status());
  OpenRegionPtr kept = Keep(opened);
  if (kept != opened) {
    Close(lease, opened);
  }
  return WithAllClasses(std::move(kept));
}

Expected<OpenRegionPtr> Host::WithAllClasses(OpenRegionPtr region) {
  if (region->left_out.empty()) {
    return region;
  }
  NoteUnloaded({region->table, region->left_out.front()});
  return Status(Code::kDoNotRetry, "table '" + region->table +
                                       "' can be neither read nor written, because a coprocessor was not loaded: " +
                                       region->left_out.front() +
                                       ". Repair it and alter the table, or restart with --no-coprocessors");
}

void Host::NoteUnloaded(const Unloaded& table) {
  bool added = false;
  {
    const std::lock_guard lock(mutex_);
    added = unloaded_.try_emplace(table.table, table.why).second;
  }
  if (added && listener_.unloaded) {
    listener_.unloaded(table);
  }
}

// Two threads may open a region at the same time: the first instance is kept.
OpenRegionPtr Host::Keep(const OpenRegionPtr& opened) {
  const std::lock_guard lock(mutex_);
  OpenRegionPtr& kept = regions_[opened->encoded_name];
  if (kept == nullptr || kept->generation != opened->generation || kept->schema != opened->schema) {
    kept = opened;
  }
  return kept;
}

void Host::Close(Lease* lease, const OpenRegionPtr& region) {
  const Transit closing(region);
  // an exception in preClose does not keep it open
  (void)lease->Call(Method::kClose, FrameWriter().U64(region->id).U8(0));
}

void Host::CloseRegions(const std::string& table, const engine::TableView* view) {
  std::vector<OpenRegionPtr> closed;
  {
    const std::lock_guard lock(mutex_);
    unloaded_.erase(table);  // the next operation notes what is still missing
    std::erase_if(regions_, [&](const auto& entry) {
      const OpenRegionPtr& region = entry.second;
      const bool gone = region->table == table && (view == nullptr || view->RegionNamed(entry.first) == nullptr);
      if (gone) {
        closed.push_back(region);
      }
      return gone;
    });
  }
  for (const OpenRegionPtr& region : closed) {
    Expected<Lease> lease = Take();
    if (lease.ok() && lease->generation() == region->generation) {
      Close(&*lease, region);
    }
  }
}

Status Host::Check(const TableDescriptor& table) {
  KLIP_ASSIGN_OR_RETURN(Lease lease, Take());
  return lease.Call(Method::kCheck, FrameWriter().Text(SchemaOf(table))).status();
}

Expected<std::shared_ptr<const HostServices>> Host::Services() {
  const std::lock_guard lock(mutex_);
  KLIP_RETURN_IF_ERROR(Start());
  return services_;
}

void Host::CheckStored(const TableDescriptor& table) {
  if (const Status status = Check(table); !status.ok()) {
    NoteUnloaded({table.name, status.message()});
  }
}

std::vector<Unloaded> Host::UnloadedTables() {
  const std::lock_guard lock(mutex_);
  std::vector<Unloaded> tables;
  for (const auto& [table, why] : unloaded_) {
    tables.push_back({table, why});
  }
  return tables;
}

std::vector<OpenRegionPtr> Host::OpenRegions() {
  const std::lock_guard lock(mutex_);
  std::vector<OpenRegionPtr> regions;
  for (const auto& [name, region] : regions_) {
    regions.push_back(region);
  }
  return regions;
}

Expected<std::vector<HookCost>> Host::Costs() {
  std::vector<HookCost> costs;
  {
    const std::lock_guard lock(mutex_);
    if (!running_) {
      return costs;
    }
  }
  KLIP_ASSIGN_OR_RETURN(Lease lease, Take());
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease.Call(Method::kStatistics, {}));
  for (uint32_t count = answer.U32(); count > 0 && answer.status().ok(); --count) {
    HookCost& cost = costs.emplace_back();
    cost.java_class = answer.Text();
    cost.hook = answer.Text();
    cost.calls = answer.U64();
    cost.failures = answer.U64();
    cost.nanoseconds = answer.U64();
  }
  KLIP_RETURN_IF_ERROR(answer.status());
  return costs;
}

Expected<OpenRegionPtr> Host::RegionOf(uint64_t id) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, region] : regions_) {
    if (region->id == id) {
      return region;
    }
  }
  if (in_transit != nullptr) {
    return in_transit;
  }
  return Status(Code::kNotServingRegion, "region " + std::to_string(id) + " of the coprocessor host is closed");
}

Status Host::Serve(FrameReader* call, FrameWriter* answer) {
  switch (call->method()) {
    case Method::kRegionScanNext:
      return region_calls_.NextRows(call, answer);
    case Method::kRegionScanClose:
      return region_calls_.CloseScan(call);
    default:
      break;
  }
  KLIP_ASSIGN_OR_RETURN(const OpenRegionPtr region, RegionOf(call->U64()));
  switch (call->method()) {
    case Method::kRegionGet:
      return region_calls_.Get(*region, call, answer);
    case Method::kRegionScanOpen:
      return region_calls_.OpenScan(*region, call, answer);
    case Method::kRegionMutate:
      return region_calls_.Mutate(*region, call, answer);
    case Method::kRegionFlush:
      return region_calls_.Flush(*region);
    case Method::kRegionCompact:
      return region_calls_.Compact(*region, call);
    case Method::kRegionCounters:
      return region_calls_.Counters(*region, answer);
    default:
      return {Code::kUnsupported, "the coprocessor host called method " +
                                      std::to_string(static_cast<int>(call->method())) +
                                      ", which klip does not support"};
  }
}

}  // namespace klip::coprocessor
