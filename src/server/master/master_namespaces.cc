// MasterService: namespaces.
#include <string>
#include <vector>

#include "proto/Master.pb.h"
#include "rpc/schema_messages.h"
#include "server/master/master_service.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

rpc::Error TablesOf(Node* node, const std::string& name_space, std::vector<klip::TableDescriptor>* tables) {
  if (const Expected<klip::NamespaceDescriptor> found = node->admin().GetNamespace(name_space); !found.ok()) {
    return found.status();
  }
  if (name_space == "hbase") {
    tables->push_back(rpc::MetaDescriptor());
  }
  Expected<std::vector<klip::TableDescriptor>> listed = node->admin().ListTables(name_space);
  if (!listed.ok()) {
    return listed.status();
  }
  tables->insert(tables->end(), listed->begin(), listed->end());
  return {};
}

}  // namespace

void AddNamespaceMethods(Node* node, MethodTable* methods) {
  methods->Add<CreateNamespaceRequest, CreateNamespaceResponse>(
      "CreateNamespace", [node](const auto& request, auto* response, Call*) {
        return RunProcedure(node, request, response, [&]() -> rpc::Error {
          return node->admin().CreateNamespace(rpc::ToNamespace(request.namespacedescriptor()));
        });
      });
  methods->Add<ModifyNamespaceRequest, ModifyNamespaceResponse>(
      "ModifyNamespace", [node](const auto& request, auto* response, Call*) {
        return RunProcedure(node, request, response, [&]() -> rpc::Error {
          return node->admin().ModifyNamespace(rpc::ToNamespace(request.namespacedescriptor()));
        });
      });
  methods->Add<DeleteNamespaceRequest, DeleteNamespaceResponse>(
      "DeleteNamespace", [node](const auto& request, auto* response, Call*) {
        return RunProcedure(node, request, response,
                            [&]() -> rpc::Error { return node->admin().DeleteNamespace(request.namespacename()); });
      });
  methods->Add<GetNamespaceDescriptorRequest, GetNamespaceDescriptorResponse>(
      "GetNamespaceDescriptor",
      [node](const auto& request, GetNamespaceDescriptorResponse* response, Call*) -> rpc::Error {
        const Expected<klip::NamespaceDescriptor> found = node->admin().GetNamespace(request.namespacename());
        if (!found.ok()) {
          return found.status();
        }
        rpc::FillNamespace(*found, response->mutable_namespacedescriptor());
        return {};
      });
  methods->Add<ListNamespaceDescriptorsRequest, ListNamespaceDescriptorsResponse>(
      "ListNamespaceDescriptors", [node](const auto&, ListNamespaceDescriptorsResponse* response, Call*) -> rpc::Error {
        const Expected<std::vector<klip::NamespaceDescriptor>> listed = node->admin().ListNamespaces();
        if (!listed.ok()) {
          return listed.status();
        }
        for (const klip::NamespaceDescriptor& one : *listed) {
          rpc::FillNamespace(one, response->add_namespacedescriptor());
        }
        return {};
      });
  methods->Add<ListNamespacesRequest, ListNamespacesResponse>(
      "ListNamespaces", [node](const auto&, ListNamespacesResponse* response, Call*) -> rpc::Error {
        const Expected<std::vector<klip::NamespaceDescriptor>> listed = node->admin().ListNamespaces();
        if (!listed.ok()) {
          return listed.status();
        }
        for (const klip::NamespaceDescriptor& one : *listed) {
          response->add_namespacename(one.name);
        }
        return {};
      });
  methods->Add<ListTableDescriptorsByNamespaceRequest, ListTableDescriptorsByNamespaceResponse>(
      "ListTableDescriptorsByNamespace",
      [node](const auto& request, ListTableDescriptorsByNamespaceResponse* response, Call*) -> rpc::Error {
        std::vector<klip::TableDescriptor> tables;
        KLIP_RPC_RETURN_IF_ERROR(TablesOf(node, request.namespacename(), &tables));
        for (const klip::TableDescriptor& table : tables) {
          rpc::FillTableSchema(table, response->add_tableschema());
        }
        return {};
      });
  methods->Add<ListTableNamesByNamespaceRequest, ListTableNamesByNamespaceResponse>(
      "ListTableNamesByNamespace",
      [node](const auto& request, ListTableNamesByNamespaceResponse* response, Call*) -> rpc::Error {
        std::vector<klip::TableDescriptor> tables;
        KLIP_RPC_RETURN_IF_ERROR(TablesOf(node, request.namespacename(), &tables));
        for (const klip::TableDescriptor& table : tables) {
          FillTableName(table.name, response->add_tablename());
        }
        return {};
      });
}

}  // namespace klip::server
