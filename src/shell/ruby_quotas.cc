// Klip::Connection's calls about quotas, as hashes with HBase's names as values.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "shell/cluster_values.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

// By number, from 1.
constexpr std::array<std::string_view, 13> kThrottleTypes = {"REQUEST_NUMBER",
                                                             "REQUEST_SIZE",
                                                             "WRITE_NUMBER",
                                                             "WRITE_SIZE",
                                                             "READ_NUMBER",
                                                             "READ_SIZE",
                                                             "REQUEST_CAPACITY_UNIT",
                                                             "WRITE_CAPACITY_UNIT",
                                                             "READ_CAPACITY_UNIT",
                                                             "ATOMIC_READ_SIZE",
                                                             "ATOMIC_REQUEST_NUMBER",
                                                             "ATOMIC_WRITE_SIZE",
                                                             "REQUEST_HANDLER_USAGE_MS"};
constexpr std::array<std::string_view, 4> kPolicies = {"DISABLE", "NO_WRITES_COMPACTIONS", "NO_WRITES", "NO_INSERTS"};
constexpr std::array<std::string_view, 4> kPeriods = {"sec", "min", "hour", "day"};

template <typename Enum, size_t kCount>
VALUE FromName(const std::array<std::string_view, kCount>& names, Enum value, size_t first) {
  const size_t index = static_cast<size_t>(value) - first;
  return FromText(index < kCount ? names[index] : "?");
}

template <typename Enum, size_t kCount>
Expected<Enum> ToEnum(const std::array<std::string_view, kCount>& names, const std::string& name, size_t first) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) {
      return static_cast<Enum>(i + first);
    }
  }
  return Status(Code::kInvalidArgument, "quota: unknown '" + name + "'");
}

VALUE FromTextOrNil(const std::string& text) { return text.empty() ? Qnil : FromText(text); }
VALUE FromIntOrNil(const std::optional<int64_t>& number) { return number.has_value() ? FromInt(*number) : Qnil; }

// {user:, table:, namespace:, region_server:} and {throttle_type:, limit:, period:, cluster:}, {space_limit:, policy:} or {bypass:}
VALUE FromQuota(const QuotaSettings& settings) {
  VALUE hash = rb_hash_new();
  Set(hash, "user", FromTextOrNil(settings.user));
  Set(hash, "table", FromTextOrNil(settings.table));
  Set(hash, "namespace", FromTextOrNil(settings.name_space));
  Set(hash, "region_server", FromTextOrNil(settings.region_server));
  if (settings.throttle.has_value()) {
    Set(hash, "throttle_type", FromName(kThrottleTypes, *settings.throttle->type, 1));
    Set(hash, "limit", FromIntOrNil(settings.throttle->limit));
    Set(hash, "period", FromName(kPeriods, settings.throttle->period, 0));
    Set(hash, "cluster", FromFlag(settings.throttle->of_cluster));
  }
  if (settings.space.has_value()) {
    Set(hash, "space_limit", FromIntOrNil(settings.space->limit_bytes));
    Set(hash, "policy", FromName(kPolicies, settings.space->policy, 1));
  }
  if (settings.bypass_globals.has_value()) {
    Set(hash, "bypass", FromFlag(*settings.bypass_globals));
  }
  return hash;
}

VALUE FromState(const SpaceQuotaState& state) {
  VALUE hash = rb_hash_new();
  Set(hash, "table", FromText(state.table));
  Set(hash, "used_bytes", FromInt(state.used_bytes));
  Set(hash, "limit_bytes", FromInt(state.limit_bytes));
  Set(hash, "violated", state.violated.has_value() ? FromName(kPolicies, *state.violated, 1) : Qnil);
  return hash;
}

Answer Quotas(VALUE self, Arguments) {
  auto quotas = WithAdmin<QuotaAdmin>(self, [](QuotaAdmin& admin) { return admin.ListQuotas(); });
  KLIP_RETURN_IF_ERROR(quotas.status());
  return FromList(*quotas, FromQuota);
}

