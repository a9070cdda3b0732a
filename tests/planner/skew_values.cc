#include "planner/skew_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "klip/row_key.h"

namespace klip::ops {

Zipf::Zipf(size_t n, double exponent) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += std::pow(static_cast<double>(i + 1), -exponent);
    sums_.push_back(sum);
  }
}

size_t Zipf::Next(Random* random) const {
  const double at = static_cast<double>(random->Below(1U << 30)) / (1U << 30) * sums_.back();
  return static_cast<size_t>(std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin());
}

std::string Day(size_t day) {
  const size_t year = 2014 + day / 360;
  const size_t rest = day % 360;
  return std::to_string(year * 10000 + (rest / 30 + 1) * 100 + std::min<size_t>(rest % 30 + 1, 28));
}

uint32_t Scattered(size_t rank) { return static_cast<uint32_t>((rank + 1) * 2654435761U); }

std::string Number(uint64_t n) { return std::to_string(n); }

namespace {

using Row = std::vector<std::string>;

// Numbers by value, other texts by their bytes.
bool IsBelow(const std::string& a, const std::string& b) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos;
  };
  return is_number(a) && is_number(b) ? std::stoll(a) < std::stoll(b) : a < b;
}

class FieldValues {
 public:
  FieldValues(const std::vector<Row>& rows, size_t field) {
    std::map<std::string, size_t> counts;
    for (const Row& row : rows) {
      sorted_.push_back(row[field]);
      ++counts[row[field]];
    }
    std::ranges::sort(sorted_, IsBelow);
    for (const auto& [value, count] : counts) {
      frequent_.emplace_back(count, value);
    }
    std::ranges::sort(frequent_, std::greater<>());
  }

  std::string Get(const std::string& which) const {
    const std::string& most = frequent_[0].second;
    if (which == "h" || which == "p") {
      return which == "h" ? most : most.substr(0, (most.size() + 1) / 2);
    }
    if (which != "m" && which != "r") {
      return sorted_[std::min(sorted_.size() - 1, sorted_.size() * std::stoul(which) / 100)];
    }
    size_t left = sorted_.size() * (which == "m" ? 50 : 98) / 100;
    for (const auto& [count, value] : frequent_) {
      if (count >= left) {
        return value;
      }
      left -= count;
    }
    return frequent_.back().second;
  }

 private:
  std::vector<std::string> sorted_;
  std::vector<std::pair<size_t, std::string>> frequent_;
};

// Replaces $field.h and similar by values of the field, and $3.field by that of a row.
std::string FillIn(const std::string& query, const std::vector<Row>& rows, const std::map<std::string, size_t>& fields,
                   const std::map<std::string, FieldValues>& values) {
  std::string out;
  for (size_t i = 0; i < query.size(); ++i) {
    if (query[i] != '$') {
      out.push_back(query[i]);
      continue;
    }
    const auto word_end = [&query](size_t from) {
      return std::min(query.size(), query.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", from));
    };
    const size_t dot = word_end(i + 1);
    const size_t end = word_end(dot + 1);
    const std::string first = query.substr(i + 1, dot - i - 1);
    const std::string second = query.substr(dot + 1, end - dot - 1);
    out += fields.contains(first) ? values.at(first).Get(second)
                                  : rows[(std::stoul(first) * 7919 + 1234) % rows.size()][fields.at(second)];
    i = end - 1;
  }
  return out;
}

}  // namespace

void FillInAll(SkewTable* table) {
  std::map<std::string, size_t> fields;
  std::map<std::string, FieldValues> values;
  const RowKeySchema schema = *RowKeySchema::Parse(table->schema);
  for (const KeyField& field : schema.fields()) {
    if (!field.derived() && field.type != KeyFieldType::kLiteral) {
      const size_t at = fields.size();
      fields[field.name] = at;
      values.emplace(field.name, FieldValues(table->rows, at));
    }
  }
  if (!table->column.empty()) {
    std::vector<Row> of_column;
    for (const std::string& value : table->column) {
      of_column.push_back({value});
    }
    fields["c"] = 0;
    values.emplace("c", FieldValues(of_column, 0));
  }
  for (std::string& query : table->queries) {
    query = FillIn(query, table->rows, fields, values);
  }
}

}  // namespace klip::ops
