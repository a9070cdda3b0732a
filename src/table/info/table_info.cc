#include "table/info/table_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "engine/store/store.h"
#include "engine/store/views.h"
#include "rowkey/index_definition.h"
#include "rowkey/key_parts.h"
#include "table/info/shared.h"
#include "table/info/unhosted.h"

namespace klip::table {
namespace {

// nullptr if the table has no such attribute.
const std::string* Attribute(const TableDescriptor& descriptor, std::string_view name) {
  const auto found = descriptor.attributes.find(std::string(name));
  return found == descriptor.attributes.end() ? nullptr : &found->second;
}

bool IsTrue(const std::string* text) {
  return text != nullptr && (*text == "true" || *text == "TRUE" || *text == "True");
}

Durability ParseDurability(const std::string* text) {
  constexpr std::array<std::pair<std::string_view, Durability>, 4> kNames = {{
      {"SKIP_WAL", Durability::kSkipWal},
      {"ASYNC_WAL", Durability::kAsyncWal},
      {"SYNC_WAL", Durability::kSyncWal},
      {"FSYNC_WAL", Durability::kFsyncWal},
  }};
  for (const auto& [name, durability] : kNames) {
    if (text != nullptr && *text == name) {
      return durability;
    }
  }
  return Durability::kSyncWal;
}

// nullopt: no such attribute, or not a number.
std::optional<int64_t> ParseBytes(const std::string* text) {
  int64_t bytes = 0;
  if (text == nullptr) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), bytes);
  return error == std::errc() && end == text->data() + text->size() ? std::optional(bytes) : std::nullopt;
}

std::vector<engine::KeyPart> PartsOf(const RowKeySchema& schema) {
  std::vector<engine::KeyPart> parts;
  for (const rowkey::KeyPart& part : rowkey::KeyParts(schema)) {
    parts.push_back({part.width_bytes, part.delimiter});
  }
  return parts;
}

// Writes that this program cannot index would be missing from the index.
Status RefuseWithoutSql(const TableIndexes& indexes) {
  for (const TableIndex& index : indexes.all) {
    if (index.definition.lacks_sql()) {
      return {Code::kDoNotRetry, "the index '" + index.name() +
                                     "' has SQL expressions, and this program is not linked with SQL: "
                                     "it can read the table, but not write to it (klip/index.h)"};
    }
  }
  return Status::Ok();
}

}  // namespace

Status TableInfo::CheckEnabled() const {
  return view->enabled ? Status::Ok() : Status(Code::kTableNotEnabled, name() + " is disabled.");
}

Status TableInfo::CheckReadable() const {
  if (shown.table != nullptr && shown.table->hooks != nullptr) [[unlikely]] {
    return {Code::kDoNotRetry, "table '" + name() + "' cannot be read, because table '" + shown.table->name() +
                                   "' has coprocessors, which may restrict what is read: read that table instead"};
  }
  return Status::Ok();
}

Status TableInfo::CheckWritable() const {
  KLIP_RETURN_IF_ERROR(CheckEnabled());
  if (!not_writable.ok()) [[unlikely]] {
    return not_writable;
  }
  return read_only ? Status(Code::kDoNotRetry, "region is read only") : Status::Ok();
}

TableSlot::TableSlot(const engine::Store* store, const Settings* settings, std::shared_ptr<TableSlot> table,
                     std::string index)
    : store_(store),
      settings_(settings),
      name_(rowkey::IndexTableOf(table->name(), index)),
      indexed_(std::move(table)),
      index_(std::move(index)) {}

Expected<InfoPtr> TableSlot::Current() {
  InfoPtr before;  // released outside the lock
  const std::lock_guard lock(mutex_);
  const uint64_t version = store_->views().Version();  // first, so that the next call notices a change in between
  if (info_ != nullptr && version_ == version) [[likely]] {
    return info_;
  }
  if (IsCurrent()) {
    version_ = version;  // another table has changed
    return info_;
  }
  before = std::exchange(info_, nullptr);
  KLIP_ASSIGN_OR_RETURN(info_, Make(before.get()));
  version_ = version;
  return info_;
}

bool TableSlot::IsCurrent() const {
  if (info_ == nullptr) {
    return false;
  }
  if (shows_index()) {
    const Expected<InfoPtr> table = indexed_->Current();
    return table.ok() && *table == info_->shown.table;
  }
  const Expected<engine::TablePtr> view = store_->views().GetTable(name_);
  return view.ok() && *view == info_->view;
}

