#include "engine/rocks/info_log.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "rocksdb/env.h"

namespace klip::engine {
namespace {

constexpr long kMaxBytes = 1 << 20;

class InfoLog final : public rocksdb::Logger {
 public:
  explicit InfoLog(std::FILE* file) : Logger(rocksdb::InfoLogLevel::WARN_LEVEL), file_(file) {}
  ~InfoLog() override {
    if (file_ != nullptr) {
      std::fclose(file_);
    }
  }

  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr || bytes_ >= kMaxBytes) {
      return;
    }
    const std::time_t now = std::time(nullptr);
    std::tm parts = {};
    gmtime_r(&now, &parts);
    char time_text[32];
    std::strftime(time_text, sizeof(time_text), "%Y-%m-%dT%H:%M:%SZ ", &parts);
    bytes_ += std::max(std::fprintf(file_, "%s", time_text), 0);
    bytes_ += std::max(std::vfprintf(file_, format, arguments), 0) + 1;
    std::fputc('\n', file_);
    std::fflush(file_);
  }

 private:
  std::mutex mutex_;
  std::FILE* file_;
  long bytes_ = 0;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> OpenInfoLog(const std::string& directory, bool read_only) {
  if (read_only) {
    return std::make_shared<InfoLog>(nullptr);
  }
  const std::string path = directory + "/LOG";
  std::rename(path.c_str(), (path + ".old").c_str());
  return std::make_shared<InfoLog>(std::fopen(path.c_str(), "we"));
}

}  // namespace klip::engine