// {kind: "throttle"|"space"|"bypass", ...}, otherwise as FromQuota. A throttle or space quota without a limit removes it.
Expected<QuotaSettings> ToQuota(VALUE hash) {
  QuotaSettings settings;
  HashReader reader(hash, "quota");
  reader.Read("user", &settings.user);
  reader.Read("table", &settings.table);
  reader.Read("namespace", &settings.name_space);
  reader.Read("region_server", &settings.region_server);
  std::string kind, type, period = "sec", policy = "NO_INSERTS";
  bool cluster = false, bypass = false;
  int64_t limit = -1;
  reader.Read("kind", &kind);
  reader.Read("throttle_type", &type);
  reader.Read("period", &period);
  reader.Read("policy", &policy);
  reader.Read("cluster", &cluster);
  reader.Read("bypass", &bypass);
  reader.Read("limit", &limit);
  KLIP_RETURN_IF_ERROR(reader.status());
  const std::optional<int64_t> given = limit < 0 ? std::nullopt : std::optional(limit);
  if (kind == "throttle") {
    settings.throttle = ThrottleQuota{.type = {}, .limit = given, .period = {}, .of_cluster = cluster};
    if (!type.empty()) {
      KLIP_ASSIGN_OR_RETURN(settings.throttle->type, ToEnum<ThrottleType>(kThrottleTypes, type, 1));
    }
    KLIP_ASSIGN_OR_RETURN(settings.throttle->period, ToEnum<QuotaPeriod>(kPeriods, period, 0));
  } else if (kind == "space") {
    settings.space = SpaceQuota{.limit_bytes = given, .policy = {}};
    KLIP_ASSIGN_OR_RETURN(settings.space->policy, ToEnum<SpaceViolationPolicy>(kPolicies, policy, 1));
  } else {
    settings.bypass_globals = bypass;
  }
  return settings;
}

Answer SetQuota(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(QuotaSettings settings, ToQuota(args[0]));
  return NilOr(WithAdmin<QuotaAdmin>(self, [settings](QuotaAdmin& admin) { return admin.SetQuota(settings); }));
}

// {table or snapshot => bytes}
template <Expected<std::map<std::string, int64_t>> (QuotaAdmin::*kCall)()>
Answer Sizes(VALUE self, Arguments) {
  auto sizes = WithAdmin<QuotaAdmin>(self, [](QuotaAdmin& admin) { return (admin.*kCall)(); });
  KLIP_RETURN_IF_ERROR(sizes.status());
  VALUE hash = rb_hash_new();
  for (const auto& [name, bytes] : *sizes) {
    rb_hash_aset(hash, FromText(name), FromInt(bytes));
  }
  return hash;
}

// exceed_throttle_quota(on): the previous setting.
Answer ExceedThrottleQuota(VALUE self, Arguments args) {
  return FlagOr(WithAdmin<QuotaAdmin>(
      self, [on = ToFlag(args[0])](QuotaAdmin& admin) { return admin.SetExceedThrottleQuota(on); }));
}

// space_quota_states(server or nil)
Answer SpaceQuotaStates(VALUE self, Arguments args) {
  std::optional<ServerName> server;
  if (!NIL_P(args[0])) {
    KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[0], "server"));
    KLIP_ASSIGN_OR_RETURN(server, ServerName::Parse(name));
  }
  auto states = WithAdmin<QuotaAdmin>(self, [server](QuotaAdmin& admin) { return admin.GetSpaceQuotaStates(server); });
  KLIP_RETURN_IF_ERROR(states.status());
  return FromList(*states, FromState);
}

}  // namespace

void DefineQuotaMethods(VALUE connection) {
  DefineMethod<Quotas, 0>(connection, "quotas");
  DefineMethod<SetQuota, 1>(connection, "set_quota");
  DefineMethod<Sizes<&QuotaAdmin::GetSpaceQuotaTableSizes>, 0>(connection, "quota_table_sizes");
  DefineMethod<Sizes<&QuotaAdmin::GetSnapshotSizes>, 0>(connection, "snapshot_sizes");
  DefineMethod<ExceedThrottleQuota, 1>(connection, "exceed_throttle_quota");
  DefineMethod<SpaceQuotaStates, 1>(connection, "space_quota_states");
}

}  // namespace klip::shell
