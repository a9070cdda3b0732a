# Debian packages by CPack: klip (the program and its systemd unit) and libklip-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME klip)
set(CPACK_PACKAGE_VENDOR klip)
set(CPACK_PACKAGE_CONTACT "The klip authors <klip@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME klip)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION database)
# /etc/klip/klip.conf is the user's once installed.
file(WRITE ${PROJECT_BINARY_DIR}/conffiles "/etc/klip/klip.conf\n")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/conffiles)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "HBase's data model on one machine
 One program: a server for HBase's clients, and commands on a store in a directory. No Java, no ZooKeeper.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libklip-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "librocksdb-dev, libssl-dev, libprotobuf-dev, libpcre2-dev, libzookeeper-mt-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and static library of klip")
include(CPack)
