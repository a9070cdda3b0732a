#include "engine/rocks/key_tree.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace klip::engine {
namespace {

constexpr size_t kSequenceBytes = 8;
constexpr size_t kCacheLineBytes = 64;

// TUNING: with 62 a leaf is 1 KB.
constexpr unsigned kSlots = 62;

}  // namespace

struct KeyTree::Key {
  explicit Key(std::string_view internal_key)
      : data(internal_key.data()), user_bytes(internal_key.size() - kSequenceBytes) {}
  explicit Key(const char* entry) : Key(InternalKeyOf(entry)) {}

  std::string_view user() const { return {data, user_bytes}; }

  uint64_t sequence() const {
    uint64_t packed = 0;
    std::memcpy(&packed, data + user_bytes, sizeof(packed));
    if constexpr (std::endian::native == std::endian::big) {
      packed = __builtin_bswap64(packed);
    }
    return packed >> 8;
  }

  // The eight bytes from `prefix_bytes` on as a number, with zeros for bytes beyond the user key. Among keys that share
  // the bytes before, a smaller head means a smaller key; equal heads decide nothing.
  uint64_t Head(size_t prefix_bytes) const {
    if (user_bytes <= prefix_bytes) {
      return 0;
    }
    uint64_t head = 0;
    std::memcpy(&head, data + prefix_bytes, sizeof(head));  // reads at most into the sequence number
    if constexpr (std::endian::native == std::endian::little) {
      head = __builtin_bswap64(head);
    }
    const size_t bytes = user_bytes - prefix_bytes;
    return bytes >= sizeof(head) ? head : head & (~uint64_t{0} << (64 - 8 * bytes));
  }

  // Negative, zero, positive, as memcmp.
  int Compare(const Key& other) const {
    if (const int order = user().compare(other.user()); order != 0) {
      return order;
    }
    const uint64_t mine = sequence();
    const uint64_t theirs = other.sequence();
    return mine == theirs ? 0 : mine > theirs ? -1 : 1;
  }

  size_t InCommon(const Key& other) const {
    const size_t most = std::min(user_bytes, other.user_bytes);
    return static_cast<size_t>(std::mismatch(data, data + most, other.data).first - data);
  }

  const char* data;
  size_t user_bytes;
};

// A node's version is odd while the writer changes it, and different afterwards. What a reader read from the node is
// valid if the version was even before and is the same after (an optimistic read). All loads acquire and all stores
// release, so neither is reordered with the version's; on x86 they are plain moves. In a node that is being changed, a
// reader may meet wrong pointers, but each leads to an entry or a node.
//
// An append to a leaf does not change the version: the count that makes it visible is its last store.
struct KeyTree::Node {
  explicit Node(unsigned node_height) : height(node_height) {}

  uint32_t StableVersion() const {
    constexpr int kSpins = 64;
    for (int i = 0;; ++i) {
      const uint32_t seen = version.load(std::memory_order_acquire);
      if (seen % 2 == 0) {
        return seen;
      }
      if (i >= kSpins) {
        std::this_thread::yield();  // the writer was preempted in the middle of a change
      }
    }
  }
  void FlipVersion() { version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  unsigned Count() const { return count.load(std::memory_order_acquire); }
  const char* EntryAt(unsigned i) const { return entries[i].load(std::memory_order_acquire); }

  // The first in [begin, end) whose head is not less than `head`.
  unsigned LowerBound(unsigned begin, unsigned end, uint64_t head) const {
    while (begin < end) {
      const unsigned middle = (begin + end) / 2;
      const bool below = heads[middle].load(std::memory_order_acquire) < head;
      begin = below ? middle + 1 : begin;
      end = below ? end : middle;
    }
    return begin;
  }

  void Prefetch() const {
    for (size_t line = 0; line < (offsetof(Node, entries) + kCacheLineBytes - 1) / kCacheLineBytes; ++line) {
      __builtin_prefetch(reinterpret_cast<const char*>(this) + line * kCacheLineBytes);
    }
  }

  std::atomic<uint32_t> version{0};
  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> prefix_bytes{0};  // the bytes that all keys share; heads start after them
  const unsigned height;                  // 0: a leaf
  // Whether both neighbours limit the keys that can be inserted here. Then every key that is searched for here has the
  // prefix.
  std::atomic<bool> bounded{false};
  std::array<std::atomic<uint64_t>, kSlots> heads{};
  std::array<std::atomic<const char*>, kSlots> entries{};
};

// Child i contains the keys from entries[i] on, below entries[i + 1]. The first child of the leftmost nodes also contains
// those below entries[0]. Otherwise, entries[i] is the first entry of child i: entries are never removed, and no smaller
// one is inserted there.
struct KeyTree::InnerNode : Node {
  using Node::Node;

