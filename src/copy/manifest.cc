#include "copy/manifest.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <unistd.h>

#include "base/descriptor.h"
#include "base/digest.h"
#include "copy/files.h"
#include "copy/io_error.h"
#include "klip/bytes.h"
#include "rpc/schema_messages.h"

namespace klip::copy {
namespace {

constexpr std::string_view kFirstLine = "klip export 2";
constexpr std::string_view kFirstLineWithoutMd5 = "klip export 1";

std::string Line(std::string_view kind, std::initializer_list<std::string_view> fields) {
  std::string line(kind);
  for (const std::string_view field : fields) {
    line += "\t" + ToStringBinary(field);
  }
  return line + "\n";
}

// Of a table's or a family's message.
template <typename Message>
std::string SettingLines(const Message& message) {
  std::string lines;
  for (const auto& one : message.attributes()) {
    if (one.first() == "IS_META") {  // messages always contain it; descriptors need not
      continue;
    }
    lines += Line("attribute", {one.first(), one.second()});
  }
  for (const auto& one : message.configuration()) {
    lines += Line("configuration", {one.name(), one.value()});
  }
  return lines;
}

// `before`: the lines before it.
std::string EndLine(const std::vector<DonePart>& parts, std::string_view before) {
  CopyCounts sum;
  for (const DonePart& part : parts) {
    sum += part.counts;
  }
  const std::string rows = std::to_string(sum.rows);
  const std::string cells = std::to_string(sum.cells);
  return before.starts_with(kFirstLineWithoutMd5) ? Line("end", {rows, cells})
                                                  : Line("end", {rows, cells, base::Hex(base::Md5(before))});
}

std::string TextOf(const Manifest& manifest) {
  hbase::pb::TableSchema schema;
  rpc::FillTableSchema(manifest.descriptor, &schema);
  std::string text = std::string(kFirstLine) + "\n" + Line("table", {manifest.descriptor.name}) + SettingLines(schema);
  for (const auto& family : schema.column_families()) {
    text += Line("family", {family.name()}) + SettingLines(family);
  }
  for (const std::string& key : manifest.split_keys) {
    text += Line("split", {key});
  }
  for (const DonePart& part : manifest.parts) {
    text += LineOf(part);
  }
  return text + EndLine(manifest.parts, text);
}

template <typename Message>
bool AddSetting(const std::vector<std::string_view>& fields, Message* message) {
  if (fields.size() != 3) {
    return false;
  }
  if (fields[0] == "attribute") {
    auto* one = message->add_attributes();
    one->set_first(FromStringBinary(fields[1]));
    one->set_second(FromStringBinary(fields[2]));
    return true;
  }
  auto* one = message->add_configuration();
  one->set_name(FromStringBinary(fields[1]));
  one->set_value(FromStringBinary(fields[2]));
  return true;
}

bool ReadLine(const std::vector<std::string_view>& fields, hbase::pb::TableSchema* schema, Manifest* manifest) {
  const std::string_view kind = fields[0];
  if (kind == "attribute" || kind == "configuration") {
    const int families = schema->column_families_size();
    return families > 0 ? AddSetting(fields, schema->mutable_column_families(families - 1))
                        : AddSetting(fields, schema);
  }
  if (kind == "done") {
    DonePart& part = manifest->parts.emplace_back();
    return ParsePart(fields, &part) && part.file.find('/') == std::string::npos;  // in the directory itself
  }
  if (fields.size() != 2) {
    return false;
  }
  std::string value = FromStringBinary(fields[1]);
  if (kind == "table") {
    manifest->descriptor.name = std::move(value);
  } else if (kind == "family") {
    schema->add_column_families()->set_name(std::move(value));
  } else if (kind == "split") {
    manifest->split_keys.push_back(std::move(value));
  } else {
    return false;
  }
  return true;
}

// Replaces a file atomically.
Status ReplaceFile(const std::string& directory, const std::string& name, std::string_view text) {
  const std::string path = PathIn(directory, name);
  const std::string temporary = path + ".new";
  std::FILE* file = std::fopen(temporary.c_str(), "wbe");
  if (file == nullptr) {
    return IoError("cannot create", temporary);
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0 &&
                       ::fsync(fileno(file)) == 0;
  if (std::fclose(file) != 0 || !written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    return IoError("cannot write", path);
  }
  return SyncDirectoryOf(path);
}

}  // namespace

std::string PathIn(const std::string& directory, const std::string& file) { return directory + "/" + file; }

Expected<Manifest> ReadManifest(const std::string& directory) {
  const std::string path = PathIn(directory, kManifestFile);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Status(Code::kIoError,
                  "'" + directory + "' has no " + kManifestFile + ": it is not an export, or an incomplete one");
  }
  KLIP_ASSIGN_OR_RETURN(const int opened, OpenToRead(path));
  const base::Descriptor file(opened);
  std::string text;
  char buffer[1 << 16];
  ssize_t read = 0;
  while ((read = ::read(file.get(), buffer, sizeof(buffer))) != 0) {
    if (read < 0 && errno != EINTR) {
      return IoError("cannot read", path);
    }
    text.append(buffer, static_cast<size_t>(std::max<ssize_t>(read, 0)));
  }
  Manifest manifest;
  hbase::pb::TableSchema schema;
  bool ended = false;
  size_t begin = 0;
  for (int64_t number = 1; begin < text.size(); ++number) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      return Status(Code::kCorruption, "'" + path + "' is cut off");
    }
    const auto line = std::string_view(text).substr(begin, end - begin);
    const std::vector<std::string_view> fields = SplitAtTabs(line);
    bool good = !ended;
    if (number == 1) {
      good = line == kFirstLine || line == kFirstLineWithoutMd5;
    } else if (fields[0] == "end") {
      ended = text.substr(begin, end + 1 - begin) == EndLine(manifest.parts, text.substr(0, begin));
      good = good && ended;
    } else {
      good = good && ReadLine(fields, &schema, &manifest);
    }
    if (!good) {
      return Status(Code::kCorruption,
                    "'" + path + "' line " + std::to_string(number) +
                        (fields[0] == "end" ? " does not fit the lines before it: the file is damaged"
                                            : " is not valid in an export"));
    }
    begin = end + 1;
  }
  if (!ended) {
    return Status(Code::kCorruption, "'" + path + "' is cut off");
  }
  const std::string name = manifest.descriptor.name;
  KLIP_ASSIGN_OR_RETURN(manifest.descriptor, rpc::ToTableDescriptor(schema));
  manifest.descriptor.name = name;
  return manifest;
}

Status WriteManifest(const std::string& directory, const Manifest& manifest) {
  return ReplaceFile(directory, kManifestFile, TextOf(manifest));
}

}  // namespace klip::copy
