#include "table/info/unhosted.h"

#include <vector>

#include "table/info/java_classes.h"

namespace klip::table {
namespace {

class KeepingHooks final : public engine::StorageHooks {
 public:
  bool KeepsAll(const TableDescriptor& table) const override { return !JavaClassesOf(table).empty(); }
  Status AroundFlush(const engine::TablePtr& /*table*/, std::span<const engine::Family> /*families*/,
                     const std::function<Status()>& run) override {
    return run();
  }
  Status AroundCompaction(const engine::TablePtr& /*table*/, const engine::Family& /*family*/, bool /*major*/,
                          const std::function<Status(const model::FamilyPolicy* policy)>& run) override {
    return run(nullptr);
  }
};

}  // namespace

Status RefuseUnhosted(const TableDescriptor& table) {
  const std::vector<JavaClass> classes = JavaClassesOf(table);
  return classes.empty()
             ? Status::Ok()
             : Status(Code::kDoNotRetry, "table " + table.name + " has the Java coprocessor " + classes.front().name +
                                             ", which only klip serve runs; ConnectionOptions::ignore_coprocessors, or "
                                             "--no-coprocessors of a command, writes the table without it");
}

engine::StorageHooks* KeepUnhosted() {
  static KeepingHooks hooks;
  return &hooks;
}

}  // namespace klip::table
