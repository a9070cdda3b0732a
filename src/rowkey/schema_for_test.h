// For tests: parses a schema that must be valid.
#pragma once

#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "klip/row_key.h"

namespace klip {

inline RowKeySchema Schema(std::string_view text) {
  Expected<RowKeySchema> schema = RowKeySchema::Parse(text);
  EXPECT_TRUE(schema.ok()) << text << ": " << schema.status().message();
  return *std::move(schema);
}

}  // namespace klip
