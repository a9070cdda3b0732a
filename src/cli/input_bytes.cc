#include "cli/input_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/core.h>
#include <sys/stat.h>
#include <zlib.h>

#include "cli/command.h"

namespace klip::cli {
namespace {

using std::string_view_literals::operator""sv;

constexpr size_t kBufferBytes = 256 << 10;
constexpr std::string_view kGzip = "\x1f\x8b"sv;

// The first bytes of what another program must unpack or convert. No text begins like these.
struct OtherFormat {
  std::string_view magic;
  std::string_view name;
  std::string_view remedy;
};
constexpr OtherFormat kOtherFormats[] = {
    {"\x28\xb5\x2f\xfd"sv, "packed with Zstandard", "zstd -dc FILE | klip import ... -"},
    {"BZh91AY&SY"sv, "packed with bzip2", "bzip2 -dc FILE | klip import ... -"},
    {"\xfd\x37zXZ\0"sv, "packed with xz", "xz -dc FILE | klip import ... -"},
    {"\x04\x22\x4d\x18"sv, "packed with LZ4", "lz4 -dc FILE | klip import ... -"},
    {"\xff\x06\0\0sNaPpY"sv, "packed with Snappy", "unpack it first"},
    {"PK\x03\x04"sv, "a zip archive", "unzip -p FILE | klip import ... -"},
    {"PAR1\x15"sv, "Parquet", "--format parquet"},
    {"ARROW1\0\0"sv, "Arrow", "--format arrow"},
};

// UTF-16 of ASCII has a zero byte beside each character.
bool IsUtf16(std::string_view bytes) {
  return (bytes.starts_with("\xff\xfe"sv) && bytes.size() > 3 && bytes[3] == '\0') ||
         (bytes.starts_with("\xfe\xff"sv) && bytes.size() > 2 && bytes[2] == '\0');
}

}  // namespace

void InputBytes::Closer::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

InputBytes::InputBytes(std::FILE* stream) : name_("standard input"), stream_(stream) {}

Expected<InputBytes> InputBytes::Open(const std::string& path) {
  InputBytes bytes(nullptr);
  bytes.name_ = "'" + path + "'";
  struct stat info{};
  bytes.file_.reset(std::fopen(path.c_str(), "rbe"));
  if (bytes.file_ == nullptr || ::fstat(fileno(bytes.file_.get()), &info) != 0) {
    return UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  bytes.stream_ = bytes.file_.get();
  if (S_ISREG(info.st_mode)) {
    bytes.size_bytes_ = info.st_size;
  }
  return bytes;
}

Status InputBytes::Unreadable(const std::string& why) const {
  return {Code::kIoError, fmt::format("cannot read {} beyond byte {} of its text: {}", name_, unpacked_, why)};
}

Expected<bool> InputBytes::FillPacked() {
  packed_.erase(0, at_);
  at_ = 0;
  const size_t before = packed_.size();
  packed_.resize(kBufferBytes);
  const size_t read = std::fread(packed_.data() + before, 1, kBufferBytes - before, stream_);
  const int error = errno;
  packed_.resize(before + read);
  if (read == 0 && std::ferror(stream_) != 0) {
    return Unreadable(std::strerror(error));
  }
  return read > 0;
}

Status InputBytes::Begin() {
  begun_ = true;
  KLIP_RETURN_IF_ERROR(FillPacked().status());
  if (packed_.starts_with(kGzip)) {
    inflate_.reset(new z_stream());
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    return inflateInit2(inflate_.get(), kGzipOnly) == Z_OK ? BeginMember() : Unreadable("no memory for zlib");
  }
  for (const OtherFormat& other : kOtherFormats) {
    if (packed_.starts_with(other.magic)) {
      return Status(Code::kUnsupported, fmt::format("{} is {}; {}", name_, other.name, other.remedy));
    }
  }
  if (IsUtf16(packed_)) {
    return {Code::kUnsupported, fmt::format("{} is UTF-16; iconv -f UTF-16 -t UTF-8 FILE | klip import ... -", name_)};
  }
  if (name_.ends_with(".gz'")) {
    return {Code::kIoError, fmt::format("{} is not gzip, or its first bytes are damaged", name_)};
  }
  return Status::Ok();
}

Status InputBytes::BeginMember() {
  in_member_ = true;
  return inflateReset(inflate_.get()) == Z_OK ? Status::Ok() : Unreadable("zlib cannot be reset");
}

Expected<size_t> InputBytes::Read(char* to, size_t size) {
  if (!begun_) {
    KLIP_RETURN_IF_ERROR(Begin());
  }
  size_t done = 0;
  while (done < size) {
    if (at_ == packed_.size()) {
      KLIP_ASSIGN_OR_RETURN(const bool more, FillPacked());
      if (!more) {
        if (in_member_) {
          return Unreadable("the gzip file is cut off");
        }
        break;
      }
    }
    if (inflate_ != nullptr) {
      KLIP_ASSIGN_OR_RETURN(const size_t unpacked, Unpack(to + done, size - done));
      done += unpacked;
      continue;
    }
    const size_t piece = std::min(size - done, packed_.size() - at_);
    std::memcpy(to + done, packed_.data() + at_, piece);
    at_ += piece;
    position_ += static_cast<int64_t>(piece);
    done += piece;
    unpacked_ += static_cast<int64_t>(piece);
  }
  return done;
}

Expected<size_t> InputBytes::Unpack(char* to, size_t size) {
  if (!in_member_) {
    if (packed_.size() - at_ < kGzip.size()) {
      KLIP_RETURN_IF_ERROR(FillPacked().status());
    }
    if (!std::string_view(packed_).substr(at_).starts_with(kGzip)) {
      return Unreadable(
          fmt::format("at byte {} of the file, after a complete gzip member, something else follows: the "
                      "next member is damaged, or bytes were appended",
                      position_));
    }
    KLIP_RETURN_IF_ERROR(BeginMember());
  }
  inflate_->next_in = reinterpret_cast<Bytef*>(packed_.data() + at_);
  inflate_->avail_in = static_cast<uInt>(packed_.size() - at_);
  inflate_->next_out = reinterpret_cast<Bytef*>(to);
  inflate_->avail_out = static_cast<uInt>(size);
  const int code = inflate(inflate_.get(), Z_NO_FLUSH);
  const size_t taken = packed_.size() - at_ - inflate_->avail_in;
  at_ += taken;
  position_ += static_cast<int64_t>(taken);
  const size_t unpacked = size - inflate_->avail_out;
  unpacked_ += static_cast<int64_t>(unpacked);
  if (code == Z_STREAM_END) {
    in_member_ = false;
  } else if (code != Z_OK) {
    return Unreadable(inflate_->msg != nullptr ? inflate_->msg : "the gzip file is damaged");
  }
  return unpacked;
}

}  // namespace klip::cli