  static InnerNode* Of(Node* node) { return static_cast<InnerNode*>(node); }
  static const InnerNode& Of(const Node& node) { return static_cast<const InnerNode&>(node); }
  Node* Child(unsigned i) const { return children[i].load(std::memory_order_acquire); }

  std::array<std::atomic<Node*>, kSlots> children{};
};

namespace {

std::string_view LengthAndBytes(const char* at) {
  uint32_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    length |= static_cast<uint32_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return {at, length};
    }
  }
}

}  // namespace

std::string_view KeyTree::InternalKeyOf(const char* entry) { return LengthAndBytes(entry); }

std::string_view KeyTree::ValueOf(const char* entry) {
  const std::string_view key = InternalKeyOf(entry);
  return LengthAndBytes(key.data() + key.size());
}

int KeyTree::Compare(std::string_view a, std::string_view b) { return Key(a).Compare(Key(b)); }

KeyTree::Node* KeyTree::NewNode(unsigned height) {
  const size_t node_bytes = height == 0 ? sizeof(Node) : sizeof(InnerNode);
  size_t room = node_bytes + alignof(InnerNode) - 1;  // another cache line for each would be 1 % of a memtable
  void* bytes = allocate_(room);
  bytes = std::align(alignof(InnerNode), node_bytes, bytes, room);
  nodes_[height].store(nodes_[height].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return height == 0 ? new (bytes) Node(height) : new (bytes) InnerNode(height);
}

// Searches the first `count` entries of the node.
KeyTree::Slot KeyTree::Search(const Node& node, unsigned count, const Key& key) {
  const size_t prefix_bytes = node.prefix_bytes.load(std::memory_order_acquire);
  if (!node.bounded.load(std::memory_order_acquire) && prefix_bytes > 0 && count > 0) {
    const std::string_view prefix = Key(node.EntryAt(0)).user().substr(0, prefix_bytes);
    if (const int order = key.user().substr(0, prefix_bytes).compare(prefix); order != 0) {
      return {order < 0 ? 0 : count, false};
    }
  }
  const uint64_t head = key.Head(prefix_bytes);
  unsigned low = node.LowerBound(0, count, head);
  if (low == count || node.heads[low].load(std::memory_order_acquire) != head) {
    return {low, false};
  }
  // Equal heads are mostly versions of one cell, the newest first: a newer one belongs before them.
  int order = key.Compare(Key(node.EntryAt(low)));
  if (order <= 0) {
    return {low, order == 0};
  }
  ++low;
  unsigned high = head == UINT64_MAX ? count : node.LowerBound(low, count, head + 1);
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    order = key.Compare(Key(node.EntryAt(middle)));
    if (order == 0) {
      return {middle, true};
    }
    if (order > 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low, false};
}

unsigned KeyTree::ChildOf(const Node& node, const Key& key) {
  const Slot slot = Search(node, node.Count(), key);
  return slot.equal || slot.index == 0 ? slot.index : slot.index - 1;
}

void KeyTree::SetPrefix(Node* node, size_t prefix_bytes) {
  node->prefix_bytes.store(static_cast<uint32_t>(prefix_bytes), std::memory_order_release);
  const unsigned count = node->Count();
  for (unsigned i = 0; i < count; ++i) {
    node->heads[i].store(Key(node->EntryAt(i)).Head(prefix_bytes), std::memory_order_release);
  }
}

// `low` and `high` limit the keys of this node: low <= key < high; null: no limit. The node is not empty.
void KeyTree::SetBounds(Node* node, const char* low, const char* high) {
  const bool bounded = low != nullptr && high != nullptr;
  node->bounded.store(bounded, std::memory_order_release);
  const char* first = bounded ? low : node->EntryAt(0);
  const char* last = bounded ? high : node->EntryAt(node->Count() - 1);
  SetPrefix(node, Key(first).InCommon(Key(last)));
}

// REQUIRES: the node has space. `child` is null in leaves.
void KeyTree::Put(Node* node, unsigned index, const char* entry, Node* child) {
  const Key key(entry);
  const unsigned count = node->Count();
  const size_t old_prefix_bytes = node->prefix_bytes.load(std::memory_order_relaxed);
  size_t prefix_bytes = old_prefix_bytes;
  if (count == 0) {
    prefix_bytes = key.user_bytes;
  } else if (!node->bounded.load(std::memory_order_relaxed)) {
    prefix_bytes = std::min(prefix_bytes, key.InCommon(Key(node->EntryAt(0))));
  }
  const bool append = node->height == 0 && index == count && prefix_bytes == old_prefix_bytes;
  if (!append) {
    node->FlipVersion();
  }
  if (prefix_bytes != old_prefix_bytes) {
    SetPrefix(node, prefix_bytes);
  }
  const auto put = [count, index](auto& slots, auto value) {
    for (unsigned i = count; i > index; --i) {
      slots[i].store(slots[i - 1].load(std::memory_order_relaxed), std::memory_order_release);
    }
    slots[index].store(value, std::memory_order_release);
  };
  put(node->heads, key.Head(prefix_bytes));
  put(node->entries, entry);
  if (child != nullptr) {
    put(InnerNode::Of(node)->children, child);
  }
  node->count.store(count + 1, std::memory_order_release);
  if (!append) {
    node->FlipVersion();
  }
}

bool KeyTree::Insert(const char* entry) {
  const Key key(entry);
  if (root_.load(std::memory_order_relaxed) == nullptr) {
    root_.store(NewNode(0), std::memory_order_release);
  }
  Node* node = root_.load(std::memory_order_relaxed);
  bool full = node->Count() == kSlots;
  while (!full && node->height > 0) {
    node = InnerNode::Of(node)->Child(ChildOf(*node, key));
    node->Prefetch();
    full = node->Count() == kSlots;
  }
  if (full) {
    SplitOnTheWayTo(key);
    return Insert(entry);
  }
  const Slot slot = Search(*node, node->Count(), key);
  if (slot.equal) {
    return false;
  }
  Put(node, slot.index, entry, nullptr);
  entries_.store(entries_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

// Splits the highest full node: the one above it has space. The node's version stays odd until the new node can be found
// from above, so that no reader concludes that its entries are missing.
void KeyTree::SplitOnTheWayTo(const Key& key) {
  Node* above = nullptr;
  unsigned at = 0;
  const char* low = nullptr;
  const char* high = nullptr;
  Node* node = root_.load(std::memory_order_relaxed);
  while (node->Count() < kSlots) {
    at = ChildOf(*node, key);
    low = at > 0 ? node->EntryAt(at) : low;
    high = at + 1 < node->Count() ? node->EntryAt(at + 1) : high;
    above = node;
    node = InnerNode::Of(node)->Child(at);
  }
  // Ascending keys leave full nodes behind. In the middle of the tree, that could leave nearly empty ones.
  const bool at_the_end = high == nullptr && Search(*node, kSlots, key).index == kSlots;
  const unsigned kept = at_the_end ? kSlots - 1 : kSlots / 2;
  Node* right = NewNode(node->height);
  node->FlipVersion();
  for (unsigned i = kept; i < kSlots; ++i) {
    right->entries[i - kept].store(node->EntryAt(i), std::memory_order_release);
    if (node->height > 0) {
      InnerNode::Of(right)->children[i - kept].store(InnerNode::Of(node)->Child(i), std::memory_order_release);
    }
  }
  right->count.store(kSlots - kept, std::memory_order_release);
  node->count.store(kept, std::memory_order_release);
  const char* separator = right->EntryAt(0);
  SetBounds(node, low, separator);
  SetBounds(right, separator, high);
  if (above != nullptr) {
    if (at == 0 && low == nullptr) {
      above->FlipVersion();
      above->entries[0].store(node->EntryAt(0),
                              std::memory_order_release);  // the separator may be below the previous first entry
      SetBounds(above, nullptr, nullptr);
      above->FlipVersion();
    }
    Put(above, at + 1, separator, right);
  } else {
    Node* root = NewNode(node->height + 1U);
    Put(root, 0, node->EntryAt(0), node);
    Put(root, 1, separator, right);
    root_.store(root, std::memory_order_release);
  }
  node->FlipVersion();
}

// Exact for leaves; for other nodes, the number of children times the mean of the nodes below.
double KeyTree::EntriesIn(const Node& node) const {
  if (node.height == 0) {
    return node.Count();
  }
  const auto nodes_below = static_cast<double>(nodes_[node.height - 1U].load(std::memory_order_relaxed));
  return node.Count() * static_cast<double>(entries_.load(std::memory_order_relaxed)) / nodes_below;
}

// Ignores concurrent changes, which are small.
uint64_t KeyTree::CountBelow(std::string_view internal_key) const {
  const Key key(internal_key);
  const Node* node = root_.load(std::memory_order_acquire);
  if (node == nullptr) {
    return 0;
  }
  double below = 0;
  while (node->height > 0) {
    const InnerNode& inner = InnerNode::Of(*node);
    const unsigned at = ChildOf(*node, key);
    for (unsigned i = 0; i < at; ++i) {
      below += EntriesIn(*inner.Child(i));
    }
    node = inner.Child(at);
  }
  return static_cast<uint64_t>(below) + Search(*node, node->Count(), key).index;
}

bool KeyTree::Cursor::Unchanged() const { return leaf_->version.load(std::memory_order_relaxed) == version_; }

// Tries once to move to the first entry at or above *key, or to the last one below it; a null key is above all. False: a
// node changed on the way. It takes each node's version before it checks that the node above has not changed: until then,
// the path was correct.
bool KeyTree::Cursor::TryDescend(const Key* key, bool below) {
  entry_ = nullptr;
  after_ = nullptr;
  const Node* node = tree_->root_.load(std::memory_order_acquire);
  if (node == nullptr) {
    return true;
  }
  uint32_t version = node->StableVersion();
  if (tree_->root_.load(std::memory_order_relaxed) != node) {
    return false;
  }
  while (node->height > 0) {
    const unsigned count = node->Count();
    const Slot slot = key != nullptr ? Search(*node, count, *key) : Slot{count, false};
    const unsigned at = (slot.equal && !below) || slot.index == 0 ? slot.index : slot.index - 1;
    const char* after = at + 1 < count ? node->EntryAt(at + 1) : after_;
    const Node* child = InnerNode::Of(*node).Child(at);
    child->Prefetch();
    const uint32_t child_version = child->StableVersion();
    if (node->version.load(std::memory_order_relaxed) != version) {
      return false;
    }
    after_ = after;
    node = child;
    version = child_version;
  }
  const unsigned count = node->Count();
  const Slot slot = key != nullptr ? Search(*node, count, *key) : Slot{count, false};
  leaf_ = node;
  version_ = version;
  index_ = below ? slot.index - 1 : slot.index;  // wraps around if none is below: then it exceeds every count
  const char* entry = index_ < count ? node->EntryAt(index_) : nullptr;
  if (!Unchanged()) {
    return false;
  }
  entry_ = entry;
  return true;
}

void KeyTree::Cursor::FindFrom(const Key& key) {
  while (!TryDescend(&key, /*below=*/false)) {
  }
  if (entry_ == nullptr && after_ != nullptr) {  // all of its leaf are below
    const Key first(after_);
    while (!TryDescend(&first, /*below=*/false)) {
    }
  }
}

void KeyTree::Cursor::FindBelow(const Key* key) {
  while (!TryDescend(key, /*below=*/true)) {
  }
}

void KeyTree::Cursor::Seek(std::string_view internal_key) { FindFrom(Key(internal_key)); }

void KeyTree::Cursor::SeekForPrev(std::string_view internal_key) {
  const Key key(internal_key);
  FindFrom(key);
  if (entry_ == nullptr || Key(entry_).Compare(key) > 0) {
    FindBelow(&key);
  }
}

void KeyTree::Cursor::SeekToFirst() {
  static constexpr std::string_view kLowest =
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";  // the highest sequence number of the empty key
  FindFrom(Key(kLowest));
}

void KeyTree::Cursor::SeekToLast() { FindBelow(nullptr); }

void KeyTree::Cursor::Next() {
  // TUNING: entries lie in the order of insertion; prefetching makes a step a sixth cheaper
  constexpr unsigned kAhead = 4;
  while (true) {
    const unsigned next = index_ + 1;
    const unsigned count = leaf_->Count();
    const char* entry = next < count ? leaf_->EntryAt(next) : nullptr;
    if (next + kAhead < count) {
      __builtin_prefetch(leaf_->EntryAt(next + kAhead));
    }
    if (Unchanged()) {
      if (entry != nullptr) {
        entry_ = entry;
        index_ = next;
      } else if (after_ != nullptr) {
        FindFrom(Key(after_));
      } else {
        entry_ = nullptr;
      }
      return;
    }
    FindFrom(Key(entry_));  // it has moved
  }
}

void KeyTree::Cursor::Prev() {
  if (index_ > 0) {
    const char* entry = leaf_->EntryAt(index_ - 1);
    if (Unchanged()) {
      entry_ = entry;
      --index_;
      return;
    }
  }
  const Key key(entry_);
  FindBelow(&key);
}

}  // namespace klip::engine
