#include "sql/exec/spill.h"

#include <cerrno>
#include <cstdlib>
#include <functional>

#include <fcntl.h>
#include <unistd.h>

#include "klip/cancel.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr int64_t kPageBytes = 4096;  // of file systems: blocks begin at one, so that their space can be given back

int64_t Pages(int64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// Only this process reads it, so a hash of the standard library does.
uint32_t Checksum(std::string_view bytes) { return static_cast<uint32_t>(std::hash<std::string_view>()(bytes)); }

}  // namespace

bool Reservation::TrySetTo(size_t bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  if (!account_->Take(wanted - bytes_, wanted <= account_->sure())) {
    return false;
  }
  bytes_ = wanted;
  return true;
}

Expected<TemporaryFile::Block> TemporaryFile::Write(std::string_view bytes) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  const int64_t pages = Pages(static_cast<int64_t>(bytes.size()));
  if (pages > limit_bytes_ - used_bytes_) {
    return SqlError(999, "50M01",
                    "Unable to allocate enough disk space: the statement needs more than " +
                        std::to_string(limit_bytes_) + " bytes for groups, sorted rows and joins");
  }
  if (file_.get() < 0) {
    KLIP_RETURN_IF_ERROR(Create());
  }
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote =
        ::pwrite(file_.get(), bytes.data() + done, bytes.size() - done, end_ + static_cast<off_t>(done));
    if (wrote < 0 && errno != EINTR) {
      return Failure("writing", errno);
    }
    done += static_cast<size_t>(std::max<ssize_t>(wrote, 0));
  }
  const Block block = {end_, static_cast<uint32_t>(bytes.size()), Checksum(bytes), number_};
  end_ += pages;
  used_bytes_ += pages;
  written_bytes_ += block.bytes;
  return block;
}

Status TemporaryFile::Look(const Block& block, std::string* bytes) const {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  if (block.file != number_) {
    return {Code::kIoError, "SQL: the temporary file of a statement was closed"};
  }
  bytes->resize(block.bytes);
  for (size_t done = 0; done < block.bytes;) {
    const ssize_t read =
        ::pread(file_.get(), bytes->data() + done, block.bytes - done, block.offset + static_cast<off_t>(done));
    if (read < 0 && errno != EINTR) {
      return Failure("reading", errno);
    }
    if (read == 0) {
      return {Code::kCorruption, "SQL: the temporary file of a statement ends early"};
    }
    done += static_cast<size_t>(std::max<ssize_t>(read, 0));
  }
  if (Checksum(*bytes) != block.checksum) {
    return {Code::kCorruption, "SQL: the temporary file of a statement is damaged: a block has a wrong checksum"};
  }
  return Status::Ok();
}

void TemporaryFile::Free(const Block& block) {
  constexpr int kHole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (block.file == number_ && ::fallocate(file_.get(), kHole, block.offset, Pages(block.bytes)) == 0) {
    used_bytes_ -= Pages(block.bytes);  // on file systems without holes the space returns with Close
  }
}

void TemporaryFile::Close() {
  file_ = base::Descriptor();
  ++number_;
  end_ = 0;
  used_bytes_ = 0;
}

Status TemporaryFile::Create() {
  if (directory_.empty()) {
    const char* const set = std::getenv("TMPDIR");
    directory_ = set != nullptr && *set != '\0' ? set : "/var/tmp";  // not /tmp, which may be in memory
  }
  std::string path = directory_ + "/klip-sql-XXXXXX";
  file_ = base::Descriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (file_.get() < 0) {
    return Failure("creating", errno);
  }
  ::unlink(path.c_str());
  return Status::Ok();
}

Status TemporaryFile::Failure(std::string_view what, int error) const {
  const std::string text =
      std::string(what) + " the temporary file of a statement in " + directory_ + ": " + base::ErrorText(error);
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return full ? SqlError(999, "50M01", "Unable to allocate enough disk space: " + text)
              : Status(Code::kIoError, "SQL: " + text);
}

}  // namespace klip::sql
