#include "hbase/net/failure.h"

#include <algorithm>

#include "base/errors.h"
#include "proto/HBase.pb.h"
#include "proto/RPC.pb.h"

namespace klip::client {
namespace {

constexpr std::string_view kPackage = "org.apache.hadoop.hbase.";

struct Known {
  std::string_view short_class;  // below kPackage
  Code code;
  Recovery recovery;
};

// Classes with more meaning than in base/errors.h: from HBase's ClientExceptionsUtil and ClientScanner.
constexpr Known kKnown[] = {
    {"NotServingRegionException", Code::kNotServingRegion, Recovery::kRelocate},
    {"exceptions.RegionMovedException", Code::kNotServingRegion, Recovery::kRelocate},
    {"exceptions.RegionOpeningException", Code::kNotServingRegion, Recovery::kRetry},
    {"regionserver.WrongRegionException", Code::kNotServingRegion, Recovery::kRelocate},
    {"RegionTooBusyException", Code::kRegionTooBusy, Recovery::kRetry},
    {"CallQueueTooBigException", Code::kRegionTooBusy, Recovery::kRetry},
    {"CallDroppedException", Code::kRegionTooBusy, Recovery::kRetry},
    {"quotas.RpcThrottlingException", Code::kRegionTooBusy, Recovery::kRetry},
    {"MultiActionResultTooLarge", Code::kRegionTooBusy, Recovery::kRetryNow},
    {"RetryImmediatelyException", Code::kRegionTooBusy, Recovery::kRetryNow},
    {"quotas.QuotaExceededException", Code::kDoNotRetry, Recovery::kNone},
    {"quotas.SpaceLimitingException", Code::kDoNotRetry, Recovery::kNone},
    {"regionserver.RegionServerStoppedException", Code::kIoError, Recovery::kLeaveServer},
    {"regionserver.RegionServerAbortedException", Code::kIoError, Recovery::kLeaveServer},
    {"ipc.ServerNotRunningYetException", Code::kIoError, Recovery::kLeaveServer},
    {"MasterNotRunningException", Code::kIoError, Recovery::kLeaveServer},
    {"PleaseHoldException", Code::kIoError, Recovery::kRetry},
    {"UnknownScannerException", Code::kIoError, Recovery::kReopenScanner},
    {"exceptions.ScannerResetException", Code::kIoError, Recovery::kReopenScanner},
    {"exceptions.OutOfOrderScannerNextException", Code::kIoError, Recovery::kReopenScanner},
    {"regionserver.LeaseException", Code::kIoError, Recovery::kReopenScanner},
    {"exceptions.FailedSanityCheckException", Code::kDoNotRetry, Recovery::kNone},
    {"exceptions.RequestTooBigException", Code::kDoNotRetry, Recovery::kNone},
    {"client.RowTooBigException", Code::kRowTooBig, Recovery::kNone},
    {"exceptions.UnknownProtocolException", Code::kUnsupported, Recovery::kNone},
    {"UnknownRegionException", Code::kDoNotRetry, Recovery::kNone},
    {"security.AccessDeniedException", Code::kDoNotRetry, Recovery::kNone},
    {"security.visibility.ParseException", Code::kInvalidArgument, Recovery::kNone},
    {"exceptions.MergeRegionException", Code::kDoNotRetry, Recovery::kNone},
    {"snapshot.SnapshotCreationException", Code::kDoNotRetry, Recovery::kNone},
    {"snapshot.RestoreSnapshotException", Code::kDoNotRetry, Recovery::kNone},
    {"snapshot.SnapshotTTLExpiredException", Code::kDoNotRetry, Recovery::kNone},
    {"ipc.FatalConnectionException", Code::kDoNotRetry, Recovery::kNone},
};

// "class: message\n\tat ..." without the ends; Java nests as "DoNotRetryIOException: java.lang.X: message".
std::string_view MessageOf(std::string_view java_class, std::string_view trace) {
  if (const size_t stack = trace.find("\n\tat "); stack != std::string_view::npos) {
    trace = trace.substr(0, stack);
  }
  if (trace.starts_with(java_class)) {
    trace.remove_prefix(java_class.size());
    trace.remove_prefix(std::min(trace.size(), trace.find_first_not_of(": ")));
  }
  return trace;
}

// The code of the class; kOk: none. IOException itself means nothing specific.
Code CodeOf(std::string_view java_class) {
  for (int i = 1; i < static_cast<int>(Code::kIoError); ++i) {
    const base::ErrorInfo& info = base::InfoFor(static_cast<Code>(i));
    if (info.java_class == java_class && info.java_class != "java.io.IOException") {
      return info.code;
    }
  }
  return Code::kOk;
}

// The class that caused a plain IOException: what the server's code threw, before its RPC wrapped it. Empty: unknown.
std::string_view CauseOf(std::string_view trace) {
  constexpr std::string_view kCause = "\nCaused by: ";
  const size_t at = trace.find(kCause);
  if (at == std::string_view::npos) {
    return {};
  }
  trace.remove_prefix(at + kCause.size());
  return trace.substr(0, trace.find_first_of(":\n"));
}

// "Region moved to: hostname=H port=P startCode=S. As of locationSeqNum=N."
std::optional<Address> MovedTo(std::string_view message) {
  constexpr std::string_view kHost = "hostname=";
  constexpr std::string_view kPort = " port=";
  const size_t host = message.find(kHost);
  const size_t port = message.find(kPort, host == std::string_view::npos ? 0 : host);
  if (host == std::string_view::npos || port == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view name = message.substr(host + kHost.size(), port - host - kHost.size());
  const std::string_view number = message.substr(port + kPort.size());
  Expected<Address> address =
      ParseAddress(std::string(name) + ":" + std::string(number.substr(0, number.find(' '))), 0);
  return address.ok() ? std::optional(*std::move(address)) : std::nullopt;
}

}  // namespace

Failure FailureOf(std::string_view java_class, std::string_view stack_trace, bool do_not_retry) {
  const std::string_view message = MessageOf(java_class, stack_trace);
  const std::string_view telling = java_class == "java.io.IOException" ? CauseOf(stack_trace) : java_class;
  const std::string_view short_class =
      telling.starts_with(kPackage) ? telling.substr(kPackage.size()) : std::string_view();
  if (const auto* known = std::ranges::find(kKnown, short_class, &Known::short_class); known != std::end(kKnown)) {
    return {Status(known->code, std::string(message)), known->recovery, MovedTo(message)};
  }
  Code code = CodeOf(telling);
  if (code == Code::kDoNotRetry && message.starts_with("java.lang.")) {
    const size_t colon = message.find(':');
    if (const Code inner = CodeOf(message.substr(0, colon)); inner != Code::kOk && colon != std::string_view::npos) {
      return {Status(inner, std::string(message.substr(std::min(message.size(), colon + 2))))};
    }
  }
  if (code != Code::kOk && !base::InfoFor(code).retryable) {
    return {Status(code, std::string(message))};
  }
  // If the table of codes lacks the class, its name stays in the text.
  const std::string text =
      code == Code::kOk ? std::string(java_class) + ": " + std::string(message) : std::string(message);
  if (do_not_retry) {
    return {Status(code == Code::kOk ? Code::kDoNotRetry : code, text)};
  }
  return {Status(code == Code::kOk ? Code::kIoError : code, text), Recovery::kRelocate};
}

Failure FailureOf(const hbase::pb::ExceptionResponse& exception) {
  return FailureOf(exception.exception_class_name(), exception.stack_trace(), exception.do_not_retry());
}

Failure FailureOf(const hbase::pb::NameBytesPair& exception) {
  return FailureOf(exception.name(), exception.value(), /*do_not_retry=*/false);
}

}  // namespace klip::client
