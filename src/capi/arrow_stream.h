// Streams that go through the gate, as every handle does.
#pragma once

#include <memory>

#include "capi/handles.h"
#include "klip/arrow.h"

namespace klip::capi {

// *out becomes a stream of what `inner` gives, until the connection is closed. `inner` is its own from then on.
// `transaction`: that it reads in; null: none.
void GiveStream(const GatePtr& gate, CancelToken token, std::shared_ptr<OpenTransaction> transaction,
                const ArrowArrayStream& inner, ArrowArrayStream* out);
// The same for rows of a session, which works for one thread at a time.
void GiveStream(const GatePtr& gate, std::shared_ptr<klip_session> session, const ArrowArrayStream& inner,
                ArrowArrayStream* out);

inline Status RowsAreGone() { return {Code::kInvalidArgument, "the rows were handed on as a stream"}; }

}  // namespace klip::capi
