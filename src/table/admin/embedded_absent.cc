// EmbeddedAdmin: what one store in one process has not, answered as a cluster answers that has it switched off or has none of it.
#include "table/admin/embedded_admin.h"

namespace klip::table {
namespace {

// HBase's text where hbase.coprocessor.master.classes has no RSGroupAdminEndpoint.
Status NoGroups() {
  return {Code::kUnsupported,
          "No registered Master Coprocessor Endpoint found for RSGroupAdminService. Has it been enabled?"};
}

// The texts of HBase's shell.
Status NoAccessControl() { return {Code::kUnsupported, "DISABLED: Security features are not available"}; }
Status NoLabels() { return {Code::kUnsupported, "DISABLED: Visibility labels feature is not available"}; }

}  // namespace

Expected<std::vector<QuotaSettings>> EmbeddedAdmin::ListQuotas() { return std::vector<QuotaSettings>(); }
Status EmbeddedAdmin::SetQuota(const QuotaSettings&) { return {Code::kUnsupported, "quota support disabled"}; }
Expected<std::map<std::string, int64_t>> EmbeddedAdmin::GetSpaceQuotaTableSizes() {
  return std::map<std::string, int64_t>();
}
Expected<std::map<std::string, int64_t>> EmbeddedAdmin::GetSnapshotSizes() { return std::map<std::string, int64_t>(); }
Expected<bool> EmbeddedAdmin::SetExceedThrottleQuota(bool) { return false; }
Expected<std::vector<SpaceQuotaState>> EmbeddedAdmin::GetSpaceQuotaStates(const std::optional<ServerName>& server) {
  KLIP_RETURN_IF_ERROR(server.has_value() ? CheckServers({&*server, 1}) : Status());
  return std::vector<SpaceQuotaState>();
}

Expected<std::vector<RSGroupInfo>> EmbeddedAdmin::ListRSGroups() { return NoGroups(); }
Expected<std::optional<RSGroupInfo>> EmbeddedAdmin::GetRSGroup(std::string_view) { return NoGroups(); }
Expected<std::optional<RSGroupInfo>> EmbeddedAdmin::GetRSGroupOfServer(std::string_view) { return NoGroups(); }
Expected<std::optional<RSGroupInfo>> EmbeddedAdmin::GetRSGroupOfTable(std::string_view) { return NoGroups(); }
Status EmbeddedAdmin::AddRSGroup(std::string_view) { return NoGroups(); }
Status EmbeddedAdmin::RemoveRSGroup(std::string_view) { return NoGroups(); }
Status EmbeddedAdmin::RenameRSGroup(std::string_view, std::string_view) { return NoGroups(); }
Status EmbeddedAdmin::UpdateRSGroupConfig(std::string_view, const std::map<std::string, std::string>&) {
  return NoGroups();
}
Expected<BalanceResult> EmbeddedAdmin::BalanceRSGroup(std::string_view, const BalanceOptions&) { return NoGroups(); }
Status EmbeddedAdmin::MoveToRSGroup(std::string_view, std::span<const std::string>, std::span<const std::string>) {
  return NoGroups();
}
Status EmbeddedAdmin::RemoveServersFromRSGroup(std::span<const std::string>) { return NoGroups(); }

Status EmbeddedAdmin::Grant(const UserPermission&, bool) { return NoAccessControl(); }
Status EmbeddedAdmin::Revoke(const UserPermission&) { return NoAccessControl(); }
Expected<std::vector<UserPermission>> EmbeddedAdmin::GetUserPermissions(const UserPermission&) {
  return NoAccessControl();
}
Status EmbeddedAdmin::AddLabels(std::span<const std::string>) { return NoLabels(); }
Expected<std::vector<std::string>> EmbeddedAdmin::ListLabels(std::string_view) { return NoLabels(); }
Status EmbeddedAdmin::SetAuths(std::string_view, std::span<const std::string>) { return NoLabels(); }
Status EmbeddedAdmin::ClearAuths(std::string_view, std::span<const std::string>) { return NoLabels(); }
Expected<std::vector<std::string>> EmbeddedAdmin::GetAuths(std::string_view) { return NoLabels(); }

}  // namespace klip::table
