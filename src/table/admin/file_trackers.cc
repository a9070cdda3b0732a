#include "table/admin/file_trackers.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace klip::table {
namespace {

constexpr const char* kTracker = "hbase.store.file-tracker.impl";
constexpr const char* kFrom = "hbase.store.file-tracker.migration.src.impl";
constexpr const char* kTo = "hbase.store.file-tracker.migration.dst.impl";
constexpr std::string_view kMigration = "MIGRATION";

// The family's setting, else its table's; empty if neither has it.
std::string SettingOf(const char* name, const TableDescriptor& table, const FamilyDescriptor& family) {
  for (const auto* settings : {&family.attributes, &family.configuration, &table.attributes, &table.configuration}) {
    if (const auto found = settings->find(name); found != settings->end()) {
      std::string value = found->second;
      std::ranges::transform(value, value.begin(), [](unsigned char byte) { return std::toupper(byte); });
      return value;
    }
  }
  return {};
}

struct Trackers {
  std::string now;
  std::string from;  // of a migration
  std::string to;
};

Expected<Trackers> TrackersOf(const TableDescriptor& table, const FamilyDescriptor& family) {
  Trackers trackers = {SettingOf(kTracker, table, family), SettingOf(kFrom, table, family),
                       SettingOf(kTo, table, family)};
  if (trackers.now.empty()) {
    trackers.now = "DEFAULT";
  }
  const auto known = [](std::string_view tracker) { return tracker == "DEFAULT" || tracker == "FILE"; };
  const bool migration = trackers.now == kMigration;
  if (!migration && !known(trackers.now)) {
    return Status(Code::kDoNotRetry, std::string(kTracker) + " is '" + trackers.now + "' for family " + family.name +
                                         " of table " + table.name + "; use DEFAULT, FILE or MIGRATION");
  }
  if (migration && (!known(trackers.from) || !known(trackers.to))) {
    return Status(Code::kDoNotRetry, "MIGRATION as store file tracker of family " + family.name + " of table " +
                                         table.name + " needs " + kFrom + " and " + kTo + ", each DEFAULT or FILE");
  }
  return trackers;
}

Status CheckNewFamily(const TableDescriptor& table, const FamilyDescriptor& family) {
  return SettingOf(kTracker, table, family) == kMigration
             ? Status(Code::kDoNotRetry, "Should not use MIGRATION as store file tracker for new family " +
                                             family.name + " of table " + table.name)
             : TrackersOf(table, family).status();
}

// The error of a change from `before` to `after`; empty: none.
std::string WhatIsWrong(const Trackers& before, const Trackers& after) {
  if (before.now == kMigration && after.now == kMigration) {
    if (before.from != after.from) {
      return "The src tracker has been changed from " + before.from + " to " + after.from;
    }
    return before.to == after.to ? "" : "The dst tracker has been changed from " + before.to + " to " + after.to;
  }
  if (before.now == kMigration) {
    return after.now == before.to ? "" : "Should migrate tracker to " + before.to + " but got " + after.now;
  }
  if (before.now == after.now) {
    return "";
  }
  if (after.now != kMigration) {
    return "Should change to MIGRATION first when migrating from " + before.now;
  }
  if (after.from != before.now) {
    return "Should use src tracker " + before.now + " first but got " + after.from + " when migrating from " +
           before.now;
  }
  return after.from == after.to ? "The src tracker and dst tracker are both " + after.from : "";
}

}  // namespace

Status CheckTrackersOfNewTable(const TableDescriptor& table) {
  for (const FamilyDescriptor& family : table.families) {
    KLIP_RETURN_IF_ERROR(CheckNewFamily(table, family));
  }
  return Status::Ok();
}

Status CheckChangeOfTrackers(const TableDescriptor& before, const TableDescriptor& after, bool enabled) {
  for (const FamilyDescriptor& family : after.families) {
    const FamilyDescriptor* old = before.Find(family.name);
    if (old == nullptr) {
      KLIP_RETURN_IF_ERROR(CheckNewFamily(after, family));
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const Trackers to, TrackersOf(after, family));
    const Expected<Trackers> known = TrackersOf(before, *old);
    if (!known.ok()) {
      continue;  // the store is older than these checks: any change is an improvement
    }
    const Trackers& from = *known;
    if (!enabled && from.now == kMigration && to.now != kMigration) {
      return {Code::kTableNotEnabled,
              "Should not change store file tracker implementation from MIGRATION while table " + after.name +
                  " is disabled"};
    }
    if (const std::string wrong = WhatIsWrong(from, to); !wrong.empty()) {
      return {Code::kDoNotRetry, wrong + " for family " + family.name + " of table " + after.name};
    }
  }
  return Status::Ok();
}

Expected<bool> SetTracker(std::string_view tracker, TableDescriptor* table, FamilyDescriptor* family) {
  // StoreFileTrackerFactory.Trackers, or the name of a class, which klip does not have.
  if (tracker != "DEFAULT" && tracker != "FILE") {
    return Status(Code::kDoNotRetry, "Do not support changing the store file tracker to " + std::string(tracker));
  }
  const std::string now = SettingOf(kTracker, *table, family == nullptr ? FamilyDescriptor() : *family);
  if (tracker == (now.empty() ? "DEFAULT" : now)) {
    return false;
  }
  auto& settings = family == nullptr ? table->attributes : family->configuration;
  settings[kTracker] = tracker;
  settings.erase(kFrom);  // ends a migration
  settings.erase(kTo);
  return true;
}

}  // namespace klip::table
