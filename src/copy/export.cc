// ExportTable: writes a table to files of a directory.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/paths.h"
#include "copy/cell_file.h"
#include "copy/copier.h"
#include "copy/copy_state.h"
#include "copy/files.h"
#include "copy/manifest.h"
#include "copy/table_source.h"
#include "copy/tables.h"
#include "copy/write_order.h"

namespace klip {
namespace copy {
namespace {

constexpr std::string_view kPartPrefix = "part-";
constexpr std::string_view kPartSuffix = ".cells.zst";

std::string PartName(int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return std::string(kPartPrefix) + digits + std::string(kPartSuffix);
}

// 0 for other names.
int NumberOf(std::string_view name) {
  int number = 0;
  if (name.starts_with(kPartPrefix)) {
    std::from_chars(name.data() + kPartPrefix.size(), name.data() + name.size(), number);
  }
  return number;
}

class FileChunk final : public ChunkWriter {
 public:
  FileChunk(std::string name, std::unique_ptr<CellFileWriter> file) : name_(std::move(name)), file_(std::move(file)) {}

  Status Add(const Result& cells, CopyCounts* /*counts*/) override { return file_->Add(cells); }
  Expected<std::string> Finish() override {
    KLIP_RETURN_IF_ERROR(file_->Finish());
    return name_;
  }

 private:
  const std::string name_;
  const std::unique_ptr<CellFileWriter> file_;
};

class DirectoryTarget final : public CopyTarget {
 public:
  DirectoryTarget(std::string directory, int last_number)
      : directory_(std::move(directory)), last_number_(last_number) {}

  Expected<std::unique_ptr<ChunkWriter>> NewChunk() override {
    std::string name = PartName(++last_number_);
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<CellFileWriter> file, CellFileWriter::Create(PathIn(directory_, name)));
    return std::unique_ptr<ChunkWriter>(std::make_unique<FileChunk>(std::move(name), std::move(file)));
  }

 private:
  const std::string directory_;
  std::atomic<int> last_number_;
};

// Removes parts that an interrupted export started and never recorded.
void RemoveStrays(const std::string& directory, const std::vector<DonePart>& parts) {
  std::set<std::string> kept;
  for (const DonePart& part : parts) {
    kept.insert(part.file);
  }
  std::error_code ignored;
  std::filesystem::directory_iterator entry(directory, ignored);
  for (std::error_code error; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (NumberOf(name) > 0 && name.ends_with(kPartSuffix) && !kept.contains(name)) {
      std::filesystem::remove(entry->path(), ignored);
    }
  }
}

}  // namespace
}  // namespace copy

Expected<CopyCounts> ExportTable(Connection& source, std::string_view table, const std::string& directory,
                                 const CopyOptions& options) {
  copy::Manifest manifest;
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> handle, source.GetTable(table));
  KLIP_ASSIGN_OR_RETURN(manifest.descriptor, source.admin().GetDescriptor(table));
  KLIP_RETURN_IF_ERROR(copy::FitDescriptor(options, &manifest.descriptor));
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, source.admin().GetRegions(table));
  manifest.split_keys = copy::SplitKeysOf(regions);

  KLIP_RETURN_IF_ERROR(base::CheckOutsideStores(directory));
  KLIP_RETURN_IF_ERROR(copy::CreateDirectories(directory));
  std::error_code error;
  if (std::filesystem::exists(copy::PathIn(directory, copy::kManifestFile), error)) {
    return Status(Code::kInvalidArgument, "'" + directory + "' already contains an export");
  }
  const std::string state_file =
      options.state_file.empty() ? copy::PathIn(directory, copy::kStateFile) : options.state_file;
  KLIP_ASSIGN_OR_RETURN(copy::CopyState state, copy::CopyState::Open(state_file, options.job));
  int last_number = 0;
  for (const copy::DonePart& part : state.done()) {
    last_number = std::max(last_number, copy::NumberOf(part.file));
  }
  copy::TableSource from(handle.get(), options, regions, copy::NewVersionFamiliesIn(manifest.descriptor));
  copy::DirectoryTarget to(directory, last_number);
  KLIP_ASSIGN_OR_RETURN(const CopyCounts counts, copy::RunCopy(&from, &to, options, &state));
  for (const copy::DonePart& part : state.done()) {
    if (!part.file.empty()) {
      manifest.parts.push_back(part);
    }
  }
  std::ranges::sort(manifest.parts, {}, [](const copy::DonePart& part) { return part.range.start; });
  copy::RemoveStrays(directory, manifest.parts);
  KLIP_RETURN_IF_ERROR(copy::WriteManifest(directory, manifest));
  KLIP_RETURN_IF_ERROR(state.Remove());
  return counts;
}

}  // namespace klip
