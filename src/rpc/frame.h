// Frames as both sides write them: a length, a header message and a parameter, each after its own length, and a cell
// block.
#pragma once

#include <cstddef>
#include <string_view>

#include "klip/status.h"
#include "rpc/buffer.h"

namespace google::protobuf {
class MessageLite;
}

namespace klip::rpc {

// The frame without its cell block, whose length is included. `param` may be null.
Buffer EncodeFrame(const google::protobuf::MessageLite& header, const google::protobuf::MessageLite* param,
                   size_t cells_bytes);

// Removes a length and that many bytes from the front of *in. False: it is cut off.
bool TakeDelimited(std::string_view* in, std::string_view* out);

// kInvalidArgument naming the offset of `rest`, the end of the frame.
Status BadFrame(std::string_view frame, std::string_view rest, std::string_view what);

}  // namespace klip::rpc
