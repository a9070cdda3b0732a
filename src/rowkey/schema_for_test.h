// For tests: the schema of a text that must be right.
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
