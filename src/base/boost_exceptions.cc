// Boost's numbers call these where there are no exceptions: for a division by zero, and for text that is no number. Callers check both
// before.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <boost/throw_exception.hpp>

namespace boost {

void throw_exception(const std::exception& error, const source_location& /*where*/) {
  std::fprintf(stderr, "klip: %s\n", error.what());
  std::abort();
}
void throw_exception(const std::exception& error) { throw_exception(error, {}); }

}  // namespace boost
