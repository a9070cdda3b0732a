// klip namespaces: lists, creates and drops namespaces.
#include "cli/command.h"

namespace klip::cli {

Run AddNamespacesCommand(Arguments* args) {
  struct Namespaces {
    std::string store;
    std::vector<std::string> created;
    std::vector<std::string> dropped;
  };
  auto namespaces = std::make_shared<Namespaces>();
  args->Add("STORE", &namespaces->store, "directory of the store, or URI of a cluster").Required();
  args->Add("--create", &namespaces->created, "create this namespace; repeatable");
  args->Add("--drop", &namespaces->dropped, "delete this namespace, which must be empty; repeatable");
  return [namespaces](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(namespaces->store));
    Admin& admin = connection->admin();
    for (const std::string& name : namespaces->created) {
      KLIP_RETURN_IF_ERROR(admin.CreateNamespace({.name = name}));
      console.Print("created namespace {}\n", name);
    }
    for (const std::string& name : namespaces->dropped) {
      KLIP_RETURN_IF_ERROR(admin.DeleteNamespace(name));
      console.Print("dropped namespace {}\n", name);
    }
    if (namespaces->created.empty() && namespaces->dropped.empty()) {
      KLIP_ASSIGN_OR_RETURN(const std::vector<NamespaceDescriptor> all, admin.ListNamespaces());
      for (const NamespaceDescriptor& one : all) {
        console.Print("{}\n", one.name);
      }
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
