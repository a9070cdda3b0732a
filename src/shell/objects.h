// The native classes of module Klip: Connection (with the admin calls), Table, Scanner.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "klip/connection.h"
#include "klip/index.h"
#include "shell/border.h"
#include "shell/ruby_value.h"

namespace klip::shell {

// Each holds the object that it was created from, so that the order in which Ruby collects them does not matter.
struct RubyConnection {
  static constexpr const char* kName = "Klip::Connection";
  std::shared_ptr<Connection> connection;  // null once closed
};

struct RubyTable {
  static constexpr const char* kName = "Klip::Table";
  std::shared_ptr<Connection> connection;
  std::shared_ptr<Table> table;
};

struct RubyScanner {
  static constexpr const char* kName = "Klip::Scanner";
  std::shared_ptr<Connection> connection;
  std::shared_ptr<Table> table;
  std::shared_ptr<ResultScanner> scanner;  // null after an interrupted call, which may still use it
  bool busy = false;                       // a Ruby thread is waiting for it
};

// Defines module Klip with all of them.
void DefineKlip();

void DefineAdminMethods(VALUE connection_class);
void DefineClusterMethods(VALUE connection_class);
void DefineServerMethods(VALUE connection_class);
void DefineQuotaMethods(VALUE connection_class);
void DefineReplicationMethods(VALUE connection_class);
void DefineGroupMethods(VALUE connection_class);
void DefineAccessMethods(VALUE connection_class);
void DefineTable(VALUE module);
void DefineTableWrites(VALUE table_class);
void DefineScanner(VALUE module);

VALUE WrapTable(RubyTable table);
VALUE WrapScanner(RubyScanner scanner);

// The open connection of a Klip::Connection.
Expected<std::shared_ptr<Connection>> ConnectionOf(VALUE self);

inline const RubyTable& TableOf(VALUE self) { return Wrapped<RubyTable>::Of(self); }

// The part of `admin` that is called with `Part`: Admin itself, ClusterAdmin, .... Errors: kUnsupported: the store does
// not have it.
template <typename Part>
Expected<Part*> PartOf(Admin& admin) {
  if constexpr (std::is_same_v<Part, ClusterAdmin>) {
    return &admin.cluster();
  } else if constexpr (std::is_same_v<Part, ServerAdmin>) {
    return &admin.servers();
  } else if constexpr (std::is_same_v<Part, QuotaAdmin>) {
    return &admin.quotas();
  } else if constexpr (std::is_same_v<Part, ReplicationAdmin>) {
    return &admin.replication();
  } else if constexpr (std::is_same_v<Part, RSGroupAdmin>) {
    return admin.rs_groups();
  } else if constexpr (std::is_same_v<Part, SecurityAdmin>) {
    return admin.security();
  } else if constexpr (std::is_same_v<Part, LabelAdmin>) {
    return admin.labels();
  } else if constexpr (std::is_same_v<Part, IndexAdmin>) {
    return admin.indexes();
  } else {
    static_assert(std::is_same_v<Part, Admin>);
    return &admin;
  }
}

// Runs `call(part)` as Blocking does, with the right part of Admin.
template <typename Part = Admin, typename Call>
auto WithAdmin(VALUE self, Call call) -> decltype(call(std::declval<Part&>())) {
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Connection> connection, ConnectionOf(self));
  return Blocking([connection, call = std::move(call)]() -> decltype(call(std::declval<Part&>())) {
    KLIP_ASSIGN_OR_RETURN(Part* const part, PartOf<Part>(connection->admin()));
    return call(*part);
  });
}

// One row for Ruby: [row, [Klip::Cell, ...], stale].
VALUE FromResult(const Result& result);

// nil, or the error.
inline Answer NilOr(const Status& status) { return status.ok() ? Answer(Qnil) : Answer(status); }

// Methods with one name that return nil.
template <auto kCall, typename Part = Admin>
Answer ByName(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "name"));
  return NilOr(WithAdmin<Part>(self, [name](Part& admin) { return (admin.*kCall)(name); }));
}

// Methods with two names that return nil.
template <auto kCall, typename Part = Admin>
Answer ByTwoNames(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string first, ToBytes(args[0], "name"));
  KLIP_ASSIGN_OR_RETURN(std::string second, ToBytes(args[1], "name"));
  return NilOr(WithAdmin<Part>(self, [first, second](Part& admin) { return (admin.*kCall)(first, second); }));
}

}  // namespace klip::shell
