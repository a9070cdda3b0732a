#include "coprocessor/store_hooks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/read/observed_rewrite.h"
#include "engine/store/storage.h"
#include "messages/decode.h"

namespace klip::coprocessor {
namespace {

using model::FamilyPolicy;

constexpr uint32_t kMostStoreBytes = 1 << 20;  // per frame

const HookMask kFlushes = HooksOf("preFlushScannerOpen", "preFlush");
const HookMask kCompactions = HooksOf("preCompactScannerOpen", "preCompact");
const HookMask kReads = HooksOf("preStoreScannerOpen");

// Calls the hooks of one family of a region one by one.
class StoreEvents {
 public:
  StoreEvents(Host::Lease* lease, const OpenRegion& region, const engine::Family& family)
      : lease_(lease), region_(region), family_(family) {}

  bool Has(std::string_view hook) const { return (region_.hooks & HooksOf(hook)).any(); }

  // Does nothing if no class overrides the hook.
  Status Call(std::string_view hook, bool major = false) const {
    if (!Has(hook)) {
      return Status::Ok();
    }
    return lease_->Call(Method::kRegionEvent, Begin(hook).U8(major ? 1 : 0)).status();
  }

  // The options returned by a hook named ...ScannerOpen.
  Expected<FamilyPolicy> Options(std::string_view hook, bool major = false) const {
    FamilyPolicy policy = FamilyPolicy::From(family_.descriptor);
    if (!Has(hook)) {
      return policy;
    }
    KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease_->Call(Method::kRegionEvent, Begin(hook).U8(major ? 1 : 0)));
    policy.ttl_ms = static_cast<int64_t>(answer.U64());
    policy.max_versions = static_cast<int32_t>(answer.U32());
    policy.min_versions = static_cast<int32_t>(answer.U32());
    constexpr KeepDeletedCells kKinds[] = {KeepDeletedCells::kFalse, KeepDeletedCells::kTrue, KeepDeletedCells::kTtl};
    policy.keep_deleted_cells = kKinds[std::min<uint8_t>(answer.U8(), 2)];
    KLIP_RETURN_IF_ERROR(answer.status());
    return policy;
  }

  // The number of the scanner that the hook has wrapped around klip's, which is `source`; 0: none.
  Expected<uint32_t> Wrap(std::string_view hook, bool major, uint32_t source) const {
    KLIP_ASSIGN_OR_RETURN(FrameReader answer,
                          lease_->Call(Method::kRegionEvent, Begin(hook).U8(major ? 1 : 0).U32(source)));
    const uint32_t scanner = answer.U32();
    KLIP_RETURN_IF_ERROR(answer.status());
    return scanner;
  }

 private:
  FrameWriter Begin(std::string_view hook) const { return BeginEvent(hook, region_, family_.descriptor.name); }

  Host::Lease* const lease_;
  const OpenRegion& region_;
  const engine::Family& family_;
};

// Keeps what either policy keeps.
FamilyPolicy KeepBoth(const FamilyPolicy& a, const FamilyPolicy& b) {
  FamilyPolicy both = a;
  both.max_versions = std::max(a.max_versions, b.max_versions);
  both.min_versions = std::max(a.min_versions, b.min_versions);
  both.ttl_ms = std::max(a.ttl_ms, b.ttl_ms);
  if (a.keep_deleted_cells != b.keep_deleted_cells) {
    both.keep_deleted_cells = KeepDeletedCells::kTrue;
  }
  return both;
}

// The cells of a rewrite, which the host reads.
class RewriteSource final : public ResultScanner {
 public:
  explicit RewriteSource(engine::ObservedRewrite* rewrite) : rewrite_(rewrite) {}
  Expected<bool> Next(Result* result) override { return rewrite_->Next(result); }
  ScanStatistics statistics() const override { return {}; }
  Explain explain() const override { return {}; }

