#include "shell/descriptor_hash.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/family_attributes.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

using Family = FamilyDescriptor;

Expected<Family> ToFamily(VALUE hash) {
  Family family;
  std::map<std::string, std::string> attributes;
  std::map<std::string, std::string> configuration;
  HashReader reader(hash, "family");
  reader.Read("name", &family.name);
  reader.Read("attributes", &attributes);
  reader.Read("configuration", &configuration);
  KLIP_RETURN_IF_ERROR(reader.status());
  const auto set = [&family](const auto& texts, std::map<std::string, std::string>* others) -> Status {
    for (const auto& [name, text] : texts) {
      if (!base::IsFamilySetting(name)) {
        (*others)[name] = text;
      } else {
        KLIP_RETURN_IF_ERROR(base::SetAttribute(name, text, &family));
      }
    }
    return Status();
  };
  KLIP_RETURN_IF_ERROR(set(attributes, &family.attributes));
  KLIP_RETURN_IF_ERROR(set(configuration, &family.configuration));
  return family;
}

VALUE FromFamily(const Family& family) {
  VALUE attributes = rb_hash_new();
  VALUE configuration = FromTextMap(family.configuration);
  for (const auto& [name, text] : base::AttributesOf(family)) {
    // Shown only if it is set.
    if (name != "NEW_VERSION_BEHAVIOR" || family.new_version_behavior) {
      rb_hash_aset(name == base::kBloomPrefix ? configuration : attributes, FromText(name), FromText(text));
    }
  }
  VALUE hash = rb_hash_new();
  rb_hash_aset(hash, Symbol("name"), FromText(family.name));
  rb_hash_aset(hash, Symbol("attributes"), attributes);
  rb_hash_aset(hash, Symbol("configuration"), configuration);
  return hash;
}

}  // namespace

Expected<TableDescriptor> ToTableDescriptor(VALUE hash) {
  TableDescriptor table;
  HashReader reader(hash, "table");
  reader.Read("name", &table.name);
  reader.Read("attributes", &table.attributes);
  reader.Read("configuration", &table.configuration);
  KLIP_RETURN_IF_ERROR(reader.status());
  VALUE families = reader.At("families");
  if (!RB_TYPE_P(families, T_ARRAY)) {
    return Status(Code::kInvalidArgument, "table families must be an Array");
  }
  for (long i = 0; i < RARRAY_LEN(families); ++i) {
    KLIP_ASSIGN_OR_RETURN(Family family, ToFamily(RARRAY_AREF(families, i)));
    table.families.push_back(std::move(family));
  }
  return table;
}

VALUE FromTableDescriptor(const TableDescriptor& table) {
  VALUE families = rb_ary_new();
  for (const Family& family : table.families) {
    rb_ary_push(families, FromFamily(family));
  }
  VALUE hash = rb_hash_new();
  rb_hash_aset(hash, Symbol("name"), FromText(table.name));
  rb_hash_aset(hash, Symbol("attributes"), FromTextMap(table.attributes));
  rb_hash_aset(hash, Symbol("configuration"), FromTextMap(table.configuration));
  rb_hash_aset(hash, Symbol("families"), families);
  return hash;
}

}  // namespace klip::shell
