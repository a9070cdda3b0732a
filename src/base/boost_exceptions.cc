// Boost's numbers call these instead of throwing exceptions: for a division by zero, and for text that is not a number.
// Callers check both before. Weak: a program that links klip may define its own.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <boost/throw_exception.hpp>

namespace boost {

[[gnu::weak]] void throw_exception(const std::exception& error, const source_location& /*where*/) {
  std::fprintf(stderr, "klip: %s\n", error.what());
  std::abort();
}
[[gnu::weak]] void throw_exception(const std::exception& error) { throw_exception(error, {}); }

}  // namespace boost
