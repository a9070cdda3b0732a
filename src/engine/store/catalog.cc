#include "engine/store/catalog.h"

namespace klip::engine {

Catalog Catalog::Empty() {
  Catalog catalog;
  for (const char* name : {"default", "hbase"}) {
    catalog.namespaces[name] = NamespaceDescriptor{.name = name};
  }
  return catalog;
}

}  // namespace klip::engine
