#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include "base/temp_directory_test.h"
#include "engine/log/log_cells.h"
#include "engine/store/log_tail.h"
#include "fuzz/filled_table.h"
#include "fuzz/targets.h"
#include "proto/Client.pb.h"
#include "server/node/services.h"
#include "table/embedded_connection.h"

namespace klip::fuzz {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxDepth = 6;
constexpr size_t kMaxCalls = 12;
constexpr int kInputsPerStore = 300;  // so that what they leave behind does not grow

// Choices out of the input's bytes; all zero behind their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  size_t Below(size_t n) {
    size_t choice = Next();
    if (n > 256) {
      choice = choice << 8 | Next();
    }
    return choice % n;
  }
  bool Flip() { return (Next() & 1) != 0; }
  std::string Take(size_t bytes) {
    const std::string taken(bytes_.substr(0, bytes));
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  bool AtEnd() const { return bytes_.empty(); }

 private:
  uint8_t Next() {
    if (bytes_.empty()) {
      return 0;
    }
    const auto byte = static_cast<uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return byte;
  }

  std::string_view bytes_;
};

// The messages of HBase's protocol with descriptors: the server's own have no reflection.
class Schema {
 public:
  static const Schema& Get() {
    static const Schema schema;
    return schema;
  }

  const Descriptor* FindMessage(const std::string& name) const {
    return pool_.FindMessageTypeByName("hbase.pb." + name);
  }
  const google::protobuf::ServiceDescriptor* FindService(const std::string& name) const {
    return pool_.FindServiceByName("hbase.pb." + name);
  }
  const std::vector<const Descriptor*>& filters() const { return filters_; }
  const std::vector<const Descriptor*>& comparators() const { return comparators_; }
  std::unique_ptr<Message> New(const Descriptor* type) const {
    return std::unique_ptr<Message>(factory_.GetPrototype(type)->New());
  }

 private:
  Schema() {
    google::protobuf::SetLogHandler(nullptr);  // it tells of each text that is not UTF-8
    google::protobuf::FileDescriptorSet files;
    std::ifstream file(KLIP_PROTO_DESCRIPTORS, std::ios::binary);
    if (!files.ParseFromIstream(&file)) {
      abort();
    }
    for (const google::protobuf::FileDescriptorProto& one : files.file()) {
      pool_.BuildFile(one);
    }
    AddAll("proto/Filter.proto", &filters_);
    AddAll("proto/Comparator.proto", &comparators_);
  }

  void AddAll(const char* file, std::vector<const Descriptor*>* types) {
    const google::protobuf::FileDescriptor* found = pool_.FindFileByName(file);
    for (int i = 0; i < found->message_type_count(); ++i) {
      types->push_back(found->message_type(i));
    }
  }

  google::protobuf::DescriptorPool pool_;
  mutable google::protobuf::DynamicMessageFactory factory_;
  std::vector<const Descriptor*> filters_;
  std::vector<const Descriptor*> comparators_;
};

// Contents with which a message is not just rejected: names of the server's tables, regions, scanners, ...
struct Names {
  std::vector<std::string> regions;
  uint64_t scanner_id = 0;
};

class MessageMaker {
 public:
  MessageMaker(const Names* names, Choices* choices) : names_(names), choices_(choices) {}

