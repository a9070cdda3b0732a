// Arrow's streams in capsules, as Python's libraries hand them to each other.
#include "arrow.h"

#include <string>
#include <vector>

#include "objects.h"

namespace klip_python {
namespace {

constexpr const char* kCapsuleName = "arrow_array_stream";

void FreeCapsule(PyObject* capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kCapsuleName));
  if (stream->release != nullptr) {  // nobody took it
    const WithoutGil released;
    stream->release(stream);
  }
  delete stream;
}

// Columns from [(column, type or None, name or None), ...].
class Columns {
 public:
  bool Fill(PyObject* list) {
    const std::optional<Items> items = Items::Of(list);
    for (Py_ssize_t i = 0; items.has_value() && i < items->size(); ++i) {
      const std::optional<Items> item = Items::Of((*items)[i]);
      klip_column column;
      Argument<const char*> type;
      Argument<const char*> name;
      if (!item.has_value() || !CheckCount(item->size(), 3) || !keeper_.Column((*item)[0], &column) ||
          !type.Read((*item)[1], &keeper_) || !name.Read((*item)[2], &keeper_)) {
        return false;
      }
      if (column.whole_family != 0) {
        PyErr_Format(PyExc_ValueError, "a column must be 'family:qualifier', not %R", (*item)[0]);
        return false;
      }
      columns_.push_back({column.family, column.qualifier, type.value, name.value});
    }
    return items.has_value();
  }
  const klip_arrow_column* data() const { return columns_.data(); }
  size_t size() const { return columns_.size(); }

 private:
  Keeper keeper_;
  std::vector<klip_arrow_column> columns_;
};

}  // namespace

Ref MakeCapsule(const ArrowArrayStream& stream) {
  auto* held = new ArrowArrayStream(stream);
  Ref capsule(PyCapsule_New(held, kCapsuleName, FreeCapsule));
  if (!capsule) {
    held->release(held);
    delete held;
  }
  return capsule;
}

Ref ScanArrow(PyObject* self, Arguments arguments, Py_ssize_t count) {
  constexpr Py_ssize_t kOwn = 4;
  Columns columns;
  ScanArguments wanted;
  klip_arrow_options options = klip_arrow_options_default();
  ArrowArrayStream stream;
  if (!CheckCount(count, kOwn + ScanArguments::kCount) || !columns.Fill(arguments[0]) ||
      !ToFlag(arguments[1], &options.key_fields) || !ToFlag(arguments[2], &options.all_cells) ||
      !ToInt(arguments[3], &options.batch_rows) || !wanted.Fill(arguments + kOwn, count - kOwn)) {
    return Ref();
  }
  options.columns = columns.data();
  options.column_count = columns.size();
  if (!Run([&](klip_error** error) {
        return klip_scan_arrow_stream(HandleOf<klip_table>(self), &wanted.scan, &options, &stream, error);
      })) {
    return Ref();
  }
  return MakeCapsule(stream);
}

Ref WriteArrow(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Columns columns;
  if (!CheckCount(count, 2) || !columns.Fill(arguments[1])) {
    return Ref();
  }
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(arguments[0], kCapsuleName));
  if (stream == nullptr) {
    return Ref();
  }
  if (stream->release == nullptr) {
    PyErr_SetString(PyExc_ValueError, "the stream was read before");
    return Ref();
  }
  int64_t rows = 0;
  if (!Run([&](klip_error** error) {
        return klip_table_write_arrow(HandleOf<klip_table>(self), columns.data(), columns.size(), stream, &rows, error);
      })) {
    return Ref();
  }
  return Ref(PyLong_FromLongLong(rows));
}

}  // namespace klip_python
