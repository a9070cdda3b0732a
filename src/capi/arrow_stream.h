// Streams that go through the gate, like every handle.
#pragma once

#include <memory>

#include "capi/handles.h"
#include "klip/arrow.h"

namespace klip::capi {

// *out becomes a stream of the contents of `inner`, which it owns from then on, until the connection is closed.
// `transaction`: the one that it reads in; null: none.
void GiveStream(const GatePtr& gate, CancelToken token, std::shared_ptr<OpenTransaction> transaction,
                const ArrowArrayStream& inner, ArrowArrayStream* out);
// The same for rows of a session, which one thread at a time may use.
void GiveStream(const GatePtr& gate, std::shared_ptr<klip_session> session, const ArrowArrayStream& inner,
                ArrowArrayStream* out);

inline Status RowsAreGone() { return {Code::kInvalidArgument, "the rows were handed on as a stream"}; }

}  // namespace klip::capi
