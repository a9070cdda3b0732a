#include "arrow/stream.h"

#include <cerrno>
#include <string>
#include <utility>

namespace klip::arrow {
namespace {

constexpr size_t kMaxBatchBytes = size_t{64} << 20;

class Stream {
 public:
  Stream(std::unique_ptr<RowSource> source, int batch_rows) : source_(std::move(source)), batch_rows_(batch_rows) {
    for (const Field& field : source_->fields()) {
      columns_.emplace_back(field);
    }
  }

  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    ExportSchema(Of(stream)->source_->fields(), out);
    return 0;
  }
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    Stream* self = Of(stream);
    out->release = nullptr;
    if (self->status_.ok()) {
      self->status_ = self->Fill();
    }
    if (!self->status_.ok()) {
      self->error_ = self->status_.ToString();
      return EIO;
    }
    if (self->columns_.front().rows() > 0) {
      FinishStruct(&self->columns_, out);
    }
    return 0;
  }
  static const char* GetLastError(ArrowArrayStream* stream) {
    const std::string& error = Of(stream)->error_;
    return error.empty() ? nullptr : error.c_str();
  }
  static void Release(ArrowArrayStream* stream) {
    delete Of(stream);
    stream->release = nullptr;
  }

 private:
  static Stream* Of(ArrowArrayStream* stream) { return static_cast<Stream*>(stream->private_data); }

  Status Fill() {
    while (!ended_ && columns_.front().rows() < batch_rows_ && Bytes() < kMaxBatchBytes) {
      KLIP_ASSIGN_OR_RETURN(const bool more, source_->AppendRow(&columns_));
      ended_ = !more;
    }
    return Status::Ok();
  }

  size_t Bytes() const {
    size_t bytes = 0;
    for (const ColumnBuilder& column : columns_) {
      bytes += column.bytes();
    }
    return bytes;
  }

  std::unique_ptr<RowSource> source_;
  int batch_rows_;
  std::vector<ColumnBuilder> columns_;
  Status status_;
  std::string error_;
  bool ended_ = false;
};

}  // namespace

void MakeStream(std::unique_ptr<RowSource> source, int batch_rows, ArrowArrayStream* out) {
  *out = {.get_schema = Stream::GetSchema,
          .get_next = Stream::GetNext,
          .get_last_error = Stream::GetLastError,
          .release = Stream::Release,
          .private_data = new Stream(std::move(source), batch_rows)};
}

}  // namespace klip::arrow
