// Advice on a table's row keys, from a sample of its rows and the queries that the request brings.
#include "console/api.h"
#include "klip/advise.h"

namespace klip::console {
namespace {

constexpr int64_t kMaxSampledRows = 100'000;  // readable within the time of a request

}  // namespace

Expected<Json> KeyAdvice(Connection* connection, const Parameters& parameters) {
  const std::string table = Text(parameters, "table");
  AdviseOptions options = {.schema = Text(parameters, "schema"), .max_rows = kMaxSampledRows};
  KLIP_ASSIGN_OR_RETURN(options.queries, ParseQueryLog(Text(parameters, "queries"), table));
  // A person who copies the commands inserts the address of the store.
  const Expected<Advice> advice = Advise(*connection, "STORE", table, options);
  if (advice.status().code() == Code::kCancelled) {
    return Status(Code::kTimedOut, "reading the keys of this table takes too long for a page: run klip advise");
  }
  KLIP_RETURN_IF_ERROR(advice.status());
  return Json::parse(advice->ToJson(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace klip::console