Expected<InfoPtr> TableSlot::Make(const TableInfo* before) const {
  if (shows_index()) {
    KLIP_ASSIGN_OR_RETURN(InfoPtr table, indexed_->Current());
    InfoPtr shown = ShowIndex(std::move(table), index_, before, *settings_);
    return shown != nullptr ? Expected<InfoPtr>(std::move(shown)) : Status(Code::kTableNotFound, name_);
  }
  KLIP_ASSIGN_OR_RETURN(engine::TablePtr view, store_->views().GetTable(name_));
  return MakeTableInfo(std::move(view), before, *settings_);
}

Expected<InfoPtr> MakeTableInfo(engine::TablePtr view, const TableInfo* before, const Settings& settings) {
  auto info = std::make_shared<TableInfo>();
  const TableDescriptor& descriptor = view->descriptor;
  if (const std::string* text = Attribute(descriptor, RowKeySchema::kTableAttribute);
      text != nullptr && !text->empty()) {
    info->schema_text = *text;
    if (before != nullptr && before->schema_text == *text) {
      info->schema = before->schema;
    } else {
      KLIP_ASSIGN_OR_RETURN(info->schema, RowKeySchema::Parse(*text));
    }
  }
  info->enforce_schema = info->schema.has_value() && IsTrue(Attribute(descriptor, RowKeySchema::kEnforceAttribute));
  info->read_only = IsTrue(Attribute(descriptor, "READONLY"));
  info->durability = ParseDurability(Attribute(descriptor, "DURABILITY"));
  info->max_cell_bytes = ParseBytes(Attribute(descriptor, "hbase.server.keyvalue.maxsize"));
  info->hooks = settings.hooks != nullptr ? settings.hooks(descriptor) : nullptr;
  info->not_writable = settings.refuse_unhosted ? RefuseUnhosted(descriptor) : Status::Ok();
  KLIP_ASSIGN_OR_RETURN(info->indexes, MakeTableIndexes(view, before == nullptr ? nullptr : before->indexes.get()));
  if (info->not_writable.ok() && info->indexes != nullptr) {
    info->not_writable = RefuseWithoutSql(*info->indexes);
  }
  info->heat = before != nullptr ? before->heat : settings.heat->Add();
  info->heat->SetKey(info->schema.has_value() ? PartsOf(*info->schema) : std::vector<engine::KeyPart>());
  info->view = std::move(view);
  return InfoPtr(std::move(info));
}

InfoPtr ShowIndex(InfoPtr table, std::string_view index, const TableInfo* before, const Settings& settings) {
  const TableIndex* const shown = table->indexes == nullptr ? nullptr : table->indexes->Find(index);
  if (shown == nullptr) {
    return nullptr;
  }
  const rowkey::IndexDefinition& definition = shown->definition;
  auto view = std::make_shared<engine::TableView>(*shown->entries->view);
  view->number = table->view->number;
  view->enabled = table->view->enabled;
  TableDescriptor& descriptor = view->descriptor;
  descriptor.name = rowkey::IndexTableOf(table->name(), index);
  descriptor.families.assign(1, {.name = kShownFamily});
  for (const size_t column : definition.include) {
    if (descriptor.Find(definition.columns[column].family) == nullptr) {
      descriptor.families.push_back({.name = definition.columns[column].family});
    }
  }
  std::ranges::sort(descriptor.families, {}, &FamilyDescriptor::name);
  auto info = std::make_shared<TableInfo>();
  info->schema = definition.keys();
  info->schema_text = info->schema->ToString();
  descriptor.attributes = {{std::string(RowKeySchema::kTableAttribute), info->schema_text}, {"READONLY", "true"}};
  info->not_writable = NotWritable(table->name(), index);
  info->heat = before != nullptr ? before->heat : settings.heat->Add();
  info->heat->SetKey(PartsOf(*info->schema));
  info->view = std::move(view);
  info->shown = {.table = std::move(table), .index = shown};
  return info;
}

Status NotWritable(std::string_view table, std::string_view index) {
  return {Code::kDoNotRetry, "table '" + rowkey::IndexTableOf(table, index) + "' shows the entries of index '" +
                                 std::string(index) + "' of table '" + std::string(table) +
                                 "' and is read-only: klip changes it with that table"};
}

Expected<std::vector<engine::KeyPart>> ParseKeyParts(std::string_view schema_text) {
  if (schema_text.empty()) {
    return std::vector<engine::KeyPart>();
  }
  KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(schema_text));
  return PartsOf(schema);
}

std::vector<engine::KeyPart> IndexKeyParts(const TableDescriptor& table, std::string_view index) {
  const auto text = table.attributes.find(std::string(IndexDescriptor::kTableAttribute).append(index));
  const Expected<rowkey::IndexDefinition> definition =
      rowkey::DefineIndex(index, text == table.attributes.end() ? "" : text->second, table);
  return definition.ok() ? PartsOf(definition->keys()) : std::vector<engine::KeyPart>();
}

}  // namespace klip::table
