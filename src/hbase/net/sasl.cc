#include "hbase/net/sasl.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "klip/bytes.h"
#include "rpc/client_message.h"

namespace klip::client {
namespace {

constexpr size_t kMaxTokenBytes = 1 << 20;      // as HBase's own client
constexpr uint32_t kMostReceivable = 0xFFFFFF;  // the maximum of three bytes; HBase ignores it
constexpr int32_t kSimpleInstead = -88;         // SaslUtil.SWITCH_TO_SIMPLE_AUTH
constexpr size_t kMaxWrappedBytes = rpc::kMaxResponseBytes + (1 << 16);
constexpr size_t kTokenReadBytes = 64 << 10;

// RPC messages inside tokens: each token is preceded by its length. Token and message boundaries are independent.
class Protected final : public Transport {
 public:
  Protected(std::unique_ptr<Transport> below, std::unique_ptr<GssSession> session, bool encrypt, size_t most_bytes)
      : below_(std::move(below)), session_(std::move(session)), encrypt_(encrypt), most_bytes_(most_bytes) {}

  ssize_t Send(std::string_view bytes) override {
    if (out_.empty()) {
      out_bytes_ = std::min(bytes.size(), most_bytes_);
      out_.Grow(4);
      if (!Remember(session_->Wrap(bytes.substr(0, out_bytes_), encrypt_, &out_))) {
        return -1;
      }
      rpc::PutBigEndian(out_.data(), static_cast<uint32_t>(out_.size() - 4));
      out_at_ = 0;
    }
    while (out_at_ < out_.size()) {
      const ssize_t sent = below_->Send(out_.view().substr(out_at_));
      if (sent < 0) {
        return sent;
      }
      out_at_ += static_cast<size_t>(sent);
    }
    out_.Clear();
    return static_cast<ssize_t>(out_bytes_);
  }

  ssize_t Receive(char* out, size_t size) override {
    while (plain_at_ == plain_.size()) {
      if (!HasToken()) {
        const ssize_t got = ReadMore();
        if (got <= 0) {
          return got;
        }
        continue;
      }
      const size_t bytes = TokenBytes();
      plain_.Clear();
      plain_at_ = 0;
      if (!Remember(session_->Unwrap(in_.view().substr(in_at_ + 4, bytes), encrypt_, &plain_))) {
        return -1;
      }
      in_at_ += 4 + bytes;
    }
    const size_t given = std::min(size, plain_.size() - plain_at_);
    std::memcpy(out, plain_.data() + plain_at_, given);
    plain_at_ += given;
    return static_cast<ssize_t>(given);
  }

  bool holds_input() const override { return plain_at_ < plain_.size() || HasToken() || below_->holds_input(); }

  std::string ErrorText(int error) const override { return error == EBADMSG ? error_ : below_->ErrorText(error); }

 private:
  bool Remember(const Status& status) {
    if (!status.ok()) {
      error_ = status.message();
      errno = EBADMSG;
    }
    return status.ok();
  }

  size_t TokenBytes() const { return ReadBigEndian<uint32_t>(in_.data() + in_at_); }
  bool HasToken() const { return in_.size() - in_at_ >= 4 && in_.size() - in_at_ - 4 >= TokenBytes(); }

