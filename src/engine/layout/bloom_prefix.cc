#include "engine/layout/bloom_prefix.h"

#include <charconv>
#include <mutex>
#include <utility>

#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/utilities/object_registry.h"

#include "engine/layout/cell_key.h"
#include "klip/cell.h"

namespace klip::engine {
namespace {

constexpr std::string_view kRow = "klip.Row";
constexpr std::string_view kRowCol = "klip.RowCol";
constexpr std::string_view kRowPrefix = "klip.RowPrefix.";

std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

size_t RowBytes(std::string_view key) { return EscapedRowLength(key); }

size_t RowColBytes(std::string_view key) {
  const size_t row = EscapedRowLength(key);
  if (row == 0) {
    return 0;
  }
  const size_t qualifier = EscapedRowLength(key.substr(row));
  return qualifier == 0 ? 0 : row + qualifier;
}

// Escaped length of the first `raw_bytes` bytes of the row, or 0 when the row may be shorter.
size_t RowPrefixBytes(std::string_view key, size_t raw_bytes) {
  size_t at = 0;
  for (size_t raw = 0; raw < raw_bytes; ++raw) {
    if (at >= key.size()) {
      return 0;
    }
    if (key[at] != '\0') {
      ++at;
    } else if (at + 1 < key.size() && key[at + 1] == '\xff') {
      at += 2;
    } else {
      return 0;
    }
  }
  return at;
}

// The length function decides all: 0 means outside the domain.
class CellPrefix final : public rocksdb::SliceTransform {
 public:
  enum class Kind : uint8_t { kWholeRow, kWholeColumn, kRowStart };

  CellPrefix(std::string name, Kind kind, size_t prefix_bytes)
      : name_(std::move(name)), kind_(kind), prefix_bytes_(prefix_bytes) {}

  const char* Name() const override { return name_.c_str(); }
  std::string GetId() const override { return name_; }
  bool InDomain(const rocksdb::Slice& key) const override { return Length(View(key)) > 0; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), Length(View(key))}; }

 private:
  size_t Length(std::string_view key) const {
    switch (kind_) {
      case Kind::kWholeRow:
        return RowBytes(key);
      case Kind::kWholeColumn:
        return RowColBytes(key);
      case Kind::kRowStart:
        break;
    }
    return RowPrefixBytes(key, prefix_bytes_);
  }

  const std::string name_;
  const Kind kind_;
  const size_t prefix_bytes_;
};

rocksdb::SliceTransform* MakeBloomPrefix(std::string_view name) {
  if (name == kRow) {
    return new CellPrefix(std::string(name), CellPrefix::Kind::kWholeRow, 0);
  }
  if (name == kRowCol) {
    return new CellPrefix(std::string(name), CellPrefix::Kind::kWholeColumn, 0);
  }
  if (name.starts_with(kRowPrefix)) {
    const std::string_view digits = name.substr(kRowPrefix.size());
    size_t bytes = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    if (error == std::errc() && end == digits.data() + digits.size() && bytes >= 1 && bytes <= kMaxRowBytes) {
      return new CellPrefix(std::string(name), CellPrefix::Kind::kRowStart, bytes);
    }
  }
  return nullptr;
}

int AddFactories(rocksdb::ObjectLibrary& library, const std::string& /*argument*/) {
  const auto make = [](const std::string& name, std::unique_ptr<const rocksdb::SliceTransform>* guard,
                       std::string* error) -> const rocksdb::SliceTransform* {
    guard->reset(MakeBloomPrefix(name));
    if (*guard == nullptr) {
      *error = "unknown prefix extractor " + name;
    }
    return guard->get();
  };
  library.AddFactory<const rocksdb::SliceTransform>(std::string(kRow), make);
  library.AddFactory<const rocksdb::SliceTransform>(std::string(kRowCol), make);
  library.AddFactory<const rocksdb::SliceTransform>(
      rocksdb::ObjectLibrary::PatternEntry(std::string(kRowPrefix.substr(0, kRowPrefix.size() - 1)), false)
          .AddNumber(".", true),
      make);
  return 3;
}

}  // namespace

std::string BloomPrefixName(BloomKind kind, int prefix_bytes) {
  switch (kind) {
    case BloomKind::kNone:
      return "";
    case BloomKind::kRow:
      return std::string(kRow);
    case BloomKind::kRowCol:
      return std::string(kRowCol);
    case BloomKind::kRowPrefixFixedLength:
      break;
  }
  return std::string(kRowPrefix) + std::to_string(prefix_bytes);
}

std::shared_ptr<const rocksdb::SliceTransform> NewBloomPrefix(std::string_view name) {
  return std::shared_ptr<const rocksdb::SliceTransform>(MakeBloomPrefix(name));
}

void RegisterBloomPrefixes() {
  static std::once_flag once;
  std::call_once(once, [] { rocksdb::ObjectRegistry::Default()->AddLibrary("klip", AddFactories, ""); });
}

}  // namespace klip::engine
