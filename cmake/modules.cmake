# klip_module(<name> [THROWS] LINKS <targets>): the static library klip_<name> from the sources in src/<name> and its folders, and
# the test klip_<name>_test from those that end in _test.cc. Modules return errors as values and are built without exceptions.
# THROWS: with exceptions, since a library that the module uses throws.
function(klip_module name)
  cmake_parse_arguments(ARG "THROWS" "" "LINKS" ${ARGN})
  klip_sources(${name} sources tests)
  if(sources)
    klip_library(${name} "${sources}" "${ARG_LINKS}")
    if(ARG_THROWS)
      klip_use_precompiled(klip_${name} klip_headers_throws)
    else()
      target_compile_options(klip_${name} PRIVATE -fno-exceptions)
      klip_use_precompiled(klip_${name} klip_headers)
    endif()
  endif()
  klip_tests(${name} "${tests}")
endfunction()

# klip_program(<name> OUTPUT <file> LINKS <targets>): the same with exceptions, and the program <file> from
# src/<name>/main.cc.
function(klip_program name)
  cmake_parse_arguments(ARG "" "OUTPUT" "LINKS" ${ARGN})
  klip_sources(${name} sources tests)
  set(main ${PROJECT_SOURCE_DIR}/src/${name}/main.cc)
  list(REMOVE_ITEM sources ${main})
  if(sources)
    klip_library(${name} "${sources}" "${ARG_LINKS}")
    klip_use_precompiled(klip_${name} klip_headers_throws)
  endif()
  if(EXISTS ${main})
    add_executable(klip_${name}_program ${main})
    set_target_properties(klip_${name}_program PROPERTIES OUTPUT_NAME ${ARG_OUTPUT} KLIP_WITH_ROCKSDB ON)
    klip_use_precompiled(klip_${name}_program klip_headers_throws)
    target_include_directories(klip_${name}_program PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(klip_${name}_program PRIVATE klip_${name})
  endif()
  klip_tests(${name} "${tests}")
endfunction()

# klip_embed_text(<target> <Function> <file>): adds the function klip::<Function>, which returns the text of the file, to the target.
function(klip_embed_text target function file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  set(source ${PROJECT_BINARY_DIR}/generated/${function}.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from @file@ by cmake/modules.cmake.
#include \"klip/row_key.h\"
namespace klip {
std::string_view @function@() { return R\"text(@text@)text\"; }
}  // namespace klip
")
  target_sources(${target} PRIVATE ${source})
endfunction()

# klip_embed_files(<target> <folder>): adds the function klip::<folder>::EmbeddedFile(name), which src/<folder>/assets.h declares and which
# returns the text of a file in <folder>/, to the target.
function(klip_embed_files target folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    if(NOT name MATCHES "\\.(html|css|js|svg)$")
      continue()
    endif()
    file(READ ${file} text HEX)  # as it is: CMake would read brackets and semicolons as lists
    string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
    string(APPEND entries "  if (name == \"${name}\") { return std::string_view(\"${text}\", sizeof(\"${text}\") - 1); }\n")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/generated/${folder}_files.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from ${folder}/ by cmake/modules.cmake.
#include \"${folder}/assets.h\"
namespace klip::${folder} {
std::string_view EmbeddedFile(std::string_view name) {
@entries@  return {};
}
}  // namespace klip::${folder}
")
  target_sources(${target} PRIVATE ${source})
endfunction()

# klip_generates(<target> <outputs>): the target klip_generated generates these sources, for tools such as clang-tidy.
add_custom_target(klip_generated)
function(klip_generates target outputs)
  add_custom_target(${target}_generated DEPENDS ${outputs})
  add_dependencies(klip_generated ${target}_generated)
endfunction()

# klip_proto(): the static library klip_proto from src/proto/*.proto, included as "proto/<Name>.pb.h". Generated code would cause
# many warnings, so it is compiled without them.
function(klip_proto)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/proto/*.proto)
  set(directory ${PROJECT_BINARY_DIR}/generated)
  set(outputs)
  foreach(source ${sources})
    string(REPLACE ".proto" ".pb" stem ${source})
    list(APPEND outputs ${directory}/${stem}.cc ${directory}/${stem}.h)
  endforeach()
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE files)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(OUTPUT ${outputs} DEPENDS ${files} VERBATIM
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/src --cpp_out=${directory} ${files})
  klip_generates(klip_proto "${outputs}")
  add_library(klip_proto STATIC ${outputs})
  target_include_directories(klip_proto SYSTEM PUBLIC ${directory})
  target_compile_options(klip_proto PRIVATE -w -g0)
  set_target_properties(klip_proto PROPERTIES UNITY_BUILD ON)  # generated names do not clash
  target_link_libraries(klip_proto PUBLIC protobuf::libprotobuf-lite)
endfunction()

# klip_proto_descriptors(FILE): the target of the same name writes the descriptors of src/proto/*.proto to FILE, as a FileDescriptorSet.
function(klip_proto_descriptors file)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/proto/*.proto)
  add_custom_command(OUTPUT ${file} DEPENDS ${files} VERBATIM
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/src --descriptor_set_out=${file} ${files})
  add_custom_target(klip_proto_descriptors DEPENDS ${file})
endfunction()

# klip_module_proto(<module> <Name>): the static library klip_<module>_proto from src/<module>/<Name>.proto, included as
# "<module>/<Name>.pb.h": messages that only this module uses.
function(klip_module_proto module name)
  set(directory ${PROJECT_BINARY_DIR}/generated)
  set(source ${PROJECT_SOURCE_DIR}/src/${module}/${name}.proto)
  set(outputs ${directory}/${module}/${name}.pb.cc ${directory}/${module}/${name}.pb.h)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(OUTPUT ${outputs} DEPENDS ${source} VERBATIM
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/src --cpp_out=${directory} ${source})
  klip_generates(klip_${module}_proto "${outputs}")
  add_library(klip_${module}_proto STATIC ${outputs})
  target_include_directories(klip_${module}_proto SYSTEM PUBLIC ${directory})
  target_compile_options(klip_${module}_proto PRIVATE -w -g0)
  target_link_libraries(klip_${module}_proto PUBLIC protobuf::libprotobuf-lite)
endfunction()

# klip_thrift_idl(<target> <service> <file>): the static library <target> from src/thrift/idl/<file>.thrift, which defines one
# service, and from src/thrift/idl/<file>_*.cc. Included as "<file>/<service>.h" and "<file>/<file>_types.h". Compiled without
# warnings, as above.
function(klip_thrift_idl target service file)
  find_program(THRIFT_COMPILER thrift REQUIRED)
  set(source ${PROJECT_SOURCE_DIR}/src/thrift/idl/${file}.thrift)
  set(directory ${PROJECT_BINARY_DIR}/generated/${file})
  set(outputs ${directory}/${service}.cpp ${directory}/${service}.h ${directory}/${file}_types.cpp ${directory}/${file}_types.h)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(OUTPUT ${outputs} DEPENDS ${source} VERBATIM
    COMMAND ${THRIFT_COMPILER} --gen cpp:no_skeleton,moveable_types -out ${directory} ${source})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/thrift/idl/${file}_*.cc)
  klip_generates(${target} "${outputs}")
  add_library(${target} STATIC ${outputs} ${sources})
  target_include_directories(${target} SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/generated)
  target_compile_options(${target} PRIVATE -w -g0)
  target_link_libraries(${target} PUBLIC thrift)
  if(KLIP_SANITIZE)
    # Thrift's readers cast any number from the wire to its enumerations. klip's own have a fixed underlying type.
    target_compile_options(${target} PUBLIC -fno-sanitize=enum)
  endif()
endfunction()

# klip_c_library(): libklip.so from klip_capi and its dependencies. Its major version is that of klip.h (KLIP_ABI_MAJOR, KLIP_ABI_MINOR).
function(klip_c_library)
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/klip/klip.h versions REGEX "^#define KLIP_ABI_")
  string(REGEX MATCHALL "[0-9]+" versions "${versions}")
  list(JOIN versions "." version)
  list(GET versions 0 major)
  set(map ${PROJECT_SOURCE_DIR}/src/capi/symbols.map)
  target_compile_options(klip_capi PRIVATE -fvisibility=hidden)
  add_library(klip_c SHARED $<TARGET_OBJECTS:klip_capi>)
  set_target_properties(klip_c PROPERTIES OUTPUT_NAME klip EXPORT_NAME c VERSION ${version} SOVERSION ${major}
    LINK_DEPENDS ${map})
  target_include_directories(klip_c INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(klip_c PRIVATE klip_arrow klip_table)
  target_link_options(klip_c PRIVATE -Wl,--version-script=${map} -Wl,--exclude-libs,ALL)
  if(NOT KLIP_SANITIZE)
    target_link_options(klip_c PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

function(klip_sources name sources_out tests_out)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "/idl/")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set(${sources_out} ${sources} PARENT_SCOPE)
  set(${tests_out} ${tests} PARENT_SCOPE)
endfunction()

function(klip_library name sources links)
  add_library(klip_${name} STATIC ${sources})
  target_include_directories(klip_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(klip_${name} PUBLIC ${links})
endfunction()

function(klip_tests name tests)
  if(tests AND KLIP_TESTS)
    add_executable(klip_${name}_test ${tests})
    klip_use_precompiled(klip_${name}_test klip_headers_tests)
    target_compile_options(klip_${name}_test PRIVATE ${KLIP_TEST_OPTIONS})
    target_include_directories(klip_${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(klip_${name}_test PRIVATE klip_${name} GTest::gtest_main)
    add_test(NAME ${name} COMMAND klip_${name}_test)
    # For hangs: the slowest suite takes three minutes on two idle cores, and ten on two that others use.
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  endif()
endfunction()
