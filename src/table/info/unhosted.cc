#include "table/info/unhosted.h"

#include <memory>
#include <string>

#include "table/info/java_classes.h"
#include "table/info/table_info.h"

namespace klip::table {
namespace {

class RefusingHooks final : public OperationHooks {
 public:
  explicit RefusingHooks(std::string java_class) : java_class_(std::move(java_class)) {}

  Status BeforeWrite(WriteContext& write) override {
    return {Code::kDoNotRetry, "table " + write.table().name() + " has the Java coprocessor " + java_class_ +
                                   ", which only klip serve runs; ConnectionOptions::ignore_coprocessors, or "
                                   "--no-coprocessors of a command, writes the table without it"};
  }

 private:
  const std::string java_class_;
};

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

HookSource RefuseUnhosted() {
  return [](const TableDescriptor& table) -> HookChainPtr {
    const std::vector<JavaClass> classes = JavaClassesOf(table);
    return classes.empty()
               ? nullptr
               : std::make_shared<const HookChain>(HookChain{std::make_shared<RefusingHooks>(classes.front().name)});
  };
}

engine::StorageHooks* KeepUnhosted() {
  static KeepingHooks hooks;
  return &hooks;
}

}  // namespace klip::table
