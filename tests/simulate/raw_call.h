// System calls of the simulator itself, which bypass the functions that it replaces.
#pragma once

#include <dlfcn.h>

namespace klip::simulate {

inline long RawCall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result = 0;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

inline long RawAddress(const void* pointer) { return reinterpret_cast<long>(pointer); }

// libc's own function.
template <typename Function>
Function* Real(const char* name, const char* version = nullptr) {
  void* const found = version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
  return reinterpret_cast<Function*>(found);
}

}  // namespace klip::simulate
