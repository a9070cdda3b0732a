#include "thrift/listener.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <sys/socket.h>
#include <thrift/TConfiguration.h>
#include <thrift/TProcessor.h>
#include <thrift/protocol/TProtocol.h>
#include <thrift/transport/TSSLServerSocket.h>
#include <thrift/transport/TSSLSocket.h>
#include <thrift/transport/TServerSocket.h>
#include <thrift/transport/TSocket.h>
#include <thrift/transport/TVirtualTransport.h>

#include "klip/caller.h"
#include "thrift/dialect.h"
#include "thrift/protocol.h"

namespace klip::thrift {
namespace {

using apache::thrift::TConfiguration;
using apache::thrift::TException;
using apache::thrift::TProcessor;
using apache::thrift::protocol::TProtocol;
using apache::thrift::transport::TServerSocket;
using apache::thrift::transport::TSocket;
using apache::thrift::transport::TSSLServerSocket;
using apache::thrift::transport::TSSLSocketFactory;
using apache::thrift::transport::TTransport;
using apache::thrift::transport::TTransportException;
using apache::thrift::transport::TVirtualTransport;

// A socket whose first bytes were peeked, and are read again. While it waits for its client to send or accept bytes,
// *waits is true.
class Replayed : public TVirtualTransport<Replayed> {
 public:
  Replayed(std::shared_ptr<TSocket> socket, std::string first, std::atomic<bool>* waits,
           const std::shared_ptr<TConfiguration>& limits)
      : TVirtualTransport(limits), socket_(std::move(socket)), first_(std::move(first)), waits_(waits) {}

  bool isOpen() const override { return socket_->isOpen(); }
  bool peek() override {
    return at_ < first_.size() || Waiting([this] { return socket_->peek(); });
  }
  void open() override {}
  void close() override { socket_->close(); }
  void flush() override { socket_->flush(); }
  void write(const uint8_t* bytes, uint32_t size) {
    Waiting([&] {
      socket_->write(bytes, size);
      return true;
    });
  }

  uint32_t read(uint8_t* bytes, uint32_t size) {
    if (at_ == first_.size()) {
      return Waiting([&] { return socket_->read(bytes, size); });
    }
    size_t count = std::min<size_t>(size, first_.size() - at_);
    first_.copy(reinterpret_cast<char*>(bytes), count, at_);
    at_ += count;
    return static_cast<uint32_t>(count);
  }

 private:
  template <typename Step>
  std::invoke_result_t<const Step&> Waiting(const Step& step) {
    *waits_ = true;
    const auto result = step();  // an exception ends the connection
    *waits_ = false;
    return result;
  }

  std::shared_ptr<TSocket> socket_;
  std::string first_;
  size_t at_ = 0;
  std::atomic<bool>* const waits_;
};

// Creates TLS sockets with the certificates of a ServerTls.
class GovernedSockets : public TSSLSocketFactory {
 public:
  GovernedSockets(base::ServerTls* tls, Log log) {
    server(true);
    tls->Govern(ctx_->get(), std::move(log));
  }
};

class ThreadedListener : public Listener {
 public:
  explicit ThreadedListener(Log log) : log_(std::move(log)) {}
  ~ThreadedListener() override { Stop(); }

  Status Bind(const std::string& address, uint16_t port, const base::TlsFiles& tls) {
    if (tls.certificate.empty()) {
      socket_ = std::make_unique<TServerSocket>(address, port);
    } else {
      KLIP_RETURN_IF_ERROR(UseTls(address, port, tls));
    }
    socket_->setKeepAlive(true);  // detects clients that have vanished, after some hours
    try {
      socket_->listen();
    } catch (const TException& error) {
      return Status(Code::kIoError,
                    "cannot listen on " + address + ":" + std::to_string(port) + ": " + std::string(error.what()));
    }
    return Status::Ok();
  }

  void Answer(std::shared_ptr<TProcessor> processor, CallMemorySource memory) override {
    processor_ = std::move(processor);
    memory_ = std::move(memory);
    acceptor_ = std::thread([this] { AcceptAll(); });
  }

  uint16_t port() const override { return static_cast<uint16_t>(socket_->getPort()); }

  void Stop() override {
    if (!acceptor_.joinable()) {
      return;
    }
    stop_ = true;
    socket_->interrupt();
    acceptor_.join();
    socket_->close();
    {
      std::lock_guard lock(mutex_);
      for (const auto& client : clients_) {
        if (!client->done) {
          ::shutdown(client->socket->getSocketFD(), SHUT_RD);  // running answers are still sent
        }
      }
    }
    for (const auto& client : clients_) {  // nobody else changes the list any more
      client->thread.join();
    }
    clients_.clear();
  }

 private:
  struct Client {
    std::shared_ptr<TSocket> socket;
    std::string address;
    std::thread thread;
    std::atomic<bool> waits = true;  // for the client to send or accept bytes
    bool ended = false;              // to free its place; guarded by mutex_, as is `done`
    bool done = false;
  };

  // The first read in a client's own thread performs the handshake.
  Status UseTls(const std::string& address, uint16_t port, const base::TlsFiles& files) {
    KLIP_ASSIGN_OR_RETURN(tls_, base::ServerTls::Load(files));
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's sockets raise it when a client is gone
    try {
      auto factory = std::make_shared<GovernedSockets>(tls_.get(), log_);
      factory->authenticate(!files.ca.empty());
      socket_ = std::make_unique<TSSLServerSocket>(address, port, std::move(factory));
    } catch (const TException& error) {
      return Status(Code::kInvalidArgument, "cannot set up TLS: " + std::string(error.what()));
    }
    return Status::Ok();
  }

