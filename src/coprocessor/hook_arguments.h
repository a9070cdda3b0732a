// The arguments of a hook of the master or of the region server, as encoded in calls of MASTER and RS_EVENT.
#pragma once

#include <cstdint>
#include <string_view>

#include "coprocessor/frame.h"

namespace klip::coprocessor {

class HookArguments {
 public:
  // Null, or an object that HBase has: the server's configuration.
  HookArguments& None() { return Text('0', ""); }
  HookArguments& Text(std::string_view text) { return Text('s', text); }
  HookArguments& Bytes(std::string_view bytes) { return Text('B', bytes); }
  HookArguments& Flag(bool value) { return Text('b', value ? std::string_view("\1", 1) : std::string_view("\0", 1)); }
  // The cells of the frame, as a WALEdit.
  HookArguments& Cells() { return Text('W', ""); }
  HookArguments& Table(std::string_view name) { return Text('T', name); }
  // `tag`: D, a TableSchema; N, a NamespaceDescriptor; R, a RegionInfo; S, a SnapshotDescription.
  HookArguments& Message(char tag, const google::protobuf::MessageLite& message) {
    Begin(tag).Message(message);
    return *this;
  }
  // A list of the next `items` arguments.
  HookArguments& List(size_t items) {
    Begin('L').U32(0).U32(items);
    left_in_list_ = items;
    return *this;
  }

  uint32_t count() const { return count_; }
  std::string_view bytes() const { return body_.body(); }

 private:
  HookArguments& Text(char tag, std::string_view text) {
    Begin(tag).Text(text);
    return *this;
  }
  FrameWriter& Begin(char tag) {
    if (left_in_list_ > 0) {
      --left_in_list_;
    } else {
      ++count_;
    }
    return body_.U8(static_cast<uint8_t>(tag));
  }

  FrameWriter body_;
  uint32_t count_ = 0;
  size_t left_in_list_ = 0;
};

}  // namespace klip::coprocessor