 private:
  engine::ObservedRewrite* const rewrite_;
};

// Writes all that a wrapped scanner returns, and closes it.
Status Drain(Host::Lease* lease, uint32_t scanner, engine::ObservedRewrite* rewrite) {
  bool more = true;
  while (more) {
    KLIP_ASSIGN_OR_RETURN(FrameReader answer,
                          lease->Call(Method::kStoreNext, FrameWriter().U32(scanner).U32(kMostStoreBytes)));
    more = answer.U8() != 0;
    Result cells;
    KLIP_RETURN_IF_ERROR(messages::TakeCells(answer.cells(), answer.U32(), &cells));
    KLIP_RETURN_IF_ERROR(answer.status());
    for (const Cell& cell : cells) {
      KLIP_RETURN_IF_ERROR(rewrite->Keep(cell));
    }
  }
  return rewrite->Finish();
}

// Calls a hook that may wrap a scanner, and writes the scanner's cells. False: it did not wrap it.
Expected<bool> Rewrite(Host* host, Host::Lease* lease, const StoreEvents& events, std::string_view hook,
                       const engine::ObservedRewrite::Rows& rows, const FamilyPolicy& policy) {
  engine::ObservedRewrite rewrite(&host->connection()->store(), rows, policy);
  const uint32_t source = host->region_calls().AddScanner(std::make_shared<RewriteSource>(&rewrite));
  const Expected<uint32_t> scanner = events.Wrap(hook, !rows.only_memory, source);
  Status done = scanner.status();
  if (scanner.ok() && *scanner != 0) {
    done = Drain(lease, *scanner, &rewrite);
    (void)lease->Call(Method::kStoreClose, FrameWriter().U32(*scanner));
  }
  host->region_calls().RemoveScanner(source);
  KLIP_RETURN_IF_ERROR(done);
  return *scanner != 0;
}

// Whether klip can write what a scanner returns: entries of indexes and the order of writes would not be updated.
bool CanRewrite(const engine::TableView& table, const engine::Family& family) {
  return table.indexes.empty() && !family.descriptor.new_version_behavior;
}

// Sets the options with which reads see a family. They are requested when a region is opened; HBase requests them for
// each read.
Status SetReadPolicy(Host::Lease* lease, const OpenTable& table, const engine::Family& family) {
  std::optional<FamilyPolicy> all;
  for (const OpenRegionPtr& region : table.regions) {
    KLIP_ASSIGN_OR_RETURN(const FamilyPolicy one, StoreEvents(lease, *region, family).Options("preStoreScannerOpen"));
    all = all.has_value() ? KeepBoth(*all, one) : one;
  }
  const bool otherwise = all.has_value() && *all != FamilyPolicy::From(family.descriptor);
  if (otherwise) {
    family.state->read_policy = std::make_shared<const FamilyPolicy>(*all);
  }
  family.state->reads_otherwise = otherwise;
  return Status::Ok();
}

}  // namespace

Expected<OpenTablePtr> OpenRegions(Host* host, Host::Lease* lease, const engine::TablePtr& view) {
  OpenTable fresh = {.view = view, .generation = lease->generation()};
  for (const engine::Region& region : *view->regions) {
    KLIP_ASSIGN_OR_RETURN(OpenRegionPtr opened, host->Open(lease, *view, region));
    fresh.hooks |= opened->hooks;
    fresh.regions.push_back(std::move(opened));
  }
  for (const engine::Family& family : view->families) {
    if ((fresh.hooks & kReads).any() || family.state->reads_otherwise) {
      KLIP_RETURN_IF_ERROR(SetReadPolicy(lease, fresh, family));
    }
    if ((fresh.hooks & (kFlushes | kCompactions)).none()) {
      family.state->released_view = view->number;
    }
  }
  return std::make_shared<const OpenTable>(std::move(fresh));
}