  ssize_t ReadMore() {
    if (in_at_ > 0) {
      std::memmove(in_.data(), in_.data() + in_at_, in_.size() - in_at_);
      in_.Truncate(in_.size() - in_at_);
      in_at_ = 0;
    }
    size_t wanted = kTokenReadBytes;
    if (in_.size() >= 4) {
      if (TokenBytes() > kMaxWrappedBytes) {
        Remember(Status(Code::kDoNotRetry, "a token of " + std::to_string(TokenBytes()) + " bytes exceeds the limit"));
        return -1;
      }
      wanted = std::max(wanted, 4 + TokenBytes() - in_.size());
    }
    const size_t before = in_.size();
    const ssize_t got = below_->Receive(in_.Grow(wanted), wanted);
    const int error = errno;
    in_.Truncate(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    errno = error;
    return got;
  }

  const std::unique_ptr<Transport> below_;
  const std::unique_ptr<GssSession> session_;
  const bool encrypt_;
  const size_t most_bytes_;  // per token that the server accepts
  std::string error_;

  // The token being sent, and how many bytes it contains. For the sending thread.
  rpc::Buffer out_;
  size_t out_at_ = 0;
  size_t out_bytes_ = 0;
  // Received bytes, and the contents of the last token. For the receiving thread.
  rpc::Buffer in_;
  size_t in_at_ = 0;
  rpc::Buffer plain_;
  size_t plain_at_ = 0;
};

// The dialogue before calls are sent, in which each side waits for the other.
class Handshake {
 public:
  Handshake(Transport* transport, int socket, Deadline deadline)
      : transport_(transport), socket_(socket), deadline_(deadline) {}

  Status SendAll(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = transport_->Send(bytes);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
      } else if (Status waited = Wait(POLLOUT); !waited.ok()) {
        return waited;
      }
    }
    return Status::Ok();
  }

  Status SendToken(std::string_view token) {
    return SendAll(BigEndian(static_cast<uint32_t>(token.size())) + std::string(token));
  }

  // The server's next token. *simple: it wants none.
  Status ReceiveToken(std::string* token, bool* simple) {
    int32_t status = 0;
    KLIP_RETURN_IF_ERROR(ReceiveNumber(&status));
    if (status != 0) {  // SaslStatus.ERROR: the exception's class and text
      std::string java_class;
      std::string text;
      KLIP_RETURN_IF_ERROR(ReceiveText(&java_class));
      KLIP_RETURN_IF_ERROR(ReceiveText(&text));
      return {Code::kDoNotRetry, "Kerberos: refused by the server: " + (text.empty() ? java_class : text)};
    }
    int32_t bytes = 0;
    KLIP_RETURN_IF_ERROR(ReceiveNumber(&bytes));
    *simple = bytes == kSimpleInstead;
    return *simple ? Status() : ReceiveBytes(bytes, token);
  }

 private:
  Status ReceiveText(std::string* text) {
    int32_t bytes = 0;
    KLIP_RETURN_IF_ERROR(ReceiveNumber(&bytes));
    return bytes < 0 ? Status() : ReceiveBytes(bytes, text);  // null
  }

  Status ReceiveNumber(int32_t* number) {
    std::string bytes;
    KLIP_RETURN_IF_ERROR(ReceiveBytes(4, &bytes));
    *number = ReadBigEndian<int32_t>(bytes.data());
    return Status::Ok();
  }

  Status ReceiveBytes(int32_t bytes, std::string* out) {
    if (bytes < 0 || static_cast<size_t>(bytes) > kMaxTokenBytes) {
      return {Code::kIoError, "Kerberos: a token of " + std::to_string(bytes) + " bytes"};
    }
    out->resize(static_cast<size_t>(bytes));
    for (size_t have = 0; have < out->size();) {
      const ssize_t got = transport_->Receive(out->data() + have, out->size() - have);
      if (got == 0) {
        return {Code::kIoError, "Kerberos: the server closed the connection"};
      }
      if (got > 0) {
        have += static_cast<size_t>(got);
      } else if (Status waited = Wait(POLLIN); !waited.ok()) {
        return waited;
      }
    }
    return Status::Ok();
  }

  // Waits after Send or Receive made no progress.
  Status Wait(short events) {
    if (errno != EAGAIN && errno != EINTR) {
      return {Code::kIoError, "Kerberos: " + transport_->ErrorText(errno)};
    }
    return WaitFor(socket_, events, deadline_) ? Status() : Status(Code::kTimedOut, "Kerberos: no answer in time");
  }

