// What Thrift leaves to us: the order of what it makes sets of.
#include <tuple>

#include "thrift2/thrift2_types.h"

namespace klip::thrift2 {

bool TServerName::operator<(const TServerName& other) const {
  return std::tie(hostName, port, startCode) < std::tie(other.hostName, other.port, other.startCode);
}

}  // namespace klip::thrift2
