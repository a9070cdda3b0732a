#include "base/paths.h"

#include <filesystem>
#include <system_error>

#include "base/errors.h"

namespace klip::base {

Status CheckOutsideStores(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  for (; place.has_relative_path(); place = place.parent_path()) {
    if (fs::exists(place / "FORMAT", error) && fs::exists(place / "CATALOG", error)) {
      return Invalid("'" + path + "' is inside the store '" + place.string() + "', which contains only its own files");
    }
  }
  return Status::Ok();
}

}  // namespace klip::base
