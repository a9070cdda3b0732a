// An open file descriptor as a value.
#pragma once

#include <string>
#include <utility>

namespace klip::base {

// Closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int get() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

// "No such file or directory".
std::string ErrorText(int error);

}  // namespace klip::base
