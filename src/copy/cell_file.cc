#include "copy/cell_file.h"

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <unistd.h>
#include <zstd.h>

#include "copy/files.h"
#include "copy/io_error.h"
#include "klip/bytes.h"
#include "rpc/cell_block.h"

namespace klip::copy {
namespace {

constexpr auto kCodec = rpc::CellCodec::kKeyValueWithTags;
constexpr size_t kBufferBytes = 256 << 10;
constexpr size_t kMaxCellBytes = 1 << 30;  // when reading a file
constexpr int kLevel = 1;                  // TUNING: faster than a scan; level 3 makes files only a few percent smaller

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

struct CompressorCloser {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class Writer final : public CellFileWriter {
 public:
  Writer(std::string path, File file)
      : path_(std::move(path)), file_(std::move(file)), compressor_(ZSTD_createCCtx()), packed_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1);
  }

  Status Add(const Result& cells) override {
    for (const Cell& cell : cells) {
      rpc::AppendCell(cell, kCodec, &plain_);
    }
    return plain_.size() >= kBufferBytes ? Pack(ZSTD_e_continue) : Status::Ok();
  }

  Status Finish() override {
    KLIP_RETURN_IF_ERROR(Pack(ZSTD_e_end));
    if (std::fflush(file_.get()) != 0 || ::fsync(fileno(file_.get())) != 0) {
      return IoError("cannot write", path_);
    }
    return SyncDirectoryOf(path_);
  }

 private:
  Status Pack(ZSTD_EndDirective directive) {
    ZSTD_inBuffer in = {plain_.data(), plain_.size(), 0};
    size_t left = 1;
    while (directive == ZSTD_e_end ? left > 0 : in.pos < in.size) {
      ZSTD_outBuffer out = {packed_.data(), packed_.size(), 0};
      left = ZSTD_compressStream2(compressor_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0) {
        return {Code::kIoError, "cannot compress '" + path_ + "': " + ZSTD_getErrorName(left)};
      }
      if (std::fwrite(packed_.data(), 1, out.pos, file_.get()) != out.pos) {
        return IoError("cannot write", path_);
      }
    }
    plain_.Clear();
    return Status::Ok();
  }

  const std::string path_;
  const File file_;
  const std::unique_ptr<ZSTD_CCtx, CompressorCloser> compressor_;
  rpc::Buffer plain_;
  std::vector<char> packed_;
};

class Reader final : public CellFileReader {
 public:
  Reader(std::string path, File file)
      : path_(std::move(path)),
        file_(std::move(file)),
        decompressor_(ZSTD_createDCtx()),
        packed_(ZSTD_DStreamInSize()) {}

  Expected<bool> Next(Cell* cell) override {
    KLIP_ASSIGN_OR_RETURN(const size_t have, Want(sizeof(uint32_t)));
    if (have == 0) {
      return false;
    }
    if (have < sizeof(uint32_t)) {
      return Damaged("it ends within a cell");
    }
    const size_t bytes = sizeof(uint32_t) + ReadBigEndian<uint32_t>(plain_.data() + start_);
    if (bytes > kMaxCellBytes) {
      return Damaged("a cell of " + std::to_string(bytes) + " bytes");
    }
    KLIP_ASSIGN_OR_RETURN(const size_t all, Want(bytes));
    if (all < bytes) {
      return Damaged("it ends within a cell");
    }
    rpc::CellBlockReader one(plain_.view().substr(start_, bytes), kCodec);
    if (!one.Next(cell) || cell->row.empty()) {
      return Damaged(one.status().ok() ? "a cell that no table can hold" : one.status().message());
    }
    start_ += bytes;
    offset_ += bytes;
    return true;
  }

 private:
  // Tries to buffer so many bytes from start_ on; returns how many there are.
  Expected<size_t> Want(size_t bytes) {
    if (plain_.size() - start_ < bytes && start_ > 0) {
      std::memmove(plain_.data(), plain_.data() + start_, plain_.size() - start_);
      plain_.Truncate(plain_.size() - start_);
      start_ = 0;
    }
    while (plain_.size() - start_ < bytes) {
      KLIP_ASSIGN_OR_RETURN(const bool more, Unpack());
      if (!more) {
        break;
      }
    }
    return plain_.size() - start_;
  }

  Expected<bool> Unpack() {
    if (in_.pos == in_.size) {
      in_ = {packed_.data(), std::fread(packed_.data(), 1, packed_.size(), file_.get()), 0};
      if (std::ferror(file_.get()) != 0) {
        return IoError("cannot read", path_);
      }
      if (in_.size == 0) {
        return frame_left_ == 0 ? Expected<bool>(false) : Expected<bool>(Damaged("it is cut off"));
      }
    }
    const size_t before = plain_.size();
    ZSTD_outBuffer out = {plain_.Grow(kBufferBytes), kBufferBytes, 0};
    frame_left_ = ZSTD_decompressStream(decompressor_.get(), &out, &in_);
    plain_.Truncate(before + out.pos);
    if (ZSTD_isError(frame_left_) != 0) {
      return Damaged(ZSTD_getErrorName(frame_left_));
    }
    return true;
  }

  Status Damaged(const std::string& what) const {
    return {Code::kCorruption,
            "'" + path_ + "' is damaged at byte " + std::to_string(offset_) + " of its cells: " + what};
  }

  const std::string path_;
  const File file_;
  const std::unique_ptr<ZSTD_DCtx, CompressorCloser> decompressor_;
  std::vector<char> packed_;
  ZSTD_inBuffer in_ = {};
  size_t frame_left_ = 1;  // 0: the frame has ended
  rpc::Buffer plain_;
  size_t start_ = 0;     // of the next cell in plain_
  uint64_t offset_ = 0;  // of the next cell in the file's cells
};

}  // namespace

Expected<std::unique_ptr<CellFileWriter>> CellFileWriter::Create(const std::string& path) {
  File file(std::fopen(path.c_str(), "wbe"));
  if (file == nullptr) {
    return IoError("cannot create", path);
  }
  return std::unique_ptr<CellFileWriter>(std::make_unique<Writer>(path, std::move(file)));
}

Expected<std::unique_ptr<CellFileReader>> CellFileReader::Open(const std::string& path) {
  KLIP_ASSIGN_OR_RETURN(const int opened, OpenToRead(path));
  File file(::fdopen(opened, "rb"));
  return std::unique_ptr<CellFileReader>(std::make_unique<Reader>(path, std::move(file)));
}

}  // namespace klip::copy
