#include "net/call_memory.h"

#include <string>
#include <utility>

namespace klip::net {
namespace {

// As received, as mutations, and as written.
constexpr int64_t kRequestCopies = 3;
// As read, as the gateway's cells, as a document, and as sent.
constexpr int64_t kAnswerCopies = 4;

}  // namespace

Status CallMemory::Hold() {
  const int64_t bytes = kRequestCopies * request_bytes_ + kAnswerCopies * (answer_bytes_ + row_bytes_);
  if (lease_.HoldInSteps(static_cast<size_t>(bytes))) {
    return Status::Ok();
  }
  const bool never = static_cast<size_t>(bytes) > lease_.budget()->largest();
  return {never ? Code::kRowTooBig : Code::kRegionTooBusy,
          "not enough memory for a call of " + std::to_string(bytes) + " bytes" +
              (never ? ": request less at once" : " at the moment: try again") + " (memory-limit)"};
}

// Unless the gateway says otherwise, a row that was read is kept for the answer.
Status CallMemory::HoldRow(int64_t bytes) {
  answer_bytes_ += bytes < row_bytes_ ? row_bytes_ : 0;
  row_bytes_ = bytes;
  return Hold();
}

Status CallMemory::HoldAnswer(int64_t bytes) {
  answer_bytes_ = bytes;
  row_bytes_ = 0;
  return Hold();
}

Status CallMemory::HoldRequest(int64_t bytes) {
  request_bytes_ = bytes;
  return Hold();
}

MemoryLease CallMemory::PassOn(size_t bytes) {
  lease_.HoldAnyway(bytes);
  lease_.Shrink(bytes);
  return std::move(lease_);
}

}  // namespace klip::net
