#include "cli/copy_options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/digest.h"
#include "cli/texts.h"

namespace klip::cli {
namespace {

// Where the state of a copy is kept by default.
std::string DefaultStateFile(std::string_view kind, const std::string& job) {
  const char* state_home = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path directory = state_home != nullptr && *state_home != '\0' ? std::filesystem::path(state_home)
                                    : home != nullptr ? std::filesystem::path(home) / ".local/state"
                                                      : std::filesystem::temp_directory_path();
  return directory / "klip" / fmt::format("{}-{}.state", kind, base::Hex(base::Md5(job)).substr(0, 16));
}

int64_t PerSecond(int64_t count, int64_t elapsed_us) { return count * 1'000'000 / std::max<int64_t>(elapsed_us, 1); }

}  // namespace

Expected<TablePlace> ParsePlace(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size() || text[slash - 1] == '/') {
    return UsageError("expected STORE/TABLE, found '" + text + "'");
  }
  return TablePlace{text.substr(0, slash), text.substr(slash + 1)};
}

std::string NameOf(const TablePlace& place) {
  if (place.store.starts_with("hbase+")) {
    return place.store + "/" + place.table;
  }
  const std::string directory = place.store.starts_with("klip:") ? place.store.substr(5) : place.store;
  return std::filesystem::absolute(directory).lexically_normal().string() + "/" + place.table;
}

Status ParseRate(const std::string& text, CopyOptions* options) {
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"rows/s", 0}, {"GB/s", 1'000'000'000}, {"MB/s", 1'000'000}, {"kB/s", 1000}, {"B/s", 1}};
  for (const auto& [unit, bytes] : kUnits) {
    if (!text.ends_with(unit)) {
      continue;
    }
    const std::optional<int64_t> count = ParseInt(std::string_view(text).substr(0, text.size() - unit.size()));
    if (!count || *count <= 0 || *count > (int64_t{1} << 40)) {
      break;
    }
    (bytes == 0 ? options->max_rows_per_s : options->max_bytes_per_s) = bytes == 0 ? *count : *count * bytes;
    return Status::Ok();
  }
  return UsageError("--rate is like 50MB/s or 20000rows/s, not '" + text + "'");
}

int ThreadsOf(int32_t threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void MoveArguments::AddTo(Arguments* args) {
  args->Add("--rate", &rate_, "limit of the rate: 50MB/s, 20000rows/s");
  args->Add("--compression", &compression_,
            "compression of a new table; default: that of the source's families; NONE, GZ, ZSTD, ...");
  args->Add("--state", &state_, "file that records finished key ranges; default in ~/.local/state/klip");
  args->AddFlag("--restart", &restart_, "start from the beginning after an interruption, instead of resuming");
}

Status MoveArguments::Apply(const std::string& job, CopyOptions* options) const {
  if (!rate_.empty()) {
    KLIP_RETURN_IF_ERROR(ParseRate(rate_, options));
  }
  options->compression = compression_;
  options->job = job;
  if (!state_.empty() || options->state_file.empty()) {
    options->state_file = StateFile("copy", job);
  } else if (restart_) {
    std::error_code ignored;
    std::filesystem::remove(options->state_file, ignored);
  }
  return Status::Ok();
}

std::string MoveArguments::StateFile(std::string_view kind, const std::string& job) const {
  const std::string path = state_.empty() ? DefaultStateFile(kind, job) : state_;
  if (restart_) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return path;
}

void PartArguments::AddTo(Arguments* args) {
  args->Add("--start", &start_, "first row, included");
  args->Add("--stop", &stop_, "end of the range, not included");
  args->Add("--families", &families_, "only these, separated by commas").Commas();
  args->Add("--time-range", &time_range_, "only cells with timestamps MIN..MAX in milliseconds; MAX is not included");
  args->Add("--threads", &threads_, "workers, 0 = one per core").Between(0, 256);
}

Expected<CopyOptions> PartArguments::Make(const Table& table) const {
  CopyOptions options;
  KLIP_ASSIGN_OR_RETURN(options.start_row, ParseRow(start_, table.row_key_schema()));
  KLIP_ASSIGN_OR_RETURN(options.stop_row, ParseRow(stop_, table.row_key_schema()));
  options.families = families_;
  if (!time_range_.empty()) {
    KLIP_ASSIGN_OR_RETURN(options.time_range, ParseTimeRange(time_range_));
  }
  options.threads = ThreadsOf(threads_);
  return options;
}

std::string PartArguments::Text() const {
  return fmt::format("{}..{} {} {}", start_, stop_, fmt::join(families_, ","), time_range_);
}

bool HasState(const CopyOptions& options) {
  std::error_code ignored;
  return std::filesystem::exists(options.state_file, ignored);
}

void TellOfState(const Console& console, const CopyOptions& options) {
  if (HasState(options)) {
    console.Print("resuming the interrupted run, from {} (--restart starts from the beginning)\n", options.state_file);
  }
}

CopyProgressBar::CopyProgressBar(const Console& console, std::string_view label, CopyOptions* options)
    : bar_(console, label, 0) {
  if (console.progress) {
    options->progress = [this](const CopyProgress& now) {
      bar_.Show(now.fraction,
                fmt::format("{} rows, {}, {} rows/s", FormatCount(now.counts.rows), FormatBytes(now.counts.bytes),
                            FormatCount(PerSecond(now.counts.rows, now.elapsed_us))));
    };
  }
}

std::string CopyText(std::string_view verb, const CopyCounts& counts, int64_t elapsed_us) {
  const std::string markers =
      counts.delete_markers > 0 ? fmt::format(" ({} delete markers)", FormatCount(counts.delete_markers)) : "";
  return fmt::format("{} {} rows, {} cells{}, {} in {}: {} rows/s, {}/s", verb, FormatCount(counts.rows),
                     FormatCount(counts.cells), markers, FormatBytes(counts.bytes), FormatDuration(elapsed_us),
                     FormatCount(PerSecond(counts.rows, elapsed_us)), FormatBytes(PerSecond(counts.bytes, elapsed_us)));
}

}  // namespace klip::cli
