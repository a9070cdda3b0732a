#include "advise/migration.h"

#include <algorithm>
#include <iterator>

#include "klip/bytes.h"
#include "klip/row_key.h"

namespace klip::advise {
namespace {

// Quoted as a word of a shell command.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '$' || c == '`') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

std::string Word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:+,=@";
  return text.find_first_not_of(kPlain) == std::string_view::npos && !text.empty() ? std::string(text) : Quoted(text);
}

std::string FamilyText(const FamilyDescriptor& family) {
  const FamilyDescriptor plain;
  std::string text = family.name;
  if (family.max_versions != plain.max_versions) {
    text += ",VERSIONS=" + std::to_string(family.max_versions);
  }
  if (family.ttl_s != plain.ttl_s) {
    text += ",TTL=" + std::to_string(family.ttl_s);
  }
  if (family.compression != plain.compression) {
    text += ",COMPRESSION=" + family.compression;
  }
  return text;
}

}  // namespace

std::string CreateCommand(std::string_view uri, std::string_view table, const KeyDesign& design,
                          const TableDescriptor& like) {
  std::string command = "klip create " + Word(uri) + " " + Word(table);
  for (const FamilyDescriptor& family : like.families) {
    command += " --family " + Word(FamilyText(family));
  }
  command += " --row-key " + Quoted(design.schema);
  const Expected<RowKeySchema> schema = RowKeySchema::Parse(design.schema);
  if (schema.ok() && schema->fields().front().type == KeyFieldType::kSalt) {
    std::string splits;
    for (int bucket = 1; bucket < schema->fields().front().salt_buckets; ++bucket) {
      splits += (splits.empty() ? "" : ",") + ToStringBinary(std::string(1, static_cast<char>(bucket)));
    }
    command += " --splits " + Quoted(splits);
  }
  return command;
}

std::vector<std::string> MigrationOf(std::string_view uri, std::string_view table, std::string_view target,
                                     const KeyDesign& design, const TableDescriptor& like) {
  const std::string from = std::string(uri) + "/" + std::string(table);
  const std::string to = std::string(uri) + "/" + std::string(target);
  std::vector<std::string> commands = {
      CreateCommand(uri, target, design, like),
      "klip copy " + Word(from) + " " + Word(to) + " --row-key " + Quoted(design.schema)};
  std::vector<IndexDescriptor> indexes = IndexesOf(like);
  indexes.insert(indexes.end(), design.indexes.begin(), design.indexes.end());
  std::ranges::move(IndexCommands(uri, target, indexes), std::back_inserter(commands));
  return commands;
}

std::vector<std::string> IndexCommands(std::string_view uri, std::string_view table,
                                       const std::vector<IndexDescriptor>& indexes) {
  std::vector<std::string> commands;
  for (const IndexDescriptor& index : indexes) {
    commands.push_back("klip index create " + Word(uri) + " " + Word(table) + " " + index.name + " " +
                       Quoted(index.ToString()));
  }
  return commands;
}

std::vector<IndexDescriptor> IndexesOf(const TableDescriptor& table) {
  std::vector<IndexDescriptor> indexes;
  const std::string prefix(IndexDescriptor::kTableAttribute);
  for (auto at = table.attributes.lower_bound(prefix); at != table.attributes.end() && at->first.starts_with(prefix);
       ++at) {
    const std::string name = at->first.substr(prefix.size());
    const Expected<IndexDescriptor> index = IndexDescriptor::Parse(name, at->second);
    if (index.ok() && !table.attributes.contains(std::string(IndexDescriptor::kBuildingAttribute) + name)) {
      indexes.push_back(*index);
    }
  }
  return indexes;
}

}  // namespace klip::advise