  void Fill(Message* message, int depth) {
    const Descriptor* type = message->GetDescriptor();
    if (type->name() == "Filter" || type->name() == "Comparator") {
      FillNamed(message, depth);
      return;
    }
    const Reflection* reflection = message->GetReflection();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      size_t count = 1;
      if (field->is_repeated()) {
        count = depth < kMaxDepth ? choices_->Below(4) : 0;
      } else if (field->is_optional()) {
        count = depth < kMaxDepth && choices_->Below(3) == 0 ? 1 : 0;
      }
      for (size_t n = 0; n < count; ++n) {
        Set(message, reflection, field, depth);
      }
    }
  }

  // Cells as a client sends them beside a message, now and then with something else among them.
  rpc::Buffer Cells(rpc::CellCodec codec) {
    constexpr CellType kTypes[] = {CellType::kPut, CellType::kDelete, CellType::kDeleteFamilyVersion,
                                   CellType::kDeleteColumn, CellType::kDeleteFamily};
    constexpr const char* kRows[] = {"row1", "row2", "a", "z", ""};
    constexpr const char* kFamilies[] = {"f", "f", "f", "g", "METAFAMILY"};
    rpc::Buffer block;
    for (size_t left = choices_->Below(8); left > 0; --left) {
      const std::string qualifier = choices_->Take(choices_->Below(4));
      const std::string value = choices_->Take(choices_->Below(20));
      const std::string tags = choices_->Below(4) == 0 ? choices_->Take(choices_->Below(16)) : "";
      rpc::AppendCell({.row = kRows[choices_->Below(std::size(kRows))],
                       .family = kFamilies[choices_->Below(std::size(kFamilies))],
                       .qualifier = qualifier,
                       .timestamp_ms = Number(),
                       .type = kTypes[choices_->Below(std::size(kTypes))],
                       .value = value,
                       .tags = tags},
                      codec, &block);
      if (choices_->Below(32) == 0) {
        const std::string other = choices_->Take(choices_->Below(16));
        other.copy(block.Grow(other.size()), other.size());
      }
    }
    return block;
  }

 private:
  // A filter or comparator: its Java class, and the bytes of a message of that name.
  void FillNamed(Message* message, int depth) {
    const bool filter = message->GetDescriptor()->name() == "Filter";
    const auto& types = filter ? Schema::Get().filters() : Schema::Get().comparators();
    const Descriptor* type = types[choices_->Below(types.size())];
    const Descriptor* outer = message->GetDescriptor();
    const Reflection* reflection = message->GetReflection();
    reflection->SetString(message, outer->field(0), "org.apache.hadoop.hbase.filter." + type->name());
    const std::unique_ptr<Message> inner = Schema::Get().New(type);
    if (depth < kMaxDepth) {
      Fill(inner.get(), depth + 1);
    }
    reflection->SetString(message, outer->field(1), inner->SerializePartialAsString());
  }

  void Set(Message* message, const Reflection* reflection, const FieldDescriptor* field, int depth) {
    const auto put = [&](auto set, auto add, auto value) {
      field->is_repeated() ? (reflection->*add)(message, field, value) : (reflection->*set)(message, field, value);
    };
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Fill(field->is_repeated() ? reflection->AddMessage(message, field) : reflection->MutableMessage(message, field),
             depth + 1);
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        put(&Reflection::SetBool, &Reflection::AddBool, choices_->Flip());
        break;
      case FieldDescriptor::CPPTYPE_ENUM: {
        const EnumDescriptor* type = field->enum_type();
        const auto* value = type->value(static_cast<int>(choices_->Below(static_cast<size_t>(type->value_count()))));
        put(&Reflection::SetEnum, &Reflection::AddEnum, value);
        break;
      }
      case FieldDescriptor::CPPTYPE_INT32: {
        const bool cells = field->name() == "associated_cell_count" && choices_->Below(4) != 0;
        put(&Reflection::SetInt32, &Reflection::AddInt32,
            cells ? static_cast<int32_t>(choices_->Below(3)) : static_cast<int32_t>(Number()));
        break;
      }
      case FieldDescriptor::CPPTYPE_UINT32:
        put(&Reflection::SetUInt32, &Reflection::AddUInt32, static_cast<uint32_t>(Number()));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        put(&Reflection::SetInt64, &Reflection::AddInt64, Number());
        break;
      case FieldDescriptor::CPPTYPE_UINT64: {
        const bool scanner = field->name() == "scanner_id" && choices_->Below(4) != 0;
        put(&Reflection::SetUInt64, &Reflection::AddUInt64,
            scanner ? names_->scanner_id : static_cast<uint64_t>(Number()));
        break;
      }
      case FieldDescriptor::CPPTYPE_FLOAT:
        put(&Reflection::SetFloat, &Reflection::AddFloat, static_cast<float>(choices_->Below(256)) / 128);
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        put(&Reflection::SetDouble, &Reflection::AddDouble, static_cast<double>(choices_->Below(256)) / 128);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        put(&Reflection::SetString, &Reflection::AddString, Text(field));
        break;
    }
  }

  int64_t Number() {
    constexpr int64_t kNumbers[] = {0, 1, 2, 3, 10, 100, 4096, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    const size_t choice = choices_->Below(std::size(kNumbers) + 4);
    return choice < std::size(kNumbers) ? kNumbers[choice] : static_cast<int64_t>(choices_->Below(1 << 16));
  }

  // Mostly what a field of this name holds.
  std::string Text(const FieldDescriptor* field) {
    const std::string& name = field->name();
    const std::string& owner = field->containing_type()->name();
    const size_t choice = choices_->Below(8);
    if (choice == 0) {
      return choices_->Take(choices_->Below(40));
    }
    if (name == "namespace" || name == "namespace_name") {
      return choice < 7 ? "default" : "hbase";
    }
    if (owner == "RegionSpecifier") {
      return names_->regions[choice % names_->regions.size()];
    }
    if (owner == "TableName" || name == "table" || name == "table_name") {
      return choice < 6 ? "t" : "u";
    }
    if (name == "family" || name == "family_name" || name == "column_family" || owner == "ColumnFamilySchema") {
      return choice < 7 ? "f" : "g";
    }
    if (name == "service_name") {
      return choice < 5 ? "AggregateService" : "MultiRowMutationService";
    }
    constexpr const char* kTexts[] = {"", "q", "row1", "row2", "row", "m", "\xFF\xFF"};
    return kTexts[choice - 1];
  }

  const Names* names_;
  Choices* choices_;
};

