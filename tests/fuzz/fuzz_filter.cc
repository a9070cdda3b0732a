#include <string>

#include "filter/proto/filter_proto.h"
#include "fuzz/targets.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip::fuzz {
namespace {

// Text and wire format preserve everything.
void CheckForms(const Filter& filter) {
  const std::string text = filter.ToString();
  const Expected<FilterPtr> read = ParseFilter(text, FilterNames::kAll);
  Check(read.ok() && (*read)->ToString() == text);
  const Expected<filter::JavaObject> object = filter::FilterToProto(filter);
  Check(object.ok());
  const Expected<FilterPtr> received = filter::FilterFromProto(object->class_name, object->bytes);
  Check(received.ok() && (*received)->ToString() == text);
}

}  // namespace

void FuzzFilter(std::string_view bytes) {
  if (const Expected<FilterPtr> filter = ParseFilter(bytes, FilterNames::kAll); filter.ok()) {
    CheckForms(**filter);
  }
  (void)ParseFilter(bytes);
  const size_t end = bytes.find('\0');
  if (end == std::string_view::npos) {
    return;
  }
  const std::string name = std::string(filter::kJavaPackage).append(bytes.substr(0, end));
  if (const Expected<FilterPtr> filter = filter::FilterFromProto(name, bytes.substr(end + 1)); filter.ok()) {
    (void)(*filter)->NewState(false);
    const Expected<filter::JavaObject> object = filter::FilterToProto(**filter);
    Check(object.ok());
    const Expected<FilterPtr> again = filter::FilterFromProto(object->class_name, object->bytes);
    Check(again.ok() && (*again)->ToString() == (*filter)->ToString());
  }
}

}  // namespace klip::fuzz
