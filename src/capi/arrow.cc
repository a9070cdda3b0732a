// Streams of Arrow.
#include <cerrno>
#include <string>
#include <utility>

#include "capi/arrow_stream.h"
#include "capi/call.h"
#include "capi/requests.h"

namespace klip::capi {
namespace {

class Stream final : public Child {
 public:
  Stream(GatePtr gate, CancelToken token, std::shared_ptr<OpenTransaction> transaction,
         std::shared_ptr<klip_session> session, const ArrowArrayStream& inner)
      : gate_(std::move(gate)),
        token_(std::move(token)),
        transaction_(std::move(transaction)),
        session_(std::move(session)),
        inner_(inner) {}
  ~Stream() override { gate_->Dismiss(this); }

  void Enlist() { gate_->Enlist(this); }
  void Cancel() override {
    if (session_ != nullptr) {
      session_->session->Cancel();
    } else {
      token_.Cancel();
    }
  }
  void Empty() override {
    if (inner_.release != nullptr) {
      inner_.release(&inner_);
    }
    session_.reset();
    transaction_.reset();
  }

  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    return Of(stream)->Call([out](ArrowArrayStream* inner) { return inner->get_schema(inner, out); });
  }
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    return Of(stream)->Call([out](ArrowArrayStream* inner) { return inner->get_next(inner, out); });
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

  template <typename Work>
  int Call(Work work) {
    const Turnstile::Turn turn(session_ != nullptr       ? &session_->turnstile
                               : transaction_ != nullptr ? &transaction_->turnstile
                                                         : &turnstile_);
    const Gate::Pass pass(gate_.get());
    if (!turn.ok() || !pass.ok() || inner_.release == nullptr) {
      error_ = (turn.ok() ? Closed() : Busy()).ToString();
      return EINVAL;
    }
    const CancelScope scope(session_ == nullptr ? token_ : session_->NewToken());
    const int code = work(&inner_);
    const char* text = code == 0 ? nullptr : inner_.get_last_error(&inner_);
    error_ = text == nullptr ? "" : text;
    return code;
  }

  GatePtr gate_;
  CancelToken token_;
  std::shared_ptr<OpenTransaction> transaction_;  // of a scan in one
  std::shared_ptr<klip_session> session_;         // of a result of SQL
  Turnstile turnstile_;
  ArrowArrayStream inner_;
  std::string error_;
};

void Give(Stream* stream, ArrowArrayStream* out) {
  stream->Enlist();
  *out = {.get_schema = Stream::GetSchema,
          .get_next = Stream::GetNext,
          .get_last_error = Stream::GetLastError,
          .release = Stream::Release,
          .private_data = stream};
}

}  // namespace

void GiveStream(const GatePtr& gate, CancelToken token, std::shared_ptr<OpenTransaction> transaction,
                const ArrowArrayStream& inner, ArrowArrayStream* out) {
  Give(new Stream(gate, std::move(token), std::move(transaction), nullptr, inner), out);
}

void GiveStream(const GatePtr& gate, std::shared_ptr<klip_session> session, const ArrowArrayStream& inner,
                ArrowArrayStream* out) {
  Give(new Stream(gate, CancelToken(), nullptr, std::move(session), inner), out);
}

}  // namespace klip::capi

using klip::Status;
using klip::capi::Missing;

extern "C" {

klip_code klip_scan_arrow_stream(klip_table* table, const klip_scan* scan, const klip_arrow_options* options,
                                 struct ArrowArrayStream* stream, klip_error** error) {
  return klip::capi::CallChild(table, error, [&](klip::Table& inner) -> Status {
    if (stream == nullptr) {
      return Missing("stream");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::Scan request, klip::capi::ToScan(scan, inner));
    KLIP_ASSIGN_OR_RETURN(const klip::ArrowOptions wanted, klip::capi::ToArrowOptions(options));
    KLIP_ASSIGN_OR_RETURN(klip::CancelToken token, klip::capi::ToToken(scan));
    const klip::CancelScope scope(token);
    ArrowArrayStream made;
    KLIP_RETURN_IF_ERROR(klip::ScanArrow(&inner, request, wanted, &made));
    klip::capi::GiveStream(table->gate, std::move(token), table->transaction, made, stream);
    return Status::Ok();
  });
}

klip_code klip_table_write_arrow(klip_table* table, const klip_arrow_column* columns, size_t column_count,
                                 struct ArrowArrayStream* stream, int64_t* rows, klip_error** error) {
  bool taken = false;
  const klip_code code = klip::capi::CallChild(table, error, [&](klip::Table& inner) -> Status {
    if (stream == nullptr) {
      return Missing("stream");
    }
    klip::ArrowWrite write;
    KLIP_ASSIGN_OR_RETURN(write.columns, klip::capi::ToArrowColumns(columns, column_count));
    taken = true;
    KLIP_ASSIGN_OR_RETURN(const int64_t written, klip::WriteArrow(&inner, write, stream));
    if (rows != nullptr) {
      *rows = written;
    }
    return Status::Ok();
  });
  if (!taken && stream != nullptr) {
    stream->release(stream);
  }
  return code;
}

}  // extern "C"
