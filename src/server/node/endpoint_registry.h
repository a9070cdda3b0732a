// EndpointRegistry: the coprocessor endpoints of regions, by the name of their service.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "rpc/error.h"

namespace klip::server {

struct Call;
struct Node;
struct RegionRef;

// A call of one method of an endpoint, in one region.
struct EndpointCall {
  Node* node = nullptr;
  const RegionRef* region = nullptr;
  std::string_view method;
  std::string_view request;  // its message
  const Call* call = nullptr;
};

// An endpoint's answer: the name of its Java message class, and the message.
struct EndpointResult {
  std::string java_class;
  std::string bytes;
};

using Endpoint = std::function<rpc::Error(const EndpointCall& call, EndpointResult* result)>;

// Filled before the server starts, then only read.
class EndpointRegistry {
 public:
  void Add(std::string service, Endpoint endpoint) { endpoints_[std::move(service)] = std::move(endpoint); }

  // Null: none. Names with HBase's package ("hbase.pb.AggregateService") refer to the same services.
  const Endpoint* Find(std::string_view service) const {
    constexpr std::string_view kPackage = "hbase.pb.";
    service.remove_prefix(service.starts_with(kPackage) ? kPackage.size() : 0);
    const auto at = endpoints_.find(service);
    return at == endpoints_.end() ? nullptr : &at->second;
  }

 private:
  std::map<std::string, Endpoint, std::less<>> endpoints_;
};

}  // namespace klip::server
