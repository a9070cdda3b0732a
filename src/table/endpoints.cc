// Calls endpoints of the program and of WebAssembly modules.
#include <algorithm>

#include "table/coprocessor_context.h"
#include "table/embedded_table.h"
#include "table/observers.h"
#include "wasm/observer.h"

namespace klip::table {
namespace {

class EndpointContextOf final : public ContextOf<EndpointContext> {
 public:
  EndpointContextOf(const Attached& attached, const TableDescriptor& table, const engine::Region& region)
      : ContextOf(attached, table, /*locked=*/false), region_(region) {}

  const std::string& start_key() const override { return region_.start_key; }
  const std::string& end_key() const override { return region_.end_key; }

 private:
  const engine::Region& region_;
};

// The same of a WebAssembly module.
Expected<std::optional<std::string>> CallModuleOf(const Attached& attached, const TableDescriptor& table,
                                                  EndpointContext* context, const EndpointRequest& call) {
  if (attached.modules == nullptr) {
    return std::optional<std::string>();
  }
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<wasm::Module> module, attached.modules->EndpointOf(table, call.service));
  if (module == nullptr) {
    return std::optional<std::string>();
  }
  KLIP_ASSIGN_OR_RETURN(std::string answer, wasm::CallModule(module.get(), *context, call.method, call.request));
  return std::optional<std::string>(std::move(answer));
}

}  // namespace

Expected<std::optional<std::string>> CallEndpoint(const Attached& attached, const engine::TableView& table,
                                                  const engine::Region& region, const EndpointRequest& call) {
  const auto found = std::ranges::find_if(attached.endpoints, [&](const EndpointRegistration& one) {
    return one.service == call.service && one.tables(table.descriptor);
  });
  EndpointContextOf context(attached, table.descriptor, region);
  if (found == attached.endpoints.end()) {
    return CallModuleOf(attached, table.descriptor, &context, call);
  }
  KLIP_ASSIGN_OR_RETURN(std::string answer, found->endpoint->Call(context, call.method, call.request));
  return std::optional<std::string>(std::move(answer));
}

Expected<std::vector<EndpointAnswer>> EmbeddedTable::CallEndpoint(const EndpointRequest& call) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  KLIP_RETURN_IF_ERROR(info->CheckEnabled());
  std::vector<EndpointAnswer> answers;
  for (const engine::Region& region : *info->view->regions) {
    const bool before = !region.end_key.empty() && region.end_key <= call.start_row;
    const bool behind = !call.stop_row.empty() && region.start_key > call.stop_row;
    if (before || behind) {
      continue;
    }
    KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
    KLIP_ASSIGN_OR_RETURN(std::optional<std::string> answer,
                          table::CallEndpoint(*shared_->settings.attached, *info->view, region, call));
    if (!answer.has_value()) {
      return Status(Code::kUnsupported,
                    "No registered coprocessor service found for " + call.service + " in table '" + name() + "'");
    }
    answers.push_back({region.start_key, *std::move(answer)});
  }
  return answers;
}

}  // namespace klip::table
