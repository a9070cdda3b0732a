#include "sql/exec/key_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace klip::sql {
namespace {

constexpr size_t kKeyBlockBytes = 4096;  // the file's unit

}  // namespace

KeyFile::KeyFile(Execution* execution) : file_(&execution->temporary), sorter_(std::make_unique<RowSorter>()) {
  sorter_->Reset(execution, {.unique = true});
}

KeyFile::~KeyFile() {
  for (const IndexedBlock& block : blocks_) {
    file_->Free(block.place);
  }
}

Status KeyFile::Add(std::string_view key) { return sorter_->Add({.key = key, .values = {}}); }

Status KeyFile::Finish() {
  KLIP_RETURN_IF_ERROR(sorter_->Finish());
  while (!sorter_->at_end()) {
    const std::string_view key = sorter_->row().key;
    const auto size = static_cast<uint32_t>(key.size());
    if (!block_.empty() && block_.size() + sizeof(size) + key.size() > kKeyBlockBytes) {
      KLIP_RETURN_IF_ERROR(WriteBlock());
    }
    if (block_.empty()) {
      blocks_.push_back({.first_key = first_keys_.Store(key), .place = {}});
    }
    block_.append(reinterpret_cast<const char*>(&size), sizeof(size));
    block_.append(key);
    KLIP_RETURN_IF_ERROR(sorter_->Next());
  }
  sorter_ = nullptr;
  return block_.empty() ? Status::Ok() : WriteBlock();
}

Status KeyFile::WriteBlock() {
  KLIP_ASSIGN_OR_RETURN(blocks_.back().place, file_->Write(block_));
  block_.clear();
  return Status::Ok();
}

Expected<bool> KeyFile::Contains(std::string_view key) {
  const auto after = std::ranges::upper_bound(blocks_, key, {}, &IndexedBlock::first_key);
  if (after == blocks_.begin()) {
    return false;
  }
  const auto number = static_cast<size_t>(after - blocks_.begin()) - 1;
  if (read_ != number) {
    read_ = ~size_t{0};
    KLIP_RETURN_IF_ERROR(file_->Look(blocks_[number].place, &block_));
    read_ = number;
  }
  for (std::string_view rest = block_; !rest.empty();) {
    uint32_t size = 0;
    std::memcpy(&size, rest.data(), sizeof(size));
    if (rest.substr(sizeof(size), size) == key) {
      return true;
    }
    rest.remove_prefix(sizeof(size) + size);
  }
  return false;
}

}  // namespace klip::sql
