// Shared by reading and writing filters' messages.
#pragma once

#include <string>
#include <string_view>

#include "klip/filter.h"
#include "proto/Comparator.pb.h"
#include "proto/Filter.pb.h"

namespace klip::filter {

Expected<FilterPtr> FilterFromMessage(const hbase::pb::Filter& message, int depth);
Expected<ComparatorPtr> ComparatorFromMessage(const hbase::pb::Comparator& message);
Expected<CompareOp> OpFromMessage(int op);

// Parses the bytes as a Message. Errors: kDoNotRetry, naming `what`.
template <typename Message>
Expected<Message> ReadMessage(std::string_view what, std::string_view bytes) {
  Message message;
  if (!message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) || !message.IsInitialized()) {
    return Status(Code::kDoNotRetry, std::string(what) + ": " + std::to_string(bytes.size()) +
                                         " bytes that are not its message, or lack a required field");
  }
  return message;
}

}  // namespace klip::filter
