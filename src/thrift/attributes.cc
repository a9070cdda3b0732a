#include "thrift/attributes.h"

#include "klip/bytes.h"

namespace klip::thrift {
namespace {

constexpr const char* kTtl = "_ttl";

}  // namespace

int64_t TtlFrom(const Attributes& attributes) {
  auto ttl = attributes.find(kTtl);
  return ttl != attributes.end() && ttl->second.size() == sizeof(int64_t) ? ReadBigEndian<int64_t>(ttl->second.data())
                                                                          : 0;
}

OperationAttributes OthersFrom(const Attributes& attributes) {
  OperationAttributes others = attributes;
  others.erase(kTtl);
  return others;
}

}  // namespace klip::thrift
