// Thrift does not generate the order of elements of sets.
#include <tuple>

#include "thrift2/thrift2_types.h"

namespace klip::thrift2 {

bool TServerName::operator<(const TServerName& other) const {
  return std::tie(hostName, port, startCode) < std::tie(other.hostName, other.port, other.startCode);
}

}  // namespace klip::thrift2