  Transport* const transport_;
  const int socket_;
  const Deadline deadline_;
};

// The server's offer: its protections, and the maximum size of tokens that it receives.
struct Offer {
  uint8_t protections = 0;
  uint32_t token_bytes = 0;
};

Expected<Offer> ReadOffer(GssSession* session, std::string_view token) {
  rpc::Buffer offer;
  KLIP_RETURN_IF_ERROR(session->Unwrap(token, /*encrypted=*/false, &offer));
  if (offer.size() != 4) {
    return Status(Code::kDoNotRetry, "Kerberos: an offer of " + std::to_string(offer.size()) + " bytes, not 4");
  }
  const auto number = ReadBigEndian<uint32_t>(offer.data());
  return Offer{.protections = static_cast<uint8_t>(number >> 24), .token_bytes = number & kMostReceivable};
}

Expected<Protection> Choose(const Offer& offer, const std::optional<Protection>& wanted) {
  for (const Protection each : {Protection::kPrivacy, Protection::kIntegrity, Protection::kAuthentication}) {
    if ((offer.protections & static_cast<uint8_t>(each)) != 0 && wanted.value_or(each) == each) {
      return each;
    }
  }
  return Status(Code::kDoNotRetry,
                "Kerberos: the server does not offer the protection that is wanted (its hbase.rpc.protection)");
}

}  // namespace

std::string PrincipalFor(const std::string& pattern, const std::string& host) {
  constexpr std::string_view kHost = "_HOST";
  const size_t at = pattern.find(kHost);
  if (at == std::string::npos) {
    return pattern;
  }
  std::string name = host;
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) == 0) {
    char text[NI_MAXHOST];
    if (::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof(text), nullptr, 0, NI_NAMEREQD) == 0) {
      name = text;
    }
    ::freeaddrinfo(found);
  }
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::string(pattern).replace(at, kHost.size(), name);
}

Expected<std::unique_ptr<Transport>> Negotiate(const Kerberos& kerberos, const std::string& host, int socket,
                                               Deadline deadline, std::unique_ptr<Transport>* below) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<GssSession> session,
                        GssSession::Make(PrincipalFor(kerberos.server, host), kerberos.identity));
  Handshake handshake(below->get(), socket, deadline);
  KLIP_RETURN_IF_ERROR(handshake.SendAll(rpc::EncodePreamble(rpc::Authentication::kKerberos).view()));
  std::string token;
  do {
    KLIP_ASSIGN_OR_RETURN(token, session->Step(token));
    KLIP_RETURN_IF_ERROR(handshake.SendToken(token));
    bool simple = false;
    KLIP_RETURN_IF_ERROR(handshake.ReceiveToken(&token, &simple));
    if (simple) {
      return kerberos.fallback ? Expected<std::unique_ptr<Transport>>(nullptr)
                               : Status(Code::kDoNotRetry, "Kerberos: the server does not request it");
    }
  } while (!session->established());
  KLIP_ASSIGN_OR_RETURN(const Offer offer, ReadOffer(session.get(), token));
  KLIP_ASSIGN_OR_RETURN(const Protection protection, Choose(offer, kerberos.protection));
  rpc::Buffer answer;
  const uint32_t choice = uint32_t{static_cast<uint8_t>(protection)} << 24 |
                          (protection == Protection::kAuthentication ? 0 : kMostReceivable);
  KLIP_RETURN_IF_ERROR(session->Wrap(BigEndian(choice), /*encrypt=*/false, &answer));
  KLIP_RETURN_IF_ERROR(handshake.SendToken(answer.view()));
  if (protection == Protection::kAuthentication) {
    return std::move(*below);
  }
  const bool encrypt = protection == Protection::kPrivacy;
  const size_t most_bytes = session->MostBytes(offer.token_bytes, encrypt);
  if (most_bytes == 0) {
    return Status(Code::kDoNotRetry, "Kerberos: the server accepts no usable tokens");
  }
  return std::unique_ptr<Transport>(
      std::make_unique<Protected>(std::move(*below), std::move(session), encrypt, most_bytes));
}

}  // namespace klip::client
