// Frames between klip and the coprocessor host, a separate JVM: docs/internals/coprocessor-host.md lists them.
//
//   u32 length of the rest | u8 kind | u8 method | u32 length of the cell block | body | cell block
//
// Numbers are big-endian. Messages are HBase's; their cells may be in the frame's block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "klip/cell.h"
#include "klip/status.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"

namespace google::protobuf {
class MessageLite;
}

namespace klip::coprocessor {

enum class FrameKind : uint8_t { kCall, kAnswer, kError };

enum class Method : uint8_t {
  // klip calls the host
  kStart = 1,
  kCheck,
  kOpen,
  kClose,
  kWrite,
  kGet,
  kScanOpen,
  kScanNext,
  kScanClose,
  kService,
  kRegionEvent,
  kMaster,
  kRelease,
  kBackground,
  kStatistics,
  kServerEvent,
  kStoreNext,
  kStoreClose,
  // the host calls klip
  kRegionGet = 64,
  kRegionScanOpen,
  kRegionScanNext,
  kRegionScanClose,
  kRegionMutate,
  kRegionFlush,
  kRegionCompact,
  kRegionCounters,
};

inline constexpr rpc::CellCodec kCodec = rpc::CellCodec::kKeyValueWithTags;

// Writes fields in order, and cells to a separate block.
class FrameWriter {
 public:
  FrameWriter& U8(uint8_t value);
  FrameWriter& U32(size_t value);
  FrameWriter& U64(uint64_t value);
  FrameWriter& Text(std::string_view bytes);
  FrameWriter& Raw(std::string_view bytes);  // fields that were written elsewhere
  FrameWriter& Message(const google::protobuf::MessageLite& message);
  // Writes a Result, with its cells in the block.
  FrameWriter& Answer(const Result& result);
  rpc::Buffer* cells() { return &cells_; }

  // The parts of the frame; the first has the lengths.
  std::string Head(FrameKind kind, Method method) const;
  std::string_view body() const { return body_.view(); }
  std::string_view block() const { return cells_.view(); }

 private:
  rpc::Buffer body_;
  rpc::Buffer cells_;
};

// A received frame. Past its end, and after an unreadable message, all reads return zero, and status() an error.
class FrameReader {
 public:
  FrameReader() = default;
  // `frame`: everything after the length, 6 bytes or more.
  static Expected<FrameReader> Parse(rpc::Buffer frame);

  FrameKind kind() const { return kind_; }
  Method method() const { return method_; }

  uint8_t U8();
  uint32_t U32();
  uint64_t U64();
  std::string_view Text();  // valid as long as the frame
  bool Message(google::protobuf::MessageLite* message);
  Result Answer();
  rpc::CellBlockReader* cells() { return &cells_; }

  // kIoError: the host violates the protocol.
  Status status() const;

 private:
  std::string_view Take(size_t bytes);

  rpc::Buffer frame_;
  FrameKind kind_ = FrameKind::kCall;
  Method method_ = Method::kStart;
  std::string_view rest_;
  rpc::CellBlockReader cells_;
  bool bad_ = false;
};

// The body of an error frame.
void WriteError(const Status& status, FrameWriter* out);
Status ReadError(FrameReader* frame);

}  // namespace klip::coprocessor
