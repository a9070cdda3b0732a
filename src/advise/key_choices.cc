#include "advise/key_choices.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "klip/bytes.h"
#include "rowkey/key_codec.h"
#include "rowkey/schema_parser.h"

namespace klip::advise {
namespace {

// TUNING: with statistics of a million rows, trying an order takes some tenths of a second.
constexpr size_t kAllOrdersOf = 4;  // fields: 24 orders
constexpr size_t kMostOrders = 40;
constexpr int kSalts[] = {4, 16};

using Positions = std::vector<size_t>;  // indexes of fields in the sample's schema

Positions ValueFields(const RowKeySchema& schema) {
  Positions fields;
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    if (!schema.fields()[i].derived()) {
      fields.push_back(i);
    }
  }
  return fields;
}

bool HoldsByte(const FieldValues& values, char byte) {
  return std::any_of(values.values.begin(), values.values.end(),
                     [byte](const std::string& value) { return value.find(byte) != std::string::npos; });
}

// A field that is not the last needs a delimiter. nullopt: no byte is left for it.
std::optional<KeyField> WithEnd(KeyField field, const FieldValues& values) {
  if (field.width_bytes > 0 || field.delimiter) {
    return field;
  }
  // The first two are below all bytes of texts, so texts keep their order.
  for (const char delimiter : {'\x00', '\x01', '|'}) {
    if (!HoldsByte(values, delimiter)) {
      field.delimiter = delimiter;
      return field;
    }
  }
  return std::nullopt;
}

std::optional<RowKeySchema> SchemaOf(const std::string& first, const std::vector<KeyField>& fields) {
  Expected<RowKeySchema> schema = RowKeySchema::Parse(first + rowkey::FieldsToString(fields));
  return schema.ok() ? std::optional<RowKeySchema>(*std::move(schema)) : std::nullopt;
}

std::optional<KeyChoice> InOrder(const Sample& sample, const Positions& order) {
  std::vector<KeyField> fields;
  std::string what;
  for (const size_t at : order) {
    std::optional<KeyField> field = sample.schema.fields()[at];
    if (at != order.back()) {
      field = WithEnd(*std::move(field), sample.fields[at]);
    }
    if (!field) {
      return std::nullopt;
    }
    what += (what.empty() ? "" : ", ") + field->name;
    fields.push_back(*std::move(field));
  }
  std::optional<RowKeySchema> schema = SchemaOf("", fields);
  return schema ? std::optional<KeyChoice>({.schema = *std::move(schema), .what = std::move(what)}) : std::nullopt;
}

// Fields with known values first, then one with a range.
Positions OrderFor(const LabQuery& query, const Positions& fields, const RowKeySchema& schema) {
  Positions order = fields;
  const auto rank = [&](size_t field) {
    const FieldUse use = query.UseOf(schema.fields()[field].name);
    return use == FieldUse::kValues ? 0 : (use == FieldUse::kNone ? 2 : 1);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
  return order;
}

bool KeepsOrders(const RowKeySchema& present, const RowKeySchema& schema, const std::vector<LabQuery>& queries) {
  return std::all_of(queries.begin(), queries.end(),
                     [&](const LabQuery& query) { return KeepsOrder(schema, query) || !KeepsOrder(present, query); });
}

// Whether a number with these digits prints as the same text.
bool IsPlainNumber(std::string_view text) {
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text[0] != '0');
}

struct Texts {
  bool numbers = true;
  bool same_length = true;
  size_t longest = 0;
  double average = 0;  // over distinct values
  bool below_pad = false;
};

Texts TextsOf(const KeyField& field, const FieldValues& values) {
  Texts texts;
  size_t first = 0;
  for (size_t i = 0; i < values.values.size(); ++i) {
    const Expected<std::string> text = rowkey::DecodeField(field, values.values[i]);
    const std::string& value = text.ok() ? *text : values.values[i];
    first = i == 0 ? value.size() : first;
    texts.numbers = texts.numbers && IsPlainNumber(value);
    texts.same_length = texts.same_length && value.size() == first;
    texts.longest = std::max(texts.longest, value.size());
    texts.below_pad = texts.below_pad || std::any_of(value.begin(), value.end(), [&](char c) {
                        return static_cast<unsigned char>(c) <= static_cast<unsigned char>(field.pad);
                      });
  }
  double bytes = 0;
  for (const uint32_t id : values.ids) {
    const std::string& value = values.values[id];
    const size_t end = field.width_bytes > 0 ? value.find_last_not_of(field.pad) + 1 : value.size();
    bytes += static_cast<double>(end);
  }
  texts.average = bytes / std::max<double>(1, static_cast<double>(values.ids.size()));
  return texts;
}

KeyField Number(const KeyField& field, int width_bytes) {
  KeyField number;
  number.name = field.name;
  number.type = KeyFieldType::kUnsigned;
  number.width_bytes = width_bytes;
  number.descending = field.descending;
  return number;
}

// The smallest number of bytes for all numbers of so many digits.
int WidthForDigits(size_t digits) { return digits <= 2 ? 1 : digits <= 4 ? 2 : digits <= 9 ? 4 : 8; }

std::vector<KeyField> Compacted(const KeyChoice& choice, const Sample& sample, const std::vector<LabQuery>& queries,
                                std::string* names) {
  std::vector<KeyField> fields = choice.schema.fields();
  for (KeyField& field : fields) {
    const auto at = static_cast<size_t>(*sample.schema.FieldIndex(field.name));
    if (std::optional<KeyField> compact = CompactField(field, sample.fields[at], queries)) {
      *names += (names->empty() ? "" : ", ") + field.name;
      field = *std::move(compact);
    }
  }
  return fields;
}

}  // namespace

