// The attributes of requests, for both Thrift interfaces.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "klip/query.h"

namespace klip::thrift {

using Attributes = std::map<std::string, std::string>;

// The cells' own time to live in milliseconds, which HBase's clients send as the attribute "_ttl"; 0: none.
int64_t TtlFrom(const Attributes& attributes);

// All other attributes.
OperationAttributes OthersFrom(const Attributes& attributes);

}  // namespace klip::thrift