// A running server without its sockets, with a table t of two regions.
class Services {
 public:
  Services() {
    ConnectionOptions options;
    options.sync_wal = false;
    options.block_cache_bytes = 8 << 20;
    auto connection = table::OpenEmbedded(temp_.path() + "/store", options);
    if (!connection.ok()) {
      abort();
    }
    node_ = std::make_unique<server::Node>(*std::move(connection));
    node_->self = {"localhost", 16020, node_->NowMs()};
    node_->cluster_id = "fuzz";
    engine::Store* const store = &node_->store();
    node_->sources = std::make_unique<replication::Sources>(
        store, engine::ClusterId{1, 1}, [](std::string_view, std::string_view, std::string_view) {});
    tail_.emplace(store, engine::LogPosition());
    server::AddClientService(node_.get(), &services_["ClientService"]);
    server::AddRegistryService(node_.get(), &services_["ClientMetaService"]);
    server::AddMasterService(node_.get(), &services_["MasterService"]);
    server::AddAdminService(node_.get(), &services_["AdminService"]);
    for (const auto& [name, table] : services_) {
      const google::protobuf::ServiceDescriptor* service = Schema::Get().FindService(name);
      for (int i = 0; i < service->method_count(); ++i) {
        if (const server::Method* method = table.Find(service->method(i)->name()); method != nullptr) {
          // Half of the calls read and write.
          const bool often = name == "ClientService" || service->method(i)->name() == "ReplicateWALEntry";
          methods_.insert(methods_.end(), often ? 16 : 1, {method, service->method(i)->input_type()});
        }
      }
    }
    FillTable(node_->embedded.get());
  }
  ~Services() {
    node_->sources->Stop();
    node_->compactor.Stop();
  }

  server::Node* node() { return node_.get(); }
  const std::vector<std::pair<const server::Method*, const Descriptor*>>& methods() const { return methods_; }

  // What has been logged can be read, as for a peer.
  void ReadLog() {
    std::string record;
    Expected<bool> more = tail_->Next(&record);
    for (; more.ok() && *more; more = tail_->Next(&record)) {
      Check(engine::ForEachLoggedCell(record, [](const engine::LoggedCell&) { return Status::Ok(); }).ok());
    }
    Check(more.ok());
  }

 private:
  const TempDirectory temp_;
  std::unique_ptr<server::Node> node_;
  server::Services services_;
  std::optional<engine::LogTail> tail_;
  std::vector<std::pair<const server::Method*, const Descriptor*>> methods_;
};

// Every call is answered once, and before its handler returns.
class OneAnswer final : public server::Responder {
 public:
  explicit OneAnswer(Names* names) : names_(names) {}
  ~OneAnswer() override {
    if (answers_ != 1) {
      abort();
    }
  }

  void Respond(server::Call* /*call*/, const rpc::Error& error,
               const google::protobuf::MessageLite* response) override {
    ++answers_;
    if (error.ok() != (response != nullptr)) {
      abort();
    }
    if (const auto* scan = dynamic_cast<const hbase::pb::ScanResponse*>(response);
        scan != nullptr && scan->has_scanner_id()) {
      names_->scanner_id = scan->scanner_id();
    }
    if (response != nullptr && !response->IsInitialized()) {
      abort();  // no client could read it
    }
  }

 private:
  Names* names_;
  int answers_ = 0;
};

}  // namespace

void FuzzCalls(std::string_view bytes) {
  static auto services = std::make_unique<Services>();
  static int inputs = 0;
  if (++inputs % kInputsPerStore == 0) {
    services.reset();
    services = std::make_unique<Services>();
  }
  FillTable(services->node()->embedded.get());

  Names names;
  if (const auto regions = services->node()->regions.Of("t"); regions.ok()) {
    for (const server::ServedRegion& region : (*regions)->regions) {
      names.regions.push_back(region.name);
      names.regions.push_back(region.encoded_name);
    }
  }
  names.regions.emplace_back("hbase:meta,,1");

  Choices choices(bytes);
  for (size_t i = 0; i < kMaxCalls && !choices.AtEnd(); ++i) {
    const auto& [method, type] = services->methods()[choices.Below(services->methods().size())];
    const std::unique_ptr<Message> message = Schema::Get().New(type);
    MessageMaker maker(&names, &choices);
    maker.Fill(message.get(), 0);
    const std::string param = message->SerializePartialAsString();

    constexpr rpc::CellCodec kCodecs[] = {rpc::CellCodec::kNone, rpc::CellCodec::kKeyValue,
                                          rpc::CellCodec::kKeyValueWithTags};
    rpc::ConnectionParameters client;
    client.codec = kCodecs[choices.Below(std::size(kCodecs))];
    const rpc::Buffer cells = client.codec == rpc::CellCodec::kNone ? rpc::Buffer() : maker.Cells(client.codec);
    client.knows_new_errors = true;
    const hbase::pb::RequestHeader header;
    const std::atomic<bool> no = false;
    const auto scanners = std::make_shared<net::MemoryShare>();
    server::Call call;
    call.client = &client;
    call.scanners = &scanners;
    call.header = &header;
    call.param = param;
    call.cells = rpc::CellBlockReader(cells.view(), client.codec);
    call.disconnected = &no;
    call.stopping = &no;
    OneAnswer answer(&names);
    method->run(&call, &answer);
    if (call.after_response) {
      call.after_response();
    }
  }
  services->ReadLog();
}

}  // namespace klip::fuzz
