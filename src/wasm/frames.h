// The bytes that klip and a module exchange. Numbers are little-endian; `bytes` is a u32 length and as many bytes.
//
//   cell:  u8 type | bytes family | bytes qualifier | i64 timestamp | bytes value | bytes tags
//   row:   u8 kind | bytes row | u32 n, n × cell        kinds: 0 put, 1 delete, 2 increment, 3 append, 4 stored cells
//
//   scan:  bytes start | u8 include start | bytes stop | u8 include stop | u8 reversed | u32 versions | i64 limit | i64 min, max time |
//          u32 n, n × (bytes family | u8 whole family | bytes qualifier)
//   condition:  u8 kind | bytes family | bytes qualifier | u8 operator | bytes value | i64 min, max time | u8 whether it held
//               kinds: 0 value, 1 another comparator, 2 filter. Operators: those of CompareOp
//
// A put of a:q=1 to row r, without a time:
//   00 | 01000000 'r' | 01000000 | 04 | 01000000 'a' | 01000000 'q' | FFFFFFFFFFFFFF7F | 01000000 '1' | 00000000
// Types are HBase's (CellType). The value of an increment's cell is its amount, 8 bytes, most significant first, as
// stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "klip/cell.h"
#include "klip/coprocessor.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"

namespace klip::wasm {

class BytesWriter {
 public:
  BytesWriter() { out_.reserve(kUsual); }

  BytesWriter& U8(uint8_t value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  BytesWriter& U32(size_t value);  // REQUIRES: it fits
  BytesWriter& I64(int64_t value);
  BytesWriter& Bytes(std::string_view bytes);
  BytesWriter& Raw(std::string_view bytes);  // without their length

  size_t size() const { return out_.size(); }
  // Replaces the first five bytes: whether more pages of rows follow, and how many rows this one has.
  void SetMore(bool more, uint32_t rows);
  const std::string& bytes() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  static constexpr size_t kUsual = 512;  // one mutation of a few columns needs one allocation

  std::string out_;
};

// Reads what a module has written. After a read beyond the end, everything is empty, and status() has the position.
class BytesReader {
 public:
  explicit BytesReader(std::string_view bytes) : all_(bytes) {}

  uint8_t U8();
  uint32_t U32();
  int64_t I64();
  std::string_view Bytes();

  bool done() const { return at_ == all_.size(); }
  // Errors: kInvalidArgument naming the offset.
  Status status() const;

 private:
  std::string_view Take(size_t size);

  const std::string_view all_;
  size_t at_ = 0;
  bool failed_ = false;
};

// The start of every argument: bytes table | bytes user | u8 whether rows are locked
BytesWriter BeginArgument(const CoprocessorContext& context);
void WriteMutation(const MutationRef& mutation, BytesWriter* out);
// `row`: for an empty result.
void WriteStored(std::string_view row, const Result& result, BytesWriter* out);

// The parts of a scan that a module may change.
void WriteScan(const Scan& scan, BytesWriter* out);
// `held`: after the commit, whether it was written.
void WriteCondition(const RowCondition& condition, bool held, BytesWriter* out);

// Errors, also below: kInvalidArgument naming the offset or what is wrong.
Expected<Mutation> ReadMutation(std::string_view bytes);
// Replaces the cells of `mutation` by those in `bytes`, and keeps the rest. Errors: also a different row or kind.
Status ReplaceCells(std::string_view bytes, Mutation* mutation);
Status ReadStored(std::string_view bytes, Result* result);
// The same for a row that was read. Errors: also a different row.
Status ReplaceStored(std::string_view bytes, Result* result);
// The answer to a condition: one byte, 0 or 1.
Expected<bool> ReadTruth(std::string_view bytes);
// Replaces the parts of `scan` that WriteScan writes, and keeps the rest.
Status ReadScan(std::string_view bytes, Scan* scan);

}  // namespace klip::wasm
