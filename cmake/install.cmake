# `cmake --install` installs the program, the headers, the static library libklip++.a of all modules, and libklip.so, the C
# interface. CMake finds them by find_package(klip) (targets klip::klip and klip::c), pkg-config by klip and libklip.
include(CMakePackageConfigHelpers)

set(objects)
foreach(module base model async proto filter rowkey rpc messages hfile hbase engine wasm table copy sql arrow advise)
  if(TARGET klip_${module})
    list(APPEND objects $<TARGET_OBJECTS:klip_${module}>)
  endif()
endforeach()
if(NOT objects)
  return()
endif()

add_library(klip_library STATIC ${objects})
set_target_properties(klip_library PROPERTIES OUTPUT_NAME klip++ EXPORT_NAME klip LINKER_LANGUAGE CXX)
target_include_directories(klip_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(klip_library PUBLIC cxx_std_20)
target_link_libraries(klip_library PUBLIC
  OpenSSL::SSL RocksDB::rocksdb-shared protobuf::libprotobuf-lite pcre2-8 ZLIB::ZLIB snappy lz4 zstd zookeeper_mt gssapi_krb5 Threads::Threads)
add_library(klip::klip ALIAS klip_library)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/klip)
install(TARGETS klip_library EXPORT klip_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT development)
if(TARGET klip_c)
  install(TARGETS klip_c EXPORT klip_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT library NAMELINK_COMPONENT development)
endif()
install(EXPORT klip_targets NAMESPACE klip:: DESTINATION ${package_directory} COMPONENT development)
# For projects that use the build directory, -Dklip_DIR=.../build.
export(EXPORT klip_targets NAMESPACE klip:: FILE ${PROJECT_BINARY_DIR}/klip_targets.cmake)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/klip DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT program)
if(TARGET klip_cli_program)
  install(TARGETS klip_cli_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(CODE "set(source \"${PROJECT_SOURCE_DIR}\")\n set(scratch \"${PROJECT_BINARY_DIR}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/install_service.cmake\")" COMPONENT program)
  # The program prints them, so they match its options.
  set(made ${PROJECT_BINARY_DIR}/made)
  add_custom_command(TARGET klip_cli_program POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
    COMMAND sh -c "$1 man $2/man && for shell in bash zsh fish; do $1 completion $shell > $2/klip.$shell || exit 1; done"
      sh $<TARGET_FILE:klip_cli_program> ${made})
  install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${made}/klip.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME klip COMPONENT program)
  install(FILES ${made}/klip.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _klip COMPONENT program)
  install(FILES ${made}/klip.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/serve.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endif()

if(TARGET klip_shell_program)
  if(NOT KLIP_SANITIZE)  # Ruby keeps what it allocated
    set(manual ${PROJECT_BINARY_DIR}/made/klip-shell.1)
    file(GLOB_RECURSE commands CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/shell/lib/*.rb)
    add_custom_command(OUTPUT ${manual} DEPENDS klip_shell_program ${commands} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/made
      COMMAND klip_shell_program --man > ${manual})
    add_custom_target(klip_shell_manual ALL DEPENDS ${manual})
    install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  endif()
  install(TARGETS klip_shell_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/shell/lib/ DESTINATION ${CMAKE_INSTALL_DATADIR}/klip/shell COMPONENT program)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/klip-config.cmake.in
  ${PROJECT_BINARY_DIR}/klip-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/klip-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(file klip libklip)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${file}.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/klip-config.cmake ${PROJECT_BINARY_DIR}/klip-config-version.cmake
  DESTINATION ${package_directory} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/klip.pc ${PROJECT_BINARY_DIR}/libklip.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# What an installation consists of.
add_custom_target(klip_installed)
foreach(target klip_library klip_c klip_cli_program klip_shell_program klip_shell_manual)
  if(TARGET ${target})
    add_dependencies(klip_installed ${target})
  endif()
endforeach()
