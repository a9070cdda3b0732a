#include "thrift/attributes.h"

#include "klip/bytes.h"

namespace klip::thrift {

int64_t TtlFrom(const Attributes& attributes) {
  auto ttl = attributes.find("_ttl");
  return ttl != attributes.end() && ttl->second.size() == sizeof(int64_t) ? ReadBigEndian<int64_t>(ttl->second.data())
                                                                          : 0;
}

}  // namespace klip::thrift
