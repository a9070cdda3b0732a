#include "copy/new_keys.h"

#include <map>
#include <vector>

#include "klip/bytes.h"

namespace klip::copy {
namespace {

class RekeyedWriter final : public ChunkWriter {
 public:
  RekeyedWriter(const NewKeys* keys, CopyTarget* target) : keys_(keys), target_(target) {}

  Status Add(const Result& cells, CopyCounts* /*counts*/) override {
    KLIP_ASSIGN_OR_RETURN(const std::string key, keys_->KeyFor(cells.row()));
    Result& piece = rows_[key].emplace_back();
    for (Cell cell : cells) {
      cell.row = key;
      piece.AppendCopy(cell);
    }
    return Status::Ok();
  }

  Expected<std::string> Finish() override {
    CopyCounts counts;
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ChunkWriter> writer, target_->NewChunk());
    for (const auto& [key, pieces] : rows_) {
      for (const Result& piece : pieces) {
        KLIP_RETURN_IF_ERROR(writer->Add(piece, &counts));
      }
    }
    rows_.clear();
    return writer->Finish();
  }

 private:
  const NewKeys* const keys_;
  CopyTarget* const target_;
  std::map<std::string, std::vector<Result>> rows_;  // by new key, in pieces
};

// Whether both have the same fields that take values.
Status CheckFields(const RowKeySchema& has, const RowKeySchema& wants, std::string_view whose) {
  for (const KeyField& field : wants.fields()) {
    const std::optional<int> at = field.derived() ? std::nullopt : has.FieldIndex(field.name);
    if (!field.derived() && (!at || has.fields()[static_cast<size_t>(*at)].derived())) {
      return {Code::kInvalidArgument,
              "the row keys of the " + std::string(whose) + " have no field '" + field.name + "'"};
    }
    if (!field.derived() && field.type == KeyFieldType::kHash) {
      return {Code::kInvalidArgument, "field '" + field.name + "' is a hash, whose source is not in the row keys"};
    }
  }
  return Status::Ok();
}

}  // namespace

Expected<NewKeys> NewKeys::Make(const std::optional<RowKeySchema>& from, std::string_view to) {
  if (!from) {
    return Status(Code::kInvalidArgument, "the source table has no row-key schema, which is needed to decode its rows");
  }
  KLIP_ASSIGN_OR_RETURN(RowKeySchema schema, RowKeySchema::Parse(to));
  KLIP_RETURN_IF_ERROR(CheckFields(*from, schema, "source"));
  KLIP_RETURN_IF_ERROR(CheckFields(schema, *from, "target"));
  return NewKeys(*from, std::move(schema));
}

Expected<std::string> NewKeys::KeyFor(std::string_view row) const {
  const auto error = [row](const Status& status) {
    return Status(status.code(), "row '" + ToStringBinary(row) + "': " + status.message());
  };
  const Expected<std::vector<std::string>> values = from_.Decode(row);
  if (!values.ok()) {
    return error(values.status());
  }
  std::vector<std::pair<std::string, std::string>> named;
  for (size_t i = 0; i < values->size(); ++i) {
    if (!from_.fields()[i].derived()) {
      named.emplace_back(from_.fields()[i].name, (*values)[i]);
    }
  }
  Expected<std::string> key = to_.EncodeNamed(named);
  if (!key.ok()) {
    return error(key.status());
  }
  // Two rows with the same new key would be merged: '007' and '7' as numbers.
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> back, to_.Decode(*key));
  for (const auto& [name, value] : named) {
    if (back[static_cast<size_t>(*to_.FieldIndex(name))] != value) {
      return error({Code::kInvalidArgument, "'" + value + "' of the field '" + name + "' would change when decoded"});
    }
  }
  return key;
}

Expected<std::unique_ptr<ChunkWriter>> RekeyedTarget::NewChunk() {
  return std::unique_ptr<ChunkWriter>(std::make_unique<RekeyedWriter>(&keys_, target_));
}

}  // namespace klip::copy