Status StoreHooks::AroundFlush(const engine::TablePtr& table, std::span<const engine::Family> families,
                               const std::function<Status()>& run) {
  static const HookMask kAll = kFlushes | HooksOf("postFlush");
  if (!has_(table->descriptor)) {
    return run();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  KLIP_ASSIGN_OR_RETURN(const OpenTablePtr open, OpenRegions(host_, &lease, table));
  if ((open->hooks & kAll).none()) {
    return run();
  }
  const auto of_region = [&](std::string_view hook) -> Status {
    for (const OpenRegionPtr& region : open->regions) {
      KLIP_RETURN_IF_ERROR(StoreEvents(&lease, *region, {}).Call(hook));
    }
    return Status::Ok();
  };
  const auto of_stores = [&](const auto& call) -> Status {
    for (const engine::Family& family : families) {
      for (const OpenRegionPtr& region : open->regions) {
        if (table->Find(family.descriptor.name) != nullptr) {
          KLIP_RETURN_IF_ERROR(call(StoreEvents(&lease, *region, family), *region, family));
        }
      }
    }
    return Status::Ok();
  };
  KLIP_RETURN_IF_ERROR(of_region("preFlush"));
  KLIP_RETURN_IF_ERROR(
      of_stores([&](const StoreEvents& events, const OpenRegion& region, const engine::Family& family) -> Status {
        KLIP_ASSIGN_OR_RETURN(const FamilyPolicy policy, events.Options("preFlushScannerOpen"));
        if (!events.Has("preFlush") || !CanRewrite(*table, family)) {
          return events.Call("preFlush");
        }
        return Rewrite(host_, &lease, events, "preFlush",
                       {table.get(), &family, region.start_key, region.end_key, /*only_memory=*/true}, policy)
            .status();
      }));
  KLIP_RETURN_IF_ERROR(run());
  KLIP_RETURN_IF_ERROR(of_stores(
      [](const StoreEvents& events, const OpenRegion&, const engine::Family&) { return events.Call("postFlush"); }));
  return of_region("postFlush");
}

Status StoreHooks::AroundCompaction(const engine::TablePtr& table, const engine::Family& family, bool major,
                                    const std::function<Status(const FamilyPolicy* policy)>& run) {
  const FamilyPolicy own = FamilyPolicy::From(family.descriptor);
  if (!has_(table->descriptor) || table->Find(family.descriptor.name) == nullptr) {
    return run(&own);
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  KLIP_ASSIGN_OR_RETURN(const OpenTablePtr open, OpenRegions(host_, &lease, table));
  const bool rewrites = (open->hooks & HooksOf("preCompact")).any();
  if (rewrites) {
    KLIP_RETURN_IF_ERROR(host_->connection()->store().storage().FlushFamilies({&family, 1}));
  }
  std::optional<FamilyPolicy> policy;
  bool keeps_all = rewrites && !CanRewrite(*table, family);
  for (const OpenRegionPtr& region : open->regions) {
    const StoreEvents events(&lease, *region, family);
    KLIP_RETURN_IF_ERROR(events.Call("preCompactSelection"));
    KLIP_RETURN_IF_ERROR(events.Call("postCompactSelection", major));
    KLIP_ASSIGN_OR_RETURN(const FamilyPolicy one, events.Options("preCompactScannerOpen", major || rewrites));
    policy = policy.has_value() ? KeepBoth(*policy, one) : one;
    if (!rewrites || !CanRewrite(*table, family)) {
      KLIP_RETURN_IF_ERROR(events.Call("preCompact", major));
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const bool wrapped, Rewrite(host_, &lease, events, "preCompact",
                                                      {table.get(), &family, region->start_key, region->end_key}, one));
    keeps_all |= wrapped;
  }
  if (keeps_all) {  // what the scanners did not return was removed
    KLIP_RETURN_IF_ERROR(host_->connection()->store().storage().FlushFamilies({&family, 1}));
  }
  KLIP_RETURN_IF_ERROR(run(keeps_all || !policy.has_value() ? nullptr : &*policy));
  for (const OpenRegionPtr& region : open->regions) {
    KLIP_RETURN_IF_ERROR(StoreEvents(&lease, *region, family).Call("postCompact", major));
  }
  return Status::Ok();
}

}  // namespace klip::coprocessor
