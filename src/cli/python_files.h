// Parquet and Arrow files, which pyarrow writes and reads: the module klip.files of the Python package.
#pragma once

#include <string>
#include <vector>

#include "klip/status.h"

namespace klip::cli {

// "parquet", "arrow".
bool IsPythonFormat(const std::string& format);

// Replaces this process by `python3 -m klip.files ARGUMENTS`, with the Python that KLIP_PYTHON names, else python3.
// Returns only to say why it could not.
Status RunPythonFiles(const std::vector<std::string>& arguments);

}  // namespace klip::cli
