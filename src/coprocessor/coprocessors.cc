#include "coprocessor/coprocessors.h"

#include <utility>

#include "coprocessor/java_hooks.h"
#include "engine/store/views.h"
#include "table/info/java_classes.h"

namespace klip::coprocessor {

Coprocessors::Coprocessors(HostOptions options, bool off)
    : off_(off),
      on_all_tables_(table::NamesRegionClasses(options.configuration)),
      on_servers_(!off && table::NamesServerClasses(options.configuration)),
      host_(std::move(options)) {}

Coprocessors::~Coprocessors() { Stop(); }

bool Coprocessors::Has(const TableDescriptor& table) const {
  return !off_ && (on_all_tables_ || !table::JavaClassesOf(table).empty());
}

table::StoreExtensions Coprocessors::ForStore() {
  return {.hooks = [this](const TableDescriptor& table) -> table::HookChainPtr {
            return Has(table)
                       ? std::make_shared<const table::HookChain>(table::HookChain{std::make_shared<JavaHooks>(&host_)})
                       : nullptr;
          },
          .storage_hooks = &store_hooks_,
          .admin_hooks = on_servers_ ? &master_hooks_ : nullptr,
          .check_table = [this](const TableDescriptor& table) { return Check(table); }};
}

Status Coprocessors::Check(const TableDescriptor& table) {
  return off_ || table::JavaClassesOf(table).empty() ? Status::Ok() : host_.Check(table);
}

Status Coprocessors::Serve(table::EmbeddedConnection* connection, std::string address) {
  connection_ = connection;
  host_.Serve(connection, std::move(address));
  watch_ = connection->store().views().WatchTables([this](const std::string& table) {
    const Expected<engine::TablePtr> view = connection_->store().views().GetTable(table);
    host_.CloseRegions(table, view.ok() && (*view)->enabled ? view->get() : nullptr);
  });
  return on_servers_ ? host_.Services().status() : Status::Ok();
}

void Coprocessors::Stop() {
  if (connection_ != nullptr) {
    connection_->store().views().Unwatch(watch_);
    connection_ = nullptr;
  }
  host_.Stop();
}

Expected<std::optional<ServiceAnswer>> Coprocessors::CallRegion(const engine::TablePtr& table,
                                                                const engine::Region& region,
                                                                const hbase::pb::CoprocessorServiceCall& call) {
  if (!Has(table->descriptor)) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  KLIP_ASSIGN_OR_RETURN(const OpenRegionPtr open, host_.Open(&lease, *table, region));
  if (!open->services.contains(call.service_name())) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(ServiceAnswer answer, Call(Target::kRegion, &lease, open->id, call));
  return std::optional<ServiceAnswer>(std::move(answer));
}

Status Coprocessors::CallHook(std::string_view hook, const engine::TablePtr& table, const engine::Region& region) {
  if (!Has(table->descriptor)) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  KLIP_ASSIGN_OR_RETURN(const OpenRegionPtr open, host_.Open(&lease, *table, region));
  return (open->hooks & HooksOf(hook)).any() ? lease.Call(Method::kRegionEvent, BeginEvent(hook, *open)).status()
                                             : Status::Ok();
}

Expected<std::optional<ServiceAnswer>> Coprocessors::CallServer(Target target,
                                                                const hbase::pb::CoprocessorServiceCall& call) {
  if (!on_servers_) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(const HostServices services, host_.Services());
  if (!(target == Target::kMaster ? services.master : services.server).contains(call.service_name())) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  KLIP_ASSIGN_OR_RETURN(ServiceAnswer answer, Call(target, &lease, 0, call));
  return std::optional<ServiceAnswer>(std::move(answer));
}

Expected<ServiceAnswer> Coprocessors::Call(Target target, Host::Lease* lease, uint64_t region,
                                           const hbase::pb::CoprocessorServiceCall& call) {
  const Caller& caller = Caller::Current();
  FrameWriter body;
  body.U8(static_cast<uint8_t>(target)).Text(caller.user).Text(caller.address).U64(region).Message(call);
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease->Call(Method::kService, body));
  ServiceAnswer result;
  result.java_class = answer.Text();
  result.bytes = answer.Text();
  KLIP_RETURN_IF_ERROR(answer.status());
  return result;
}

}  // namespace klip::coprocessor
