#include "engine/rocks/memtable_rep.h"

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

#include "rocksdb/memtablerep.h"

#include "engine/rocks/key_tree.h"

namespace klip::engine {
namespace {

thread_local constinit MemtableWatch* watch_of_thread = nullptr;

class TreeIterator final : public rocksdb::MemTableRep::Iterator {
 public:
  explicit TreeIterator(const KeyTree* tree) : cursor_(tree) {}

  bool Valid() const override { return cursor_.Valid(); }
  const char* key() const override { return cursor_.entry(); }
  void Next() override { cursor_.Next(); }
  void Prev() override { cursor_.Prev(); }
  void Seek(const rocksdb::Slice& internal_key, const char* memtable_key) override {
    cursor_.Seek(Target(internal_key, memtable_key));
  }
  void SeekForPrev(const rocksdb::Slice& internal_key, const char* memtable_key) override {
    cursor_.SeekForPrev(Target(internal_key, memtable_key));
  }
  void SeekToFirst() override { cursor_.SeekToFirst(); }
  void SeekToLast() override { cursor_.SeekToLast(); }

 private:
  // Either may be given; the second one takes precedence.
  static std::string_view Target(const rocksdb::Slice& internal_key, const char* memtable_key) {
    return memtable_key == nullptr ? internal_key.ToStringView() : KeyTree::InternalKeyOf(memtable_key);
  }

  KeyTree::Cursor cursor_;
};

// A memtable without entries, from which an iterator calls what only a MemTableRep may call.
class EmptyRep : public rocksdb::MemTableRep {
 public:
  explicit EmptyRep(rocksdb::Allocator* allocator) : MemTableRep(allocator) {}

  char* AllocateBytes(size_t bytes) {
    char* allocated = nullptr;
    Allocate(bytes, &allocated);
    return allocated;
  }

  void Insert(rocksdb::KeyHandle /*handle*/) override {}
  bool Contains(const char* /*key*/) const override { return false; }
  size_t ApproximateMemoryUsage() override { return 0; }
  Iterator* GetIterator(rocksdb::Arena* /*arena*/) override { return nullptr; }
};

// For one MemTableRep::Get, which creates an iterator and, in RocksDB 7.8, does not delete it.
class TreeGet final : public EmptyRep {
 public:
  explicit TreeGet(const KeyTree* tree) : EmptyRep(nullptr), iterator_(tree) {}

  Iterator* GetIterator(rocksdb::Arena* /*arena*/) override { return &iterator_; }

 private:
  TreeIterator iterator_;
};

class TreeRep final : public EmptyRep {
 public:
  explicit TreeRep(rocksdb::Allocator* allocator)
      : EmptyRep(allocator), entries_([this](size_t bytes) { return AllocateBytes(bytes); }) {}

  void MarkFlushed() override { entries_.flushed.store(true, std::memory_order_release); }
  void Insert(rocksdb::KeyHandle handle) override { InsertKey(handle); }
  bool InsertKey(rocksdb::KeyHandle handle) override { return entries_.tree.Insert(static_cast<const char*>(handle)); }

  bool Contains(const char* key) const override {
    const std::string_view internal_key = KeyTree::InternalKeyOf(key);
    KeyTree::Cursor cursor(&entries_.tree);
    cursor.Seek(internal_key);
    return cursor.Valid() && KeyTree::Compare(KeyTree::InternalKeyOf(cursor.entry()), internal_key) == 0;
  }

  void Get(const rocksdb::LookupKey& key, void* callback_args,
           bool (*callback)(void* callback_args, const char* entry)) override {
    TreeGet(&entries_.tree).Get(key, callback_args, callback);
  }

  uint64_t ApproximateNumEntries(const rocksdb::Slice& start, const rocksdb::Slice& end) override {
    const uint64_t below_start = entries_.tree.CountBelow(start.ToStringView());
    const uint64_t below_end = entries_.tree.CountBelow(end.ToStringView());
    return below_end > below_start ? below_end - below_start : 0;
  }

  Iterator* GetIterator(rocksdb::Arena* arena) override {
    if (watch_of_thread != nullptr) {
      watch_of_thread->Note(&entries_);
    }
    if (arena == nullptr) {
      return new TreeIterator(&entries_.tree);
    }
    // An Arena is an Allocator, but RocksDB hides both; only a memtable may ask it.
    EmptyRep in_arena(reinterpret_cast<rocksdb::Allocator*>(arena));
    size_t room = sizeof(TreeIterator) + alignof(TreeIterator) - 1;
    void* bytes = in_arena.AllocateBytes(room);
    return new (std::align(alignof(TreeIterator), sizeof(TreeIterator), bytes, room)) TreeIterator(&entries_.tree);
  }

 private:
  MemtableEntries entries_;
};

class TreeRepFactory final : public rocksdb::MemTableRepFactory {
 public:
  const char* Name() const override { return "KlipKeyTree"; }
  bool CanHandleDuplicatedKey() const override { return true; }

  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& /*bytewise*/,
                                          rocksdb::Allocator* allocator, const rocksdb::SliceTransform* /*prefixes*/,
                                          rocksdb::Logger* /*logger*/) override {
    return new TreeRep(allocator);
  }
};

}  // namespace

MemtableWatch::MemtableWatch() { watch_of_thread = this; }

MemtableWatch::~MemtableWatch() { watch_of_thread = nullptr; }

void MemtableWatch::Note(const MemtableEntries* memtable) {
  if (count_ < seen_.size()) {
    seen_[count_] = memtable;
  }
  ++count_;
}

std::shared_ptr<rocksdb::MemTableRepFactory> NewMemTableRepFactory() { return std::make_shared<TreeRepFactory>(); }

}  // namespace klip::engine
