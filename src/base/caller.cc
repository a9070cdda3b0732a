#include "klip/caller.h"

#include <array>
#include <utility>

#include <pwd.h>
#include <unistd.h>

namespace klip {
namespace {

thread_local const Caller* current_caller = nullptr;

std::string NameOfProcessUser() {
  constexpr size_t kEnoughBytes = 4096;
  std::array<char, kEnoughBytes> text;
  passwd entry = {};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found);
  return found != nullptr ? found->pw_name : std::to_string(geteuid());
}

Caller& ProcessCaller() {
  static Caller process = {.user = NameOfProcessUser()};
  return process;
}

}  // namespace

std::string_view NameOf(Door door) {
  constexpr std::array<std::string_view, 9> kNames = {"embedded",     "rpc",         "thrift", "rest",   "shell",
                                                      "command line", "replication", "sql",    "console"};
  return kNames[static_cast<size_t>(door)];
}

std::string Caller::ToString() const {
  std::string text = user;
  const auto add = [&](std::string_view word, std::string_view what) {
    if (!what.empty()) {
      text.append(text.empty() ? "" : " ").append(word).append(" ").append(what);
    }
  };
  add("at", address);
  add("by", NameOf(door));
  return text;
}

const Caller& Caller::Current() {
  if (current_caller != nullptr) {
    return *current_caller;
  }
  return ProcessCaller();
}

bool Caller::InScope() { return current_caller != nullptr; }

void Caller::SetDoorOfProcess(Door door) { ProcessCaller().door = door; }

CallerScope::CallerScope(const Caller* caller) : outer_(std::exchange(current_caller, caller)) {}
CallerScope::~CallerScope() { current_caller = outer_; }

}  // namespace klip
