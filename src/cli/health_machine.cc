// Health: the machine, its ports and TLS files.
#include <chrono>
#include <cstdlib>
#include <fstream>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/certificate.h"
#include "base/process.h"
#include "cli/console.h"
#include "cli/health.h"

namespace klip::cli {
namespace {

constexpr size_t kEnoughOpenFiles = 4096;
constexpr int64_t kEnoughMemoryBytes = int64_t{1} << 30;
constexpr int64_t kDayMs = 24LL * 60 * 60 * 1000;
constexpr int64_t kSoonDays = 30;

int64_t NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// The first line of a file; empty if there is none.
std::string FirstLine(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

void CheckOpenFiles(Findings* findings) {
  const size_t limit = base::DescriptorLimit();
  const bool enough = limit >= kEnoughOpenFiles;
  findings->push_back(
      {"open files", enough ? Health::kOk : Health::kWarn, fmt::format("{} (ulimit -Hn)", limit),
       enough ? "" : "a large store or many clients need more: ulimit -Hn 65536, or LimitNOFILE= of the service"});
}

void CheckMemory(Findings* findings) {
  const int64_t bytes = base::UsableBytes();
  const bool enough = bytes >= kEnoughMemoryBytes;
  findings->push_back({"memory", enough ? Health::kOk : Health::kWarn, FormatBytes(bytes) + " for this process",
                       enough ? "" : "give klip serve a --memory-limit below that"});
}

void CheckHugePages(Findings* findings) {
  const std::string modes = FirstLine("/sys/kernel/mm/transparent_hugepage/enabled");
  if (modes.empty()) {
    return;
  }
  const bool always = modes.find("[always]") != std::string::npos;
  findings->push_back({"huge pages", always ? Health::kWarn : Health::kOk, modes,
                       always ? "klip may use more memory than it needs, and pause: echo madvise > "
                                "/sys/kernel/mm/transparent_hugepage/enabled"
                              : ""});
}

// The timestamps of cells come from this clock.
void CheckClock(Findings* findings) {
  constexpr int64_t kYear2020Ms = 1577836800000;
  timex state = {};
  const int answer = ::adjtimex(&state);
  const bool wrong = NowMs() < kYear2020Ms;
  const bool synchronised = answer >= 0 && answer != TIME_ERROR;
  findings->push_back(
      {"clock",
       wrong          ? Health::kFail
       : synchronised ? Health::kOk
                      : Health::kWarn,
       wrong          ? "before 2020"
       : synchronised ? "synchronised"
                      : "not known to be synchronised",
       wrong || !synchronised ? "timestamps depend on it: run an NTP client (chrony, systemd-timesyncd)" : ""});
}

}  // namespace

void CheckMachine(Findings* findings) {
  CheckOpenFiles(findings);
  CheckMemory(findings);
  CheckHugePages(findings);
  CheckClock(findings);
}

void CheckPort(int port, const std::string& option, Findings* findings) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free =
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 && ::listen(listener, 1) == 0;
  ::close(listener);
  findings->push_back({"port", free ? Health::kOk : Health::kWarn,
                       fmt::format("{} is {}", port, free ? "free" : "taken"),
                       free ? "" : "if another program uses it, select another port with " + option});
}

void CheckTlsFile(const std::string& path, bool is_key, Findings* findings) {
  const char* const check = is_key ? "TLS key" : "TLS certificate";
  struct stat file = {};
  if (::stat(path.c_str(), &file) != 0 || ::access(path.c_str(), R_OK) != 0) {
    findings->push_back(
        {check, Health::kFail, "cannot read " + path, "make it readable for the user that klip runs as"});
    return;
  }
  if (is_key) {
    const bool open = (file.st_mode & (S_IROTH | S_IWOTH)) != 0;
    findings->push_back({check, open ? Health::kWarn : Health::kOk,
                         path + (open ? ": readable for everybody on this machine" : ": readable"),
                         open ? "chmod o-rwx " + path : ""});
    return;
  }
  const Expected<int64_t> end_ms = base::CertificateEndMs(path);
  if (!end_ms.ok()) {
    findings->push_back({check, Health::kFail, end_ms.status().message(), "give a certificate in PEM form"});
    return;
  }
  const int64_t days = (*end_ms - NowMs()) / kDayMs;
  const bool over = *end_ms < NowMs();
  findings->push_back({check,
                       over               ? Health::kFail
                       : days < kSoonDays ? Health::kWarn
                                          : Health::kOk,
                       path + (over ? " is no longer valid" : fmt::format(" is valid for {} days", days)),
                       over || days < kSoonDays ? "renew it; klip serve reloads it automatically" : ""});
}

}  // namespace klip::cli
