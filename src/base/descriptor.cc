#include "base/descriptor.h"

#include <system_error>

#include <unistd.h>

namespace klip::base {

Descriptor::~Descriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

std::string ErrorText(int error) { return std::generic_category().message(error); }

}  // namespace klip::base
