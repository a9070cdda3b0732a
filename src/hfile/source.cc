#include "hfile/source.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace klip::hfile {
namespace {

class FileSource final : public Source {
 public:
  FileSource(std::string path, base::Descriptor file, uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  uint64_t size() const override { return size_; }
  const std::string& name() const override { return path_; }

  Status Read(uint64_t offset, size_t bytes, char* out) const override {
    while (bytes > 0) {
      const ssize_t got = pread(file_.get(), out, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        return {Code::kIoError, path_ + ", offset " + std::to_string(offset) + ": " +
                                    (got == 0 ? "the file has become shorter" : base::ErrorText(errno))};
      }
      offset += static_cast<uint64_t>(got);
      out += got;
      bytes -= static_cast<size_t>(got);
    }
    return Status::Ok();
  }

 private:
  const std::string path_;
  const base::Descriptor file_;
  const uint64_t size_;
};

class BytesSource final : public Source {
 public:
  explicit BytesSource(std::string_view bytes) : bytes_(bytes) {}

  uint64_t size() const override { return bytes_.size(); }
  const std::string& name() const override { return name_; }
  Status Read(uint64_t offset, size_t bytes, char* out) const override {
    std::memcpy(out, bytes_.data() + offset, bytes);
    return Status::Ok();
  }

 private:
  const std::string name_ = "HFile";
  const std::string_view bytes_;
};

}  // namespace

Status Source::Bad(uint64_t offset, std::string_view what) const {
  return {Code::kCorruption, name() + ", offset " + std::to_string(offset) + ": " + std::string(what)};
}

Expected<std::unique_ptr<Source>> OpenFile(std::string path) {
  // Non-blocking: opening a pipe would wait for its other end.
  base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (file.get() < 0 || fstat(file.get(), &info) != 0) {
    return Status(Code::kIoError, path + ": " + base::ErrorText(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return Status(Code::kInvalidArgument, path + " is not a file");
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  return std::unique_ptr<Source>(std::make_unique<FileSource>(std::move(path), std::move(file), size));
}

std::unique_ptr<Source> OpenBytes(std::string_view bytes) { return std::make_unique<BytesSource>(bytes); }

}  // namespace klip::hfile
