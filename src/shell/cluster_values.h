// Servers, flags and lists between Ruby and C++, for calls about a cluster.
#pragma once

#include <string>
#include <vector>

#include "klip/cluster_metrics.h"
#include "shell/border.h"
#include "shell/ruby_value.h"

namespace klip::shell {

inline VALUE FromFlag(bool flag) { return flag ? Qtrue : Qfalse; }

template <typename List, typename Convert>
VALUE FromList(const List& list, Convert convert) {
  VALUE array = rb_ary_new();
  for (const auto& one : list) {
    rb_ary_push(array, convert(one));
  }
  return array;
}

inline void Set(VALUE hash, const char* key, VALUE value) { rb_hash_aset(hash, Symbol(key), value); }

// "host,port,startcode"; nil: none.
inline VALUE FromServer(const ServerName& server) { return server.host.empty() ? Qnil : FromText(server.ToString()); }

// From "host,port,startcode".
Expected<std::vector<ServerName>> ToServers(VALUE value);

template <typename Values, typename Convert>
Answer ListOr(const Expected<Values>& values, Convert convert) {
  KLIP_RETURN_IF_ERROR(values.status());
  return FromList(*values, convert);
}

inline Answer FlagOr(const Expected<bool>& flag) {
  KLIP_RETURN_IF_ERROR(flag.status());
  return FromFlag(*flag);
}

}  // namespace klip::shell
