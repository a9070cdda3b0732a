#include "cli/text_import_state.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/texts.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

bool ReadNumber(std::string_view text, int64_t* number) {
  const std::optional<int64_t> value = ParseInt(text);
  *number = value.value_or(0);
  return value && *value >= 0;
}

bool ReadProgress(const std::vector<std::string>& fields, TextProgress* progress) {
  constexpr size_t kFields = 8;
  if (fields.size() != kFields || fields[0] != "done") {
    return false;
  }
  progress->digest = fields[6];
  progress->last_row = FromStringBinary(fields[7]);
  return ReadNumber(fields[1], &progress->offset) && ReadNumber(fields[2], &progress->line) &&
         ReadNumber(fields[3], &progress->rows) && ReadNumber(fields[4], &progress->skipped) &&
         ReadNumber(fields[5], &progress->rejects_bytes);
}

}  // namespace

Expected<TextImportState> TextImportState::Open(const std::string& path, const std::string& job, int64_t timestamp_ms) {
  TextProgress progress;
  int64_t kept_timestamp_ms = timestamp_ms;
  bool has_timestamp = false;
  auto read = [&](std::string_view line) {
    const std::vector<std::string> fields = SplitList(line, '\t');
    if (has_timestamp) {
      return ReadProgress(fields, &progress);
    }
    has_timestamp = true;
    return fields.size() == 2 && fields[0] == "at" && ReadNumber(fields[1], &kept_timestamp_ms);
  };
  KLIP_ASSIGN_OR_RETURN(copy::StateFile file, copy::StateFile::Open(path, "import", job, read));
  if (!has_timestamp) {
    KLIP_RETURN_IF_ERROR(file.Append(fmt::format("at\t{}\n", timestamp_ms)));
  }
  return TextImportState(std::move(file), kept_timestamp_ms, std::move(progress));
}

Status TextImportState::Note(const TextProgress& progress) {
  return file_.Append(fmt::format("done\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", progress.offset, progress.line, progress.rows,
                                  progress.skipped, progress.rejects_bytes, progress.digest,
                                  ToStringBinary(progress.last_row)));
}

}  // namespace klip::cli
