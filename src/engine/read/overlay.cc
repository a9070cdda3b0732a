#include "engine/read/overlay.h"

#include <string_view>
#include <utility>

#include "engine/layout/batch_reader.h"

namespace klip::engine {

// Stands at the smaller key of both sides when moving forward, at the greater one backwards. If both have the key, the
// overlay wins. After a change of direction, the side that was left behind seeks again.
class OverlaidIterator final : public rocksdb::Iterator {
 public:
  OverlaidIterator(std::shared_ptr<const Overlay> overlay, const Overlay::Keys* keys,
                   std::unique_ptr<rocksdb::Iterator> base, const rocksdb::ReadOptions& options)
      : overlay_(std::move(overlay)),
        keys_(keys),
        step_(overlay_->step()),
        base_(std::move(base)),
        lower_(options.iterate_lower_bound),
        upper_(options.iterate_upper_bound),
        at_(keys->end()) {}

  bool Valid() const override { return side_ != Side::kNone; }
  rocksdb::Status status() const override { return base_->status(); }
  rocksdb::Slice key() const override { return side_ == Side::kBase ? base_->key() : rocksdb::Slice(at_->first); }
  rocksdb::Slice value() const override { return side_ == Side::kBase ? base_->value() : rocksdb::Slice(over_->value); }

  void SeekToFirst() override {
    base_->SeekToFirst();
    at_ = lower_ == nullptr ? keys_->begin() : keys_->lower_bound(lower_->ToStringView());
    forward_ = true;
    Settle();
  }
  void SeekToLast() override {
    base_->SeekToLast();
    at_ = upper_ == nullptr ? keys_->end() : keys_->lower_bound(upper_->ToStringView());
    forward_ = false;
    StepBack();
    Settle();
  }
  void Seek(const rocksdb::Slice& target) override {
    base_->Seek(target);
    const bool below = lower_ != nullptr && target.compare(*lower_) < 0;
    at_ = keys_->lower_bound((below ? *lower_ : target).ToStringView());
    forward_ = true;
    Settle();
  }
  void SeekForPrev(const rocksdb::Slice& target) override {
    base_->SeekForPrev(target);
    const bool beyond = upper_ != nullptr && target.compare(*upper_) >= 0;
    at_ = beyond ? keys_->lower_bound(upper_->ToStringView()) : keys_->upper_bound(target.ToStringView());
    forward_ = false;
    StepBack();
    Settle();
  }
  void Next() override {
    if (!forward_) {
      const std::string here = key().ToString();
      Seek(here);
    }
    const bool over = side_ == Side::kOverlay;
    if (!over || equal_) {
      base_->Next();
    }
    if (over) {
      ++at_;
    }
    Settle();
  }
  void Prev() override {
    if (forward_) {
      const std::string here = key().ToString();
      SeekForPrev(here);
    }
    const bool over = side_ == Side::kOverlay;
    if (!over || equal_) {
      base_->Prev();
    }
    if (over) {
      StepBack();
    }
    Settle();
  }

 private:
  enum class Side : uint8_t { kNone, kBase, kOverlay };

  // Backwards, "at its end" means that no key is left before the overlay's position.
  void StepBack() { at_ = at_ == keys_->begin() ? keys_->end() : std::prev(at_); }

  const Overlay::Version* Visible(const Overlay::Versions& versions) const {
    for (const Overlay::Version& version : versions) {
      if (version.step <= step_) {
        return &version;
      }
    }
    return nullptr;
  }

  bool InBounds(std::string_view key) const {
    return forward_ ? upper_ == nullptr || key < upper_->ToStringView()
                    : lower_ == nullptr || key >= lower_->ToStringView();
  }

  // Skips keys that the overlay has removed, and chooses the side.
  void Settle() {
    while (true) {
      over_ = nullptr;
      while (at_ != keys_->end() && InBounds(at_->first) && (over_ = Visible(at_->second)) == nullptr) {
        forward_ ? void(++at_) : StepBack();
      }
      const bool base = base_->Valid();
      if (over_ == nullptr) {
        side_ = base ? Side::kBase : Side::kNone;
        equal_ = false;
        return;
      }
      const int order = base ? base_->key().compare(at_->first) : 0;
      equal_ = base && order == 0;
      if (base && (forward_ ? order < 0 : order > 0)) {
        side_ = Side::kBase;
        return;
      }
      side_ = Side::kOverlay;
      if (!over_->removed) {
        return;
      }
      if (equal_) {
        forward_ ? base_->Next() : base_->Prev();
      }
      forward_ ? void(++at_) : StepBack();
    }
  }

  const std::shared_ptr<const Overlay> overlay_;
  const Overlay::Keys* const keys_;
  const uint64_t step_;
  const std::unique_ptr<rocksdb::Iterator> base_;
  const rocksdb::Slice* const lower_;
  const rocksdb::Slice* const upper_;
  Overlay::Keys::const_iterator at_;
  const Overlay::Version* over_ = nullptr;  // at at_
  Side side_ = Side::kNone;
  bool equal_ = false;  // both sides stand at the same key
  bool forward_ = true;
};

Status Overlay::Add(const WriteSet& writes) {
  constexpr size_t kNodeBytes = 128;
  ++step_;
  BatchReader changes(writes.data());
  LoggedChange change;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, changes.Next(&change));
    if (!more) {
      return Status::Ok();
    }
    if (change.kind == LoggedChange::Kind::kMark) {
      continue;
    }
    Keys& keys = families_[change.column_family];
    auto at = keys.find(change.key);
    if (at == keys.end()) {
      at = keys.emplace(change.key, Versions()).first;
    }
    const bool removed = change.kind == LoggedChange::Kind::kDelete;
    at->second.push_front({step_, removed, removed ? std::string() : std::string(change.value)});
    bytes_ += change.key.size() + change.value.size() + kNodeBytes;
  }
}

void Overlay::RollBackTo(uint64_t step) {
  for (auto& [family, keys] : families_) {
    for (auto& [key, versions] : keys) {
      while (!versions.empty() && versions.front().step > step) {
        rolled_back_.splice_after(rolled_back_.before_begin(), versions, versions.before_begin());
      }
    }
  }
}

std::unique_ptr<rocksdb::Iterator> Overlay::Over(std::unique_ptr<rocksdb::Iterator> base, uint32_t column_family,
                                                 const rocksdb::ReadOptions& options) const {
  const auto keys = families_.find(column_family);
  if (keys == families_.end()) {
    return base;
  }
  return std::make_unique<OverlaidIterator>(shared_from_this(), &keys->second, std::move(base), options);
}

}  // namespace klip::engine
