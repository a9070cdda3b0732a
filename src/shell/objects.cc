#include "shell/objects.h"

#include <utility>

#include "klip/bytes.h"
#include "klip/row_key.h"
#include "shell/blocking.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

VALUE connection_class = Qnil;

// Connection.open(uri, {fsync:}) -> Connection
Answer Open(VALUE, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string uri, ToBytes(args[0], "uri"));
  ConnectionOptions options;
  HashReader reader(args[1], "option");
  reader.Read("fsync", &options.sync_wal);
  KLIP_RETURN_IF_ERROR(reader.status());
  auto opened = Blocking([uri, options]() -> Expected<std::shared_ptr<Connection>> {
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Connection::Open(uri, options));
    return std::shared_ptr<Connection>(std::move(connection));
  });
  KLIP_RETURN_IF_ERROR(opened.status());
  return Wrapped<RubyConnection>::Wrap(connection_class, {*std::move(opened)});
}

// Existing tables and scanners keep the store open.
Answer Close(VALUE self, Arguments) {
  auto connection = std::exchange(Wrapped<RubyConnection>::Of(self).connection, nullptr);
  return NilOr(Blocking([connection = std::move(connection)]() mutable {
    connection.reset();
    return Status();
  }));
}

Answer GetTable(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Connection> connection, ConnectionOf(self));
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "table"));
  auto table = Blocking([connection, name]() -> Expected<std::shared_ptr<Table>> {
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> opened, connection->GetTable(name));
    return std::shared_ptr<Table>(std::move(opened));
  });
  KLIP_RETURN_IF_ERROR(table.status());
  return WrapTable({connection, *std::move(table)});
}

// Klip.to_string_binary(bytes), Klip.from_string_binary(text)
Answer ToBinaryText(VALUE, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string bytes, ToBytes(args[0], "bytes"));
  return FromText(ToStringBinary(bytes));
}

Answer FromBinaryText(VALUE, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string text, ToBytes(args[0], "text"));
  return FromBytes(FromStringBinary(text));
}

// Klip.check_filter(text): the text in the filter's own format.
Answer CheckFilter(VALUE, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string text, ToBytes(args[0], "filter"));
  KLIP_ASSIGN_OR_RETURN(FilterPtr filter, ParseFilter(text, FilterNames::kAll));
  return FromBytes(filter->ToString());
}

// Klip.split_keys(algorithm, regions)
Answer EvenSplitKeys(VALUE, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "algorithm"));
  KLIP_ASSIGN_OR_RETURN(int64_t regions, ToInt(args[1], "regions"));
  SplitAlgorithm algorithm = name == "HexStringSplit"       ? SplitAlgorithm::kHexString
                             : name == "DecimalStringSplit" ? SplitAlgorithm::kDecimalString
                                                            : SplitAlgorithm::kUniform;
  constexpr int64_t kMaxRegions = 100'000;
  if (regions > kMaxRegions) {
    return Status(Code::kInvalidArgument, "more than " + std::to_string(kMaxRegions) + " regions");
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> keys, SplitKeys(algorithm, static_cast<int>(regions)));
  VALUE list = rb_ary_new();
  for (const std::string& key : keys) {
    rb_ary_push(list, FromBytes(key));
  }
  return list;
}

}  // namespace

Expected<std::shared_ptr<Connection>> ConnectionOf(VALUE self) {
  auto& connection = Wrapped<RubyConnection>::Of(self).connection;
  if (connection == nullptr) {
    return Status(Code::kInvalidArgument, "the connection is closed");
  }
  return connection;
}

void DefineKlip() {
  VALUE module = rb_define_module("Klip");
  DefineErrors(module);
  rb_define_const(module, "VERSION", FromText(KLIP_VERSION));
  rb_define_const(module, "KEYS_HELP", FromText(RowKeyHelp()));
  DefineSingletonMethod<ToBinaryText, 1>(module, "to_string_binary");
  DefineSingletonMethod<FromBinaryText, 1>(module, "from_string_binary");
  DefineSingletonMethod<CheckFilter, 1>(module, "check_filter");
  DefineSingletonMethod<EvenSplitKeys, 2>(module, "split_keys");

  connection_class = rb_define_class_under(module, "Connection", rb_cObject);
  rb_gc_register_mark_object(connection_class);
  rb_undef_alloc_func(connection_class);
  DefineSingletonMethod<Open, 2>(connection_class, "open");
  DefineMethod<Close, 0>(connection_class, "close");
  DefineMethod<GetTable, 1>(connection_class, "table");
  DefineAdminMethods(connection_class);
  DefineClusterMethods(connection_class);
  DefineServerMethods(connection_class);
  DefineQuotaMethods(connection_class);
  DefineReplicationMethods(connection_class);
  DefineGroupMethods(connection_class);
  DefineAccessMethods(connection_class);
  DefineTable(module);
  DefineScanner(module);
}

}  // namespace klip::shell
