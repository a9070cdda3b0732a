// KeyTree: the order of a memtable's entries. A B+ tree with one writer and any number of readers, which take no locks.
//
// RocksDB's skip list waits for memory at each of its twenty steps. Here, a search visits three or four nodes. Within a
// node it compares adjacent numbers, the "heads": the eight bytes of each key after the prefix that the node's keys
// share. It reads the keys themselves only where heads are equal.
//
// Example: a leaf with user keys "visit/alice", "visit/bob" and "visit/carol" has the prefix "visit/" and the heads
// "alice", "bob" and "carol", padded with zeros to eight bytes. A search for "visit/bert" finds by three integer
// comparisons that its head lies between the first two. When a leaf of 62 entries is full, it splits into two of 31. If
// the new key comes last in the whole tree, only the last entry moves to the new leaf, so ascending inserts leave full
// leaves behind.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace klip::engine {

// An entry is what RocksDB's memtable makes of a key and its value: the length of the internal key (varint), the internal
// key, and further bytes, which the tree ignores. An internal key is a user key and 8 bytes, little-endian: sequence
// number << 8 | type. Order: user key by its bytes, then the higher sequence number first. Types are not compared.
class KeyTree {
 public:
  // Allocates memory for a node, with any alignment. It lives as long as the tree.
  using AllocateBytes = std::function<char*(size_t bytes)>;

  explicit KeyTree(AllocateBytes allocate) : allocate_(std::move(allocate)) {}
  KeyTree(const KeyTree&) = delete;
  KeyTree& operator=(const KeyTree&) = delete;

  // False: an entry of this key and sequence number exists already, and stays. `entry` must outlive the tree and not
  // change. One thread at a time; concurrent readers are allowed.
  bool Insert(const char* entry);

  static std::string_view InternalKeyOf(const char* entry);
  // Of an entry of RocksDB's memtable: its length (varint) and its bytes follow the internal key.
  static std::string_view ValueOf(const char* entry);
  bool Empty() const { return root_.load(std::memory_order_acquire) == nullptr; }
  // Compares internal keys; negative, zero, positive, as memcmp.
  static int Compare(std::string_view a, std::string_view b);

  // The approximate number of entries below `internal_key`.
  uint64_t CountBelow(std::string_view internal_key) const;

  class Cursor;

 private:
  struct Node;
  struct InnerNode;
  struct Key;
  struct Slot {
    unsigned index = 0;  // of the first key that is not less than the wanted one
    bool equal = false;
  };

  // Higher than any tree in memory: all nodes but the rightmost are at least half full.
  static constexpr size_t kMostLevels = 24;

  static Slot Search(const Node& node, unsigned count, const Key& key);
  static unsigned ChildOf(const Node& node, const Key& key);
  static void SetPrefix(Node* node, size_t prefix_bytes);
  static void SetBounds(Node* node, const char* low, const char* high);
  static void Put(Node* node, unsigned index, const char* entry, Node* child);
  Node* NewNode(unsigned height);
  void SplitOnTheWayTo(const Key& key);
  double EntriesIn(const Node& node) const;

  AllocateBytes allocate_;
  std::atomic<Node*> root_{nullptr};
  std::atomic<uint64_t> entries_{0};
  std::array<std::atomic<uint64_t>, kMostLevels> nodes_{};  // of each height
};

// Walks a tree. After a Seek, sees every entry that was inserted before it, in order and once, and may see later ones.
// The tree must outlive it.
class KeyTree::Cursor {
 public:
  explicit Cursor(const KeyTree* tree) : tree_(tree) {}

  bool Valid() const { return entry_ != nullptr; }
  const char* entry() const { return entry_; }  // Valid()

  void Seek(std::string_view internal_key);         // the first entry at or above it
  void SeekForPrev(std::string_view internal_key);  // the last entry at or below it
  void SeekToFirst();
  void SeekToLast();
  void Next();  // Valid()
  void Prev();  // Valid()

 private:
  void FindFrom(const Key& key);
  void FindBelow(const Key* key);
  bool TryDescend(const Key* key, bool below);
  bool Unchanged() const;

  const KeyTree* tree_;
  const Node* leaf_ = nullptr;  // the leaf that contained entry_
  const char* entry_ = nullptr;
  const char* after_ = nullptr;  // the first entry of the next leaf
  uint32_t version_ = 0;         // of leaf_, when index_ was determined
  uint32_t index_ = 0;
};

}  // namespace klip::engine
