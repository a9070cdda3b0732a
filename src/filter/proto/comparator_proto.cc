// Comparators from and to their messages.
#include <utility>

#include "filter/common/visitors.h"
#include "filter/proto/filter_proto.h"
#include "filter/proto/proto_messages.h"
#include "klip/bytes.h"

namespace klip::filter {
namespace {

namespace pb = hbase::pb;

using Reader = Expected<ComparatorPtr> (*)(std::string_view name, std::string_view bytes);

// Comparators with only bytes.
template <typename Message, ComparatorPtr (*kMake)(std::string)>
Expected<ComparatorPtr> ReadComparable(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(Message message, ReadMessage<Message>(name, bytes));
  return kMake(std::move(*message.mutable_comparable()->mutable_value()));
}

Expected<ComparatorPtr> ReadComponent(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::BinaryComponentComparator>(name, bytes));
  return BinaryComponentComparator(message.value(), message.offset());
}

Expected<ComparatorPtr> ReadBit(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::BitComparator>(name, bytes));
  return BitComparator(message.comparable().value(), static_cast<BitwiseOp>(message.bitwise_op()));
}

Expected<ComparatorPtr> ReadLong(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::LongComparator>(name, bytes));
  const std::string& value = message.comparable().value();
  if (value.size() != sizeof(int64_t)) {
    return Status(Code::kDoNotRetry, "LongComparator: " + std::to_string(value.size()) + " bytes, not 8");
  }
  return LongComparator(ReadBigEndian<int64_t>(value.data()));
}

Expected<ComparatorPtr> ReadBigDecimal(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::BigDecimalComparator>(name, bytes));
  return BigDecimalComparator(message.comparable().value());
}

Expected<ComparatorPtr> ReadNull(std::string_view name, std::string_view bytes) {
  KLIP_RETURN_IF_ERROR(ReadMessage<pb::NullComparator>(name, bytes).status());
  return NullComparator();
}

Expected<ComparatorPtr> ReadSubstring(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::SubstringComparator>(name, bytes));
  return SubstringComparator(message.substr());
}

Expected<ComparatorPtr> ReadRegex(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::RegexStringComparator>(name, bytes));
  Regex regex{.pattern = message.pattern(), .flags = message.pattern_flags(), .charset = message.charset()};
  regex.engine = message.has_engine() ? message.engine() : regex.engine;
  return RegexStringComparator(std::move(regex));
}

constexpr std::pair<std::string_view, Reader> kReaders[] = {
    {"BinaryComparator", ReadComparable<pb::BinaryComparator, BinaryComparator>},
    {"BinaryPrefixComparator", ReadComparable<pb::BinaryPrefixComparator, BinaryPrefixComparator>},
    {"BinaryComponentComparator", ReadComponent},
    {"BitComparator", ReadBit},
    {"LongComparator", ReadLong},
    {"BigDecimalComparator", ReadBigDecimal},
    {"NullComparator", ReadNull},
    {"SubstringComparator", ReadSubstring},
    {"RegexStringComparator", ReadRegex},
};

class Writer final : public ComparatorVisitor {
 public:
  Expected<JavaObject> Take() {
    return status_.ok() ? Expected<JavaObject>(JavaObject{std::string(kJavaPackage) + name_, std::move(bytes_)})
                        : status_;
  }

  void Binary(const std::string& value) override { Comparable<pb::BinaryComparator>("BinaryComparator", value); }
  void BinaryPrefix(const std::string& prefix) override {
    Comparable<pb::BinaryPrefixComparator>("BinaryPrefixComparator", prefix);
  }
  void BinaryComponent(const std::string& value, uint32_t offset) override {
    pb::BinaryComponentComparator message;
    message.set_value(value);
    message.set_offset(offset);
    Set("BinaryComponentComparator", message);
  }
  void Bit(const std::string& value, BitwiseOp op) override {
    pb::BitComparator message;
    message.mutable_comparable()->set_value(value);
    message.set_bitwise_op(static_cast<pb::BitComparator::BitwiseOp>(op));
    Set("BitComparator", message);
  }
  void Long(int64_t value) override { Comparable<pb::LongComparator>("LongComparator", BigEndian(value)); }
  void BigDecimal(const std::string& bytes) override {
    Comparable<pb::BigDecimalComparator>("BigDecimalComparator", bytes);
  }
  void Null() override { Set("NullComparator", pb::NullComparator()); }
  void Substring(const std::string& text) override {
    pb::SubstringComparator message;
    message.set_substr(text);
    Set("SubstringComparator", message);
  }
  void RegexString(const Regex& regex) override {
    pb::RegexStringComparator message;
    message.set_pattern(regex.pattern);
    message.set_pattern_flags(regex.flags);
    message.set_charset(regex.charset);
    message.set_engine(regex.engine);
    Set("RegexStringComparator", message);
  }
  void Custom(const Comparator& comparator) override {
    status_ = Status(Code::kUnsupported, "HBase has no comparator " + ToStringBinary(comparator.ToString()));
  }

 private:
  template <typename Message>
  void Comparable(std::string_view name, const std::string& value) {
    Message message;
    message.mutable_comparable()->set_value(value);
    Set(name, message);
  }
  void Set(std::string_view name, const google::protobuf::MessageLite& message) {
    name_ = name;
    bytes_ = message.SerializeAsString();
  }

  std::string name_;
  std::string bytes_;
  Status status_;
};

}  // namespace

Expected<ComparatorPtr> ComparatorFromProto(std::string_view class_name, std::string_view bytes) {
  if (class_name.starts_with(kJavaPackage)) {
    const std::string_view name = class_name.substr(kJavaPackage.size());
    for (const auto& [known, read] : kReaders) {
      if (name == known) {
        return read(name, bytes);
      }
    }
  }
  return Status(Code::kDoNotRetry, "java.lang.ClassNotFoundException: comparator " + ToStringBinary(class_name));
}

Expected<ComparatorPtr> ComparatorFromMessage(const pb::Comparator& message) {
  return ComparatorFromProto(message.name(), message.serialized_comparator());
}

Expected<CompareOp> OpFromMessage(int op) {
  if (op < 0 || op > static_cast<int>(CompareOp::kNoOp)) {
    return Status(Code::kDoNotRetry, "compare operator " + std::to_string(op));
  }
  return static_cast<CompareOp>(op);
}

Expected<JavaObject> ComparatorToProto(const Comparator& comparator) {
  Writer writer;
  comparator.Accept(&writer);
  return writer.Take();
}

}  // namespace klip::filter
