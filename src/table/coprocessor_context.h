// ContextOf: the information that every coprocessor of the program gets. `Event` is CoprocessorContext, or extends it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "klip/connection.h"
#include "klip/coprocessor.h"
#include "table/info/attached.h"

namespace klip::table {

template <typename Event>
class ContextOf : public Event {
 public:
  // All outlive the context. `locked`: the operation holds locks.
  ContextOf(const Attached& attached, const TableDescriptor& table, bool locked)
      : attached_(attached), table_(table), locked_(locked) {}

  const TableDescriptor& table() const override { return table_; }
  const Caller& caller() const override { return Caller::Current(); }
  Connection* connection() const override { return locked_ ? nullptr : attached_.connection; }
  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) const override {
    if (locked_) {
      return Status(Code::kUnsupported, "an observer asks for table '" + std::string(name) + "' while rows of table '" +
                                            table_.name +
                                            "' are locked: read by BatchEvent::Get, write by BatchEvent::Add");
    }
    return attached_.connection->GetTable(name);
  }

 private:
  const Attached& attached_;
  const TableDescriptor& table_;
  const bool locked_;
};

}  // namespace klip::table
