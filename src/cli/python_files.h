// Parquet and Arrow files, written and read by pyarrow: the module klip.files of the Python package.
#pragma once

#include <string>
#include <vector>

#include "klip/status.h"

namespace klip::cli {

// "parquet", "arrow".
bool IsPythonFormat(const std::string& format);

// Replaces this process by `python3 -m klip.files ARGUMENTS`, with the Python in KLIP_PYTHON, or else python3. Returns
// only on errors.
Status RunPythonFiles(const std::vector<std::string>& arguments);

}  // namespace klip::cli
