// The contents of an export: MANIFEST, lines with fields separated by tabs and bytes as \xNN. It is written last, so if
// it exists the export is complete.
//
//   klip export 2
//   table <name>
//   attribute <name> <value>         of the table, as in HBase
//   configuration <name> <value>
//   family <name>                    the next attributes and configuration belong to it
//   split <row>                      region borders
//   done ...                         the parts, in key order (done_part.h)
//   end <rows> <cells> <MD5 of all lines before, in hex>
//
// Version 1 has no MD5.
#pragma once

#include <string>
#include <vector>

#include "copy/done_part.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::copy {

struct Manifest {
  TableDescriptor descriptor;
  std::vector<std::string> split_keys;
  std::vector<DonePart> parts;
};

// Errors: kCorruption naming the line, kIoError.
Expected<Manifest> ReadManifest(const std::string& directory);
// Replaces an existing one; on disk when it returns.
Status WriteManifest(const std::string& directory, const Manifest& manifest);

// The path of a file of the export.
std::string PathIn(const std::string& directory, const std::string& file);

inline constexpr const char* kManifestFile = "MANIFEST";
inline constexpr const char* kStateFile = "STATE";

}  // namespace klip::copy
