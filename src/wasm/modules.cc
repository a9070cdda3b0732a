#include "wasm/modules.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "wasm/observer.h"

namespace klip::wasm {
namespace {

constexpr int64_t kMostMemoryMb = 2'048;
constexpr int64_t kMostDeadlineMs = 60'000;

// Parses a whole number that is 0 or at least `least`.
bool ParseNumber(std::string_view text, int64_t least, int64_t most, int64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && *number >= least && *number <= most;
}

std::map<std::string, std::string, std::less<>> SettingsOf(std::string_view text) {
  std::map<std::string, std::string, std::less<>> settings;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const size_t equals = one.find('=');
    if (equals != std::string_view::npos) {
      settings.insert_or_assign(std::string(one.substr(0, equals)), std::string(one.substr(equals + 1)));
    }
  }
  return settings;
}

// The key of a table's specification.
std::string KeyOf(const base::CoprocessorSpec& spec) {
  return spec.attribute + "|" + spec.path + "|" + spec.name + "|" + spec.priority + "|" + spec.arguments;
}

std::vector<base::CoprocessorSpec> ModuleSpecsOf(const TableDescriptor& table) {
  std::vector<base::CoprocessorSpec> specs = base::CoprocessorSpecsOf(table);
  std::erase_if(specs, [](const base::CoprocessorSpec& one) { return !one.is_module(); });
  return specs;
}

}  // namespace

Expected<ModuleSpec> ParseModuleSpec(const std::string& table, const base::CoprocessorSpec& text) {
  const auto wrong = [&](const std::string& why) {
    return Status(Code::kInvalidArgument, "attribute " + text.attribute + " of table " + table + ": " + why);
  };
  ModuleSpec spec = {.table = table, .path = text.path, .name = text.name, .settings = SettingsOf(text.arguments)};
  if (spec.name.empty()) {
    return wrong("a module needs a name: file:///DIRECTORY/FILE.wasm|NAME|PRIORITY|KEY=VALUE,...");
  }
  int64_t number = 0;
  if (!text.priority.empty()) {
    if (!ParseNumber(text.priority, 0, std::numeric_limits<int32_t>::max(), &number)) {
      return wrong("'" + text.priority + "' is not a priority (a number, at least 0)");
    }
    spec.priority = static_cast<int32_t>(number);
  }
  if (const auto found = spec.settings.find("klip.memory"); found != spec.settings.end()) {
    if (!ParseNumber(found->second, 1, kMostMemoryMb, &number)) {
      return wrong("klip.memory=" + found->second + " is not a number of MB from 1 to 2048");
    }
    spec.memory_bytes = number << 20;
  }
  if (const auto found = spec.settings.find("klip.deadline"); found != spec.settings.end()) {
    if (!ParseNumber(found->second, 1, kMostDeadlineMs, &number)) {
      return wrong("klip.deadline=" + found->second + " is not a number of milliseconds from 1 to 60000");
    }
    spec.deadline_ms = number;
  }
  return spec;
}

Expected<std::shared_ptr<Runtime>> Modules::LoadRuntime() {
  const std::lock_guard lock(mutex_);
  if (runtime_ == nullptr) {
    KLIP_ASSIGN_OR_RETURN(runtime_, Runtime::Load(runtime_path_));
  }
  return runtime_;
}

Expected<std::shared_ptr<Module>> Modules::Load(const std::string& table, const base::CoprocessorSpec& text) {
  KLIP_ASSIGN_OR_RETURN(ModuleSpec spec, ParseModuleSpec(table, text));
  std::error_code error;
  const std::string file = spec.path.starts_with("file:") ? spec.path.substr(5) : spec.path;
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(file, error);
  const std::pair<std::string, std::string> key(table, KeyOf(text));
  {
    const std::lock_guard lock(mutex_);
    // If its file was removed, the loaded module stays.
    if (const auto found = modules_.find(key); found != modules_.end() && (error || found->second.written == written)) {
      return found->second.module;
    }
  }
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Runtime> runtime, LoadRuntime());
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Module> module, Module::Load(std::move(runtime), std::move(spec)));
  const std::lock_guard lock(mutex_);
  modules_[key] = {written, module};
  return module;
}

void Modules::ForgetOthers(const std::string& table, const std::vector<base::CoprocessorSpec>& specs) {
  std::set<std::string> kept;
  for (const base::CoprocessorSpec& spec : specs) {
    kept.insert(KeyOf(spec));
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(modules_,
                [&](const auto& one) { return one.first.first == table && !kept.contains(one.first.second); });
}

Status Modules::Check(const TableDescriptor& table) {
  for (const base::CoprocessorSpec& text : ModuleSpecsOf(table)) {
    KLIP_ASSIGN_OR_RETURN(ModuleSpec spec, ParseModuleSpec(table.name, text));
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Runtime> runtime, LoadRuntime());
    KLIP_RETURN_IF_ERROR(Module::Load(std::move(runtime), std::move(spec)).status());
  }
  return Status::Ok();
}

std::vector<ObserverRegistration> Modules::ObserversOf(const TableDescriptor& table) {
  const std::vector<base::CoprocessorSpec> specs = ModuleSpecsOf(table);
  std::vector<ObserverRegistration> observers;
  {
    const std::lock_guard lock(mutex_);
    not_loaded_.erase(table.name);
  }
  for (const base::CoprocessorSpec& text : specs) {
    const Expected<std::shared_ptr<Module>> module = Load(table.name, text);
    if (!module.ok()) {
      {
        const std::lock_guard lock(mutex_);
        not_loaded_.try_emplace(table.name, module.status().message());
      }
      observers.push_back({.tables = nullptr,
                           .observer = MakeRefusingObserver({Code::kDoNotRetry, module.status().message()}),
                           .priority = kPriorityHighest});
    } else if ((*module)->observes()) {
      observers.push_back(
          {.tables = nullptr, .observer = MakeObserver(*module), .priority = (*module)->spec().priority});
    }
  }
  ForgetOthers(table.name, specs);
  return observers;
}

Expected<std::shared_ptr<Module>> Modules::EndpointOf(const TableDescriptor& table, std::string_view service) {
  for (const base::CoprocessorSpec& text : ModuleSpecsOf(table)) {
    if (text.name == service) {
      KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Module> module, Load(table.name, text));
      if (module->Has(Hook::kCall)) {
        return module;
      }
    }
  }
  return std::shared_ptr<Module>();
}

std::vector<std::shared_ptr<Module>> Modules::All() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Module>> all;
  for (const auto& [key, entry] : modules_) {
    all.push_back(entry.module);
  }
  return all;
}

std::map<std::string, std::string> Modules::NotLoaded() {
  const std::lock_guard lock(mutex_);
  return not_loaded_;
}

std::vector<HookCost> Modules::Costs() {
  std::vector<HookCost> costs;
  for (const std::shared_ptr<Module>& module : All()) {
    module->AddCosts(&costs);
  }
  return costs;
}

std::vector<ModuleMetric> Modules::Metrics() {
  std::vector<ModuleMetric> metrics;
  for (const std::shared_ptr<Module>& module : All()) {
    for (const auto& [name, value] : module->Counted()) {
      metrics.push_back({module->spec().table, module->spec().name, name, value});
    }
  }
  return metrics;
}

std::vector<std::string> Modules::Loaded() {
  std::set<std::string> names;
  for (const std::shared_ptr<Module>& module : All()) {
    names.insert(module->spec().name);
  }
  return {names.begin(), names.end()};
}

}  // namespace klip::wasm
