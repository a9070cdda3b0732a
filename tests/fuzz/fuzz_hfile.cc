#include <cstdlib>

#include "fuzz/targets.h"
#include "hfile/reader.h"

namespace klip::fuzz {
namespace {

using hfile::CellDecoder;
using hfile::CellTail;

// A cell's views lie in memory that may be read: of the input, or of the decoder.
size_t Touch(const Cell& cell) {
  size_t sum = 0;
  for (const std::string_view bytes : {cell.row, cell.family, cell.qualifier, cell.value, cell.tags}) {
    for (const char byte : bytes) {
      sum += static_cast<unsigned char>(byte);
    }
  }
  return sum;
}

void ReadFile(std::string_view bytes) {
  const Expected<std::unique_ptr<hfile::Reader>> reader = hfile::Reader::Open(hfile::OpenBytes(bytes));
  Cell cell;
  while (reader.ok()) {
    const Expected<bool> more = (*reader)->Next(&cell);
    if (!more.ok() || !*more) {
      return;
    }
    if (Touch(cell) > bytes.size() * 255 * 1000) {
      abort();
    }
  }
}

// With the whole file, checksums would stop most inputs before they reach this code.
void DecodeBlock(std::string_view bytes, CellTail tail, bool encoded) {
  CellDecoder decoder(tail);
  if (!decoder.Start(bytes, encoded).ok()) {
    return;
  }
  Cell cell;
  size_t cells = 0;
  for (Expected<bool> more = decoder.Next(&cell); more.ok() && *more; more = decoder.Next(&cell)) {
    // A cell takes at least one byte.
    if (++cells > bytes.size() || Touch(cell) > bytes.size() * bytes.size() * 255) {
      abort();
    }
  }
}

}  // namespace

void FuzzHFile(std::string_view bytes) {
  ReadFile(bytes);
  if (bytes.empty()) {
    return;
  }
  const auto flags = static_cast<unsigned char>(bytes[0]);
  DecodeBlock(bytes.substr(1),
              {.has_tags = (flags & 1) != 0, .packs_tags = (flags & 2) != 0, .has_sequence = (flags & 4) != 0},
              (flags & 8) != 0);
}

}  // namespace klip::fuzz
