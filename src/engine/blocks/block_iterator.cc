#include "engine/blocks/block_iterator.h"

#include <algorithm>
#include <utility>

namespace klip::engine {

BlockIterator::BlockIterator(BlockView view, const rocksdb::ReadOptions& options, const BlockCache* cache,
                             rocksdb::Statistics* statistics)
    : view_(std::move(view)) {
  reads_.cache = cache;
  reads_.statistics = statistics;
  reads_.sequence = view_.sequence;
  reads_.fill_cache = options.fill_cache;
  reads_.cached_only = options.read_tier == rocksdb::kBlockCacheTier;
  if (options.iterate_lower_bound != nullptr) {
    lower_ = options.iterate_lower_bound->ToStringView();
    reads_.lower = &lower_;
  }
  if (options.iterate_upper_bound != nullptr) {
    upper_ = options.iterate_upper_bound->ToStringView();
    reads_.upper = &upper_;
  }
  memtables_.reserve(view_.memtables.size());
  tables_.reserve(view_.tables->runs.size());
  runs_.reserve(view_.memtables.size() + view_.tables->runs.size());
  for (const KeyTree* memtable : view_.memtables) {
    runs_.push_back(&memtables_.emplace_back(memtable, &reads_));
  }
  for (const SortedRun& run : view_.tables->runs) {
    runs_.push_back(&tables_.emplace_back(&run, &reads_));
  }
}

void BlockIterator::LeaveWindow() {
  if (window_of_ != nullptr) {
    window_of_->MoveTo(std::clamp(i_, begin_, end_ - 1));
    window_of_ = nullptr;
  }
}

void BlockIterator::End() {
  valid_ = false;
  window_of_ = nullptr;
  i_ = begin_ = end_ = 0;
}

void BlockIterator::Seek(const rocksdb::Slice& target) {
  const bool below = reads_.lower != nullptr && target.ToStringView() < lower_;
  target_.assign(below ? lower_ : target.ToStringView());  // `target` may be a key of a block that is released
  SeekForward(target_);
}

// Runs that already are at or above the target stay: what they have passed is below the current key.
void BlockIterator::SeekForward(std::string_view target) {
  const bool onward = valid_ && forward_ && target >= key_ && reads_.status.ok();
  LeaveWindow();
  reads_.status = rocksdb::Status::OK();
  forward_ = true;
  if (reads_.upper != nullptr && target >= upper_) {
    End();
    return;
  }
  for (RunCursor* const run : runs_) {
    if (!onward || (run->valid() && run->key() < target)) {
      run->Seek(target);
    }
  }
  Settle<true>();
}

void BlockIterator::SeekForPrev(const rocksdb::Slice& target) {
  if (reads_.upper != nullptr && target.ToStringView() >= upper_) {
    SeekToLast();
    return;
  }
  target_.assign(target.ToStringView());
  target_.push_back('\0');  // the keys below it are those up to the target
  SeekBackward(target_);
}

void BlockIterator::SeekToLast() {
  if (reads_.upper != nullptr) {
    target_.assign(upper_);
    SeekBackward(target_);
    return;
  }
  LeaveWindow();
  reads_.status = rocksdb::Status::OK();
  forward_ = false;
  for (RunCursor* const run : runs_) {
    run->SeekToLast();
  }
  Settle<false>();
}

void BlockIterator::SeekBackward(std::string_view target) {
  LeaveWindow();
  reads_.status = rocksdb::Status::OK();
  forward_ = false;
  for (RunCursor* const run : runs_) {
    run->SeekBelow(target);
  }
  Settle<false>();
}

void BlockIterator::NextOutside() {
  if (!valid_) {
    return End();
  }
  if (!forward_) {
    target_.assign(key_);
    target_.push_back('\0');  // the first key after it
    SeekForward(target_);
    return;
  }
  LeaveWindow();
  Pass<true>(current_);
  Settle<true>();
}

void BlockIterator::PrevOutside() {
  if (!valid_) {
    return End();
  }
  if (forward_) {
    target_.assign(key_);
    SeekBackward(target_);
    return;
  }
  LeaveWindow();
  Pass<false>(current_);
  Settle<false>();
}

template <bool kForward>
BlockIterator::Choice BlockIterator::Choose() const {
  Choice choice;
  std::string_view key;
  for (RunCursor* const run : runs_) {
    if (!run->valid()) {
      continue;
    }
    const std::string_view mine = run->key();
    const int order = choice.best == nullptr ? 0 : kForward ? mine.compare(key) : key.compare(mine);
    if (choice.best == nullptr) {
      choice.best = run;
      key = mine;
    } else if (order < 0) {
      choice = {.best = run, .tied = false, .others = true, .next = key};
      key = mine;
    } else if (order == 0) {
      choice.tied = true;
      choice.best = run->sequence() > choice.best->sequence() ? run : choice.best;
    } else if (!choice.others || (kForward ? mine < choice.next : mine > choice.next)) {
      choice.others = true;
      choice.next = mine;
    }
  }
  return choice;
}

// Moves all runs with this key past it.
template <bool kForward>
void BlockIterator::Pass(const Choice& choice) {
  const auto move = [](RunCursor* run) { kForward ? run->Next() : run->Prev(); };
  if (choice.tied) {
    const std::string_view key = choice.best->key();
    for (RunCursor* const run : runs_) {
      if (run != choice.best && run->valid() && run->key() == key) {
        move(run);
      }
    }
  }
  move(choice.best);
}

template <bool kForward>
void BlockIterator::Settle() {
  valid_ = false;
  while (reads_.status.ok()) {
    const Choice choice = Choose<kForward>();
    const RunCursor* const best = choice.best;
    if (best == nullptr || (kForward ? reads_.upper != nullptr && best->key() >= upper_
                                     : reads_.lower != nullptr && best->key() < lower_)) {
      break;
    }
    if (best->deleted()) {
      Pass<kForward>(choice);
      continue;
    }
    valid_ = true;
    current_ = choice;
    key_ = best->key();
    value_ = best->value();
    i_ = begin_ = 0;
    end_ = 1;
    if (TableCursor* const table = choice.best->table(); table != nullptr && !choice.tied && table->all_visible()) {
      kForward ? OpenForwardWindow(table, choice) : OpenBackwardWindow(table, choice);
    }
    return;
  }
  End();
}

void BlockIterator::OpenForwardWindow(TableCursor* table, const Choice& choice) {
  const DecodedBlock& block = table->block();
  const uint32_t at = table->at();
  const uint32_t special = block.has_specials() ? block.SpecialFrom(at) : block.size();
  if (special == at) {
    return;
  }
  uint32_t end = special;
  if (choice.others && block.Key(end - 1) >= choice.next) {
    end = std::min(end, block.Gallop(choice.next, at));
  }
  if (reads_.upper != nullptr && block.Key(end - 1) >= upper_) {
    end = std::min(end, block.Gallop(upper_, at));
  }
  window_of_ = table;
  block_ = &block;
  i_ = begin_ = at;
  end_ = end;
}

void BlockIterator::OpenBackwardWindow(TableCursor* table, const Choice& choice) {
  const DecodedBlock& block = table->block();
  const uint32_t at = table->at();
  uint32_t begin = block.has_specials() ? block.EndOfSpecialBefore(at + 1) : 0;
  if (begin > at) {
    return;
  }
  if (choice.others && block.Key(begin) <= choice.next) {
    begin = block.LowerBound(choice.next, begin, at + 1);
    begin += block.Key(begin) == choice.next ? 1 : 0;
  }
  if (reads_.lower != nullptr && block.Key(begin) < lower_) {
    begin = block.LowerBound(lower_, begin, at + 1);
  }
  window_of_ = table;
  block_ = &block;
  begin_ = begin;
  i_ = at;
  end_ = at + 1;
}

}  // namespace klip::engine