  void AcceptAll() {
    while (!stop_) {
      try {
        Accept(std::dynamic_pointer_cast<TSocket>(socket_->accept()));
      } catch (const TTransportException& error) {
        if (error.getType() != TTransportException::INTERRUPTED) {
          log_("accept: " + std::string(error.what()));
        }
      } catch (const std::exception& error) {  // no thread to be had
        log_("accept: " + std::string(error.what()));
      }
    }
  }

  void Accept(std::shared_ptr<TSocket> socket) {
    std::lock_guard lock(mutex_);
    clients_.remove_if([](const std::unique_ptr<Client>& client) {
      if (client->done) {
        client->thread.join();
      }
      return client->done;
    });
    if (!MakeRoom()) {
      log_("closed the connection of " + socket->getPeerAddress() + ": " + std::to_string(kMaxConnections) +
           " other connections are busy");
      return;
    }
    auto client = std::make_unique<Client>();
    client->address = socket->getPeerAddress();
    client->socket = std::move(socket);
    client->thread = std::thread([this, client = client.get()] {
      Serve(client);
      std::lock_guard closing(mutex_);  // Stop reads the descriptor
      client->socket->close();
      client->done = true;
    });
    clients_.push_back(std::move(client));
  }

  // For one more connection. If the maximum is reached, ends one that waits for its client: the oldest of the address
  // that has most of these. False: all are busy. REQUIRES: mutex_ is held
  bool MakeRoom() {
    const auto counts = [](const std::unique_ptr<Client>& client) { return !client->done && !client->ended; };
    if (static_cast<size_t>(std::count_if(clients_.begin(), clients_.end(), counts)) < kMaxConnections) {
      return true;
    }
    std::map<std::string_view, std::vector<Client*>> waiting;
    for (const auto& client : clients_) {
      if (counts(client) && client->waits) {
        waiting[client->address].push_back(client.get());
      }
    }
    const auto most = std::max_element(waiting.begin(), waiting.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (most == waiting.end()) {
      return false;
    }
    Client* const oldest = most->second.front();
    oldest->ended = true;
    ::shutdown(oldest->socket->getSocketFD(), SHUT_RDWR);  // its thread notices that
    return true;
  }

  // False: that was the last call. The memory of the call is released when its answer is sent.
  bool AnswerOne(const std::shared_ptr<TProtocol>& protocol) {
    const std::unique_ptr<base::ReadMemory> memory = memory_ == nullptr ? nullptr : memory_();
    const base::ReadMemoryScope scope(memory.get());
    return protocol->getTransport()->peek() && processor_->process(protocol, protocol, nullptr);
  }

  // Until the client disconnects.
  void Serve(Client* client) {
    const std::shared_ptr<TSocket>& socket = client->socket;
    try {
      socket->setNoDelay(true);
      std::string first;
      auto guess = GuessDialect(first);
      while (std::holds_alternative<NeedsMoreBytes>(guess)) {
        uint8_t byte[kBytesToGuess];
        uint32_t size = socket->read(byte, static_cast<uint32_t>(kBytesToGuess - first.size()));
        if (size == 0) {
          return;
        }
        first.append(reinterpret_cast<const char*>(byte), size);
        guess = GuessDialect(first);
      }
      if (const auto* stranger = std::get_if<Stranger>(&guess)) {
        log_(socket->getPeerAddress() + " sent " + stranger->what + "; closed");
        socket->write(reinterpret_cast<const uint8_t*>(stranger->reply.data()),
                      static_cast<uint32_t>(stranger->reply.size()));
        return;
      }
      auto source = std::make_shared<Replayed>(socket, first, &client->waits, limits_);
      std::shared_ptr<TProtocol> protocol = MakeProtocol(std::get<Dialect>(guess), source, limits_);
      const Caller caller = {.address = socket->getPeerAddress() + ":" + std::to_string(socket->getPeerPort()),
                             .door = Door::kThrift};
      const CallerScope scope(&caller);
      client->waits = false;
      while (!stop_ && AnswerOne(protocol)) {
      }
    } catch (const TTransportException& error) {
      if (error.getType() != TTransportException::END_OF_FILE) {
        log_(socket->getPeerAddress() + ": " + error.what());
      }
    } catch (const std::exception& error) {
      log_(socket->getPeerAddress() + ": " + error.what());
    }
  }

  std::shared_ptr<TProcessor> processor_;
  CallMemorySource memory_;
  const Log log_;
  const std::shared_ptr<TConfiguration> limits_ = Limits();
  std::unique_ptr<base::ServerTls> tls_;  // null: none
  std::unique_ptr<TServerSocket> socket_;
  std::atomic<bool> stop_ = false;
  std::thread acceptor_;
  std::mutex mutex_;
  std::list<std::unique_ptr<Client>> clients_;
};

}  // namespace

Expected<std::unique_ptr<Listener>> Listener::Listen(const std::string& address, uint16_t port,
                                                     const base::TlsFiles& tls, Log log) {
  auto listener = std::make_unique<ThreadedListener>(std::move(log));
  KLIP_RETURN_IF_ERROR(listener->Bind(address, port, tls));
  return std::unique_ptr<Listener>(std::move(listener));
}

}  // namespace klip::thrift
