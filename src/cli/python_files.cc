#include "cli/python_files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace klip::cli {

bool IsPythonFormat(const std::string& format) { return format == "parquet" || format == "arrow"; }

Status RunPythonFiles(const std::vector<std::string>& arguments) {
  const char* chosen = std::getenv("KLIP_PYTHON");  // NOLINT(concurrency-mt-unsafe): before any thread
  const std::string python = chosen == nullptr ? "python3" : chosen;
  // Checks for the package first, so that the error can say what to do.
  const std::string program =
      "import importlib.util, runpy, sys\n"
      "missing = [name for name in ('klip', 'pyarrow') if importlib.util.find_spec(name) is None]\n"
      "if missing:\n"
      "    print('klip: Parquet and Arrow files need Python packages that ' + sys.executable + ' lacks: ' +\n"
      "          ', '.join(missing) + '. pip installs klip from its wheel, and pyarrow; KLIP_PYTHON names another "
      "Python',\n"
      "          file=sys.stderr)\n"
      "    sys.exit(3)\n"
      "sys.argv[0] = 'klip'\n"
      "runpy.run_module('klip.files', run_name='__main__', alter_sys=False)\n";
  std::vector<std::string> words = {python, "-c", program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  execvp(python.c_str(), argv.data());
  return {Code::kIoError, "cannot run " + python + ": " + std::strerror(errno) +
                              "; Parquet and Arrow files need Python with the packages klip and pyarrow"};
}

}  // namespace klip::cli
