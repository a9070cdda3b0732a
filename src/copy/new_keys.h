// A copy into a table with another row-key schema: the same fields, in other bytes or another order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "copy/copier.h"
#include "klip/row_key.h"

namespace klip::copy {

class NewKeys {
 public:
  // Errors: kInvalidArgument: there is no schema for decoding rows, an invalid one for encoding, a field that only one of
  // both has (rows could be merged, or not be encoded), or a field that is a hash of something that the keys do not
  // contain.
  static Expected<NewKeys> Make(const std::optional<RowKeySchema>& from, std::string_view to);

  const RowKeySchema& schema() const { return to_; }

  // Errors: kInvalidArgument naming the row.
  Expected<std::string> KeyFor(std::string_view row) const;

 private:
  NewKeys(RowKeySchema from, RowKeySchema to) : from_(std::move(from)), to_(std::move(to)) {}

  RowKeySchema from_;
  RowKeySchema to_;
};

// Passes rows on under their new keys, in the order of these: keeps a chunk in memory until its end.
class RekeyedTarget final : public CopyTarget {
 public:
  RekeyedTarget(CopyTarget* target, NewKeys keys) : target_(target), keys_(std::move(keys)) {}

  Expected<std::unique_ptr<ChunkWriter>> NewChunk() override;

 private:
  CopyTarget* const target_;
  const NewKeys keys_;
};

}  // namespace klip::copy
