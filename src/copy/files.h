// Files that exports write and imports read: durable, never in place of a link or a device, and never waiting for a pipe.
#pragma once

#include <string>

#include "klip/status.h"

namespace klip::copy {

// After it, the file's directory entry is on disk too, as after a rename or a creation. Errors: kIoError.
Status SyncDirectoryOf(const std::string& path);

// Creates the directory and missing ones above it, durably. Errors: kIoError.
Status CreateDirectories(const std::string& path);

// Where a file of that name is written: the path itself, or what it is a symbolic link to, which need not exist. Errors:
// kIoError for a circle of links.
Expected<std::string> TargetOfLinks(const std::string& path);

// Opens a regular file for reading, and returns its descriptor. Errors: kIoError, also for a pipe, a device or a directory,
// of which a read might never end.
Expected<int> OpenToRead(const std::string& path);

}  // namespace klip::copy
