#include "copy/tables.h"

#include <algorithm>
#include <string>

#include "klip/bytes.h"

namespace klip::copy {

Status FitDescriptor(const CopyOptions& options, TableDescriptor* descriptor) {
  for (const std::string& family : options.families) {
    if (descriptor->Find(family) == nullptr) {
      return {Code::kNoSuchColumnFamily,
              "table '" + descriptor->name + "' has no column family '" + ToStringBinary(family) + "'"};
    }
  }
  if (!options.families.empty()) {
    std::erase_if(descriptor->families, [&](const FamilyDescriptor& family) {
      return std::ranges::find(options.families, family.name) == options.families.end();
    });
  }
  if (!options.compression.empty()) {
    for (FamilyDescriptor& family : descriptor->families) {
      family.compression = options.compression;
    }
  }
  return Status::Ok();
}

std::vector<std::string> SplitKeysOf(const std::vector<RegionInfo>& regions) {
  std::vector<std::string> keys;
  for (const RegionInfo& region : regions) {
    if (!region.start_key.empty()) {
      keys.push_back(region.start_key);
    }
  }
  return keys;
}

Expected<bool> NeedsTable(Connection& target, std::string_view table, const TableDescriptor& descriptor) {
  KLIP_ASSIGN_OR_RETURN(const bool exists, target.admin().TableExists(table));
  if (!exists) {
    return true;
  }
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor there, target.admin().GetDescriptor(table));
  for (const FamilyDescriptor& family : descriptor.families) {
    if (there.Find(family.name) == nullptr) {
      return Status(Code::kNoSuchColumnFamily,
                    "the target table '" + there.name + "' has no column family '" + ToStringBinary(family.name) + "'");
    }
  }
  return false;
}

namespace {

Status MakeTable(Connection& target, const CopyPlan& plan) {
  const std::string& name = plan.descriptor.name;
  const size_t colon = name.find(':');
  if (colon != std::string::npos) {
    const Status made = target.admin().CreateNamespace({.name = name.substr(0, colon)});
    if (!made.ok() && made.code() != Code::kNamespaceExists) {
      return made;
    }
  }
  return target.admin().CreateTable(plan.descriptor, plan.split_keys);
}

}  // namespace

Expected<CopyState> OpenState(Connection& target, const CopyPlan& plan, const CopyOptions& options) {
  KLIP_ASSIGN_OR_RETURN(CopyState state, CopyState::Open(options.state_file, options.job));
  if (plan.creates_table) {
    KLIP_RETURN_IF_ERROR(state.Clear());  // an earlier table's cells were dropped with it
    KLIP_RETURN_IF_ERROR(MakeTable(target, plan));
  }
  return state;
}

}  // namespace klip::copy
