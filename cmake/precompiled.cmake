# Headers that many sources include are compiled once: those of the standard library, klip's public ones, and the large ones of other libraries.
# Without this, a build spends half of its time on reading them. A source still names every header that it uses, and tests/tidy/include_test
# checks which libraries a module may use. -DKLIP_PRECOMPILED=OFF, as the presets release and fuzz have it, shows includes that are missing.
option(KLIP_PRECOMPILED "Precompile headers that many sources include" ON)

set(headers algorithm array atomic bit charconv chrono cmath compare condition_variable cstdint cstring deque filesystem functional iterator limits
  map memory mutex optional random set span string string_view thread tuple unordered_map utility variant vector
  nlohmann/json.hpp rocksdb/db.h rocksdb/env.h rocksdb/file_system.h rocksdb/options.h rocksdb/table_properties.h)
list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
# Most sources include these, and what they include. Those that few include, e.g. klip/sql.h, are left out: a change would compile everything.
foreach(header connection coprocessor query_log row_batch transaction)
  list(APPEND headers ${PROJECT_SOURCE_DIR}/include/klip/${header}.h)
endforeach()
foreach(messages Admin Client ClusterStatus Filter HBase Master RPC)
  list(APPEND headers "\"proto/${messages}.pb.h\"")
endforeach()

# klip_precompiled_headers(<target> [OPTIONS <options>] [HEADERS <more headers>] [LINKS <targets>]): a library of nothing but precompiled headers. The headers that
# klip_proto generates must be known.
function(klip_precompiled_headers target)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;LINKS" ${ARGN})
  if(NOT KLIP_PRECOMPILED)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/generated/${target}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${target} OBJECT ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${target} SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${target} PRIVATE ${ARG_LINKS})
  add_dependencies(${target} klip_proto_generated)
  target_precompile_headers(${target} PRIVATE ${headers} ${ARG_HEADERS})
endfunction()

# klip_use_precompiled(<target> <library>): compiles the target with the headers of the library.
function(klip_use_precompiled target library)
  if(KLIP_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${library})
  endif()
endfunction()
