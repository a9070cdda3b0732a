// OpenRegion: a region that is open in the coprocessor host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "coprocessor/hook_mask.h"
#include "engine/view/table_view.h"

namespace klip::coprocessor {

// A coprocessor of a region.
struct LoadedClass {
  std::string name;
  uint32_t priority = 0;
};

// A region that is open in a JVM.
struct OpenRegion {
  uint64_t id = 0;          // in the JVM
  uint64_t generation = 0;  // of the JVM
  std::string table;
  std::string encoded_name;
  std::string start_key;
  std::string end_key;
  std::string schema;  // the table's, as a message
  HookMask hooks;      // overridden by some class
  std::set<std::string, std::less<>> services;
  std::vector<LoadedClass> loaded;
  std::vector<std::string> left_out;  // the reasons why classes were not loaded
};
using OpenRegionPtr = std::shared_ptr<const OpenRegion>;

// The regions of a table at one moment, open in one JVM.
struct OpenTable {
  engine::TablePtr view;
  uint64_t generation = 0;
  std::vector<OpenRegionPtr> regions;  // in the order of view->regions
  HookMask hooks;                      // of all of them

  const OpenRegionPtr& RegionOf(std::string_view row) const {
    return regions[static_cast<size_t>(&view->RegionOf(row) - view->regions->data())];
  }
};
using OpenTablePtr = std::shared_ptr<const OpenTable>;

}  // namespace klip::coprocessor
