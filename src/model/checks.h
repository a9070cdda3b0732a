// Requests that HBase's clients reject before any read or write, with HBase's texts. Errors: kInvalidArgument.
#pragma once

#include <cstdint>
#include <string_view>

#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"

namespace klip::model {

Status CheckRow(std::string_view row);
Status CheckTimestamp(int64_t timestamp_ms);
Status CheckTtl(int64_t ttl_ms);
Status CheckGet(const Get& get);

// Checks row and timestamps, and that there is something to write.
Status CheckForm(const Put& put);
Status CheckForm(const Delete& del);
Status CheckForm(const Increment& increment);
Status CheckForm(const Append& append);
Status CheckForm(const RowMutations& mutations);

}  // namespace klip::model