std::optional<KeyField> CompactField(const KeyField& field, const FieldValues& values,
                                     const std::vector<LabQuery>& queries) {
  FieldUse use = FieldUse::kNone;
  bool ordered = false;
  for (const LabQuery& query : queries) {
    use = std::max(use, query.UseOf(field.name));
    ordered = ordered || std::any_of(query.order.begin(), query.order.end(),
                                     [&](const LabQuery::Order& by) { return by.field == field.name; });
  }
  ordered = ordered || use == FieldUse::kRange;
  if (use == FieldUse::kBytes || values.values.empty()) {
    return std::nullopt;
  }
  if (field.type == KeyFieldType::kDigits && use != FieldUse::kPrefix) {
    const int width = WidthForDigits(static_cast<size_t>(field.width_bytes));
    return width < field.width_bytes && field.width_bytes <= 18 ? std::optional<KeyField>(Number(field, width))
                                                                : std::nullopt;
  }
  if (field.type != KeyFieldType::kText || field.truncate || field.descending) {
    return std::nullopt;
  }
  const Texts texts = TextsOf(field, values);
  const double now = field.width_bytes > 0 ? field.width_bytes : texts.average + (field.delimiter ? 1 : 0);
  // Numbers grow: leaves space for ten times as large ones.
  const int width = WidthForDigits(texts.longest + 1);
  if (texts.numbers && use != FieldUse::kPrefix && (!ordered || texts.same_length) && width < now) {
    return Number(field, width);
  }
  if (field.width_bytes > 0 && texts.average + 3 < now && !HoldsByte(values, '\0') && !(ordered && texts.below_pad)) {
    KeyField text = field;
    text.width_bytes = 0;
    text.pad = ' ';
    text.delimiter = '\0';
    return text;
  }
  return std::nullopt;
}

std::vector<KeyChoice> OrdersOf(const Sample& sample, const std::vector<LabQuery>& queries) {
  const Positions fields = ValueFields(sample.schema);
  std::set<Positions> seen;
  std::vector<Positions> orders;
  const auto add = [&](Positions order) {
    if (orders.size() < kMostOrders && seen.insert(order).second) {
      orders.push_back(std::move(order));
    }
  };
  add(fields);
  if (fields.size() <= kAllOrdersOf) {
    Positions order = fields;
    std::sort(order.begin(), order.end());
    do {
      add(order);
    } while (std::next_permutation(order.begin(), order.end()));
  } else {
    for (const LabQuery& query : queries) {
      add(OrderFor(query, fields, sample.schema));
    }
    for (const LabQuery& first : queries) {
      for (const LabQuery& second : queries) {
        add(OrderFor(first, OrderFor(second, fields, sample.schema), sample.schema));
      }
    }
    for (size_t i = 1; i < fields.size(); ++i) {
      Positions order = fields;
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                  order.begin() + static_cast<std::ptrdiff_t>(i + 1));
      add(std::move(order));
    }
  }
  std::vector<KeyChoice> choices;
  for (const Positions& order : orders) {
    std::optional<KeyChoice> choice = InOrder(sample, order);
    if (choice && !(choice->schema == sample.schema) && KeepsOrders(sample.schema, choice->schema, queries)) {
      choices.push_back(*std::move(choice));
    }
  }
  return choices;
}

std::vector<KeyChoice> VariantsOf(const KeyChoice& choice, const Sample& sample, const std::vector<LabQuery>& queries) {
  std::vector<KeyChoice> choices;
  const auto add = [&](const std::string& first, const std::vector<KeyField>& fields, std::string what) {
    std::optional<RowKeySchema> schema = SchemaOf(first, fields);
    if (schema && !(*schema == sample.schema) && KeepsOrders(sample.schema, *schema, queries)) {
      choices.push_back({.schema = *std::move(schema), .what = std::move(what)});
    }
  };
  std::string names;
  const std::vector<KeyField> compact = Compacted(choice, sample, queries, &names);
  if (!names.empty()) {
    add("", compact, choice.what + "; " + names + " in fewer bytes");
  }
  const std::string& leading = compact.front().name;
  const std::string and_compact = names.empty() ? "" : "; " + names + " in fewer bytes";
  for (const int buckets : kSalts) {
    if (!choice.schema.FieldIndex("salt")) {
      const std::string salt = "salt(" + std::to_string(buckets);
      add(salt + ") ", compact, "a salt of " + std::to_string(buckets) + ", " + choice.what + and_compact);
      add(salt + "," + leading + ") ", compact,
          "a salt of " + std::to_string(buckets) + " by " + leading + ", " + choice.what + and_compact);
    }
  }
  if (!choice.schema.FieldIndex("hash")) {
    add("hash:md5(" + leading + ",2) ", compact, "a hash of " + leading + ", " + choice.what + and_compact);
  }
  return choices;
}

}  // namespace klip::advise
