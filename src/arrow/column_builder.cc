#include "arrow/column_builder.h"

#include <utility>

namespace klip::arrow {
namespace {

// Instead of an empty buffer: some readers do not accept a null pointer.
constexpr char kNoBytes = 0;

// Memory of an exported schema; freed by the schema's release.
struct SchemaParts {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void ReleaseSchema(ArrowSchema* schema) {
  auto* parts = static_cast<SchemaParts*>(schema->private_data);
  for (ArrowSchema& child : parts->children) {
    if (child.release != nullptr) {
      child.release(&child);
    }
  }
  delete parts;
  schema->release = nullptr;
}

void Export(std::string name, std::string format, const std::vector<Field>& children, int64_t flags, ArrowSchema* out) {
  auto* parts = new SchemaParts{.format = std::move(format), .name = std::move(name), .children = {}, .pointers = {}};
  parts->children.resize(children.size());
  for (size_t i = 0; i < children.size(); ++i) {
    const Field& child = children[i];
    // The items of a map form a struct.
    const std::vector<Field> items =
        child.format == "+m" ? std::vector<Field>{{"entries", "+s", child.items, /*nullable=*/false}} : child.items;
    Export(child.name, child.format, items, child.nullable ? ARROW_FLAG_NULLABLE : 0, &parts->children[i]);
    parts->pointers.push_back(&parts->children[i]);
  }
  *out = {.format = parts->format.c_str(),
          .name = parts->name.c_str(),
          .metadata = nullptr,
          .flags = flags,
          .n_children = static_cast<int64_t>(parts->children.size()),
          .children = parts->pointers.data(),
          .dictionary = nullptr,
          .release = ReleaseSchema,
          .private_data = parts};
}

// Memory of an exported array.
struct ArrayParts {
  std::vector<uint8_t> valid;
  std::vector<int32_t> ends;
  std::vector<char> data;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

void ReleaseArray(ArrowArray* array) {
  auto* parts = static_cast<ArrayParts*>(array->private_data);
  for (ArrowArray& child : parts->children) {
    if (child.release != nullptr) {  // a reader may have moved it
      child.release(&child);
    }
  }
  delete parts;
  array->release = nullptr;
}

void ExportArray(ArrayParts* parts, int64_t rows, int64_t nulls, ArrowArray* out) {
  for (ArrowArray& child : parts->children) {
    parts->pointers.push_back(&child);
  }
  *out = {.length = rows,
          .null_count = nulls,
          .offset = 0,
          .n_buffers = static_cast<int64_t>(parts->buffers.size()),
          .n_children = static_cast<int64_t>(parts->children.size()),
          .buffers = parts->buffers.data(),
          .children = parts->pointers.data(),
          .dictionary = nullptr,
          .release = ReleaseArray,
          .private_data = parts};
}

// Bytes per number of fixed-width formats; 0 for others.
size_t WidthOf(const std::string& format) {
  switch (format.front()) {
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
      return 2;
    case 'i':
    case 'I':
    case 'f':
      return 4;
    case 'l':
    case 'L':
    case 'g':
      return 8;
    case 't':  // dates are "tdD", times "ts..."
      return format == "tdD" ? 4 : 8;
    case 'd':
      return 16;
    default:
      return 0;
  }
}

}  // namespace

void ExportSchema(const std::vector<Field>& fields, ArrowSchema* out) { Export("", "+s", fields, 0, out); }

ColumnBuilder::ColumnBuilder(const Field& field) : layout_(Layout::kFixed), width_(WidthOf(field.format)) {
  if (width_ > 0) {
    return;
  }
  layout_ = field.format == "b"    ? Layout::kBits
            : field.format == "+l" ? Layout::kList
            : field.format == "+m" ? Layout::kMap
                                   : Layout::kBytes;
  if (layout_ != Layout::kBits) {
    ends_.push_back(0);
  }
  for (const Field& item : field.items) {
    items_.emplace_back(item);
  }
}

void ColumnBuilder::AppendNull() {
  switch (layout_) {
    case Layout::kFixed:
      data_.resize(data_.size() + width_);
      break;
    case Layout::kBits:
      if (rows_ % 8 == 0) {
        data_.push_back(0);
      }
      break;
    case Layout::kBytes:
    case Layout::kList:
    case Layout::kMap:
      ends_.push_back(ends_.back());
      break;
  }
  AppendValid(false);
}

void ColumnBuilder::AppendBool(bool value) {
  const auto bit = static_cast<unsigned>(rows_ % 8);
  if (bit == 0) {
    data_.push_back(0);
  }
  data_.back() = static_cast<char>(static_cast<unsigned char>(data_.back()) | (unsigned{value} << bit));
  AppendValid(true);
}

void ColumnBuilder::AppendBytes(std::string_view bytes) {
  data_.insert(data_.end(), bytes.begin(), bytes.end());
  ends_.push_back(static_cast<int32_t>(data_.size()));
  AppendValid(true);
}

void ColumnBuilder::AppendList() {
  ends_.push_back(static_cast<int32_t>(items_.front().rows()));
  AppendValid(true);
}

size_t ColumnBuilder::bytes() const {
  size_t bytes = data_.size();
  for (const ColumnBuilder& item : items_) {
    bytes += item.bytes();
  }
  return bytes;
}

void ColumnBuilder::Finish(ArrowArray* out) {
  const size_t bytes = data_.size();
  auto* parts = new ArrayParts;
  parts->valid = std::exchange(valid_, {});
  parts->data = std::exchange(data_, {});
  parts->buffers.push_back(nulls_ == 0 ? nullptr : parts->valid.data());
  if (!ends_.empty()) {
    parts->ends = std::exchange(ends_, {0});
    parts->buffers.push_back(parts->ends.data());
  }
  if (layout_ == Layout::kList) {
    parts->children.resize(1);
    items_.front().Finish(parts->children.data());
  } else if (layout_ == Layout::kMap) {
    parts->children.resize(1);
    FinishStruct(&items_, parts->children.data());
  } else {
    parts->buffers.push_back(parts->data.empty() ? &kNoBytes : static_cast<const void*>(parts->data.data()));
  }
  ExportArray(parts, rows_, nulls_, out);
  rows_ = 0;
  nulls_ = 0;
  data_.reserve(bytes);  // the next array will probably be as large
}

void FinishStruct(std::vector<ColumnBuilder>* columns, ArrowArray* out) {
  auto* parts = new ArrayParts;
  parts->children.resize(columns->size());
  const int64_t rows = columns->empty() ? 0 : columns->front().rows();
  for (size_t i = 0; i < columns->size(); ++i) {
    (*columns)[i].Finish(&parts->children[i]);
  }
  parts->buffers.push_back(nullptr);  // no row is null
  ExportArray(parts, rows, 0, out);
}

}  // namespace klip::arrow
