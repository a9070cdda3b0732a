# Runs at install time, when the prefix is known. Installs the systemd unit and its options file, with matching paths.
# Reads `source` (the repository) and `scratch` (the build directory).
string(REGEX REPLACE "/usr$" "" root "${CMAKE_INSTALL_PREFIX}")  # the options of /usr are in /etc
set(options "${root}/etc/klip/klip.conf")

file(READ "${source}/packaging/klip.service" unit)
string(REPLACE "/usr/bin/klip" "${CMAKE_INSTALL_PREFIX}/bin/klip" unit "${unit}")
string(REPLACE "/etc/klip/klip.conf" "${options}" unit "${unit}")
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  # The packages create the user klip. Without them, systemd creates a user while the service runs.
  string(REGEX REPLACE "# The package creates[^\n]*\nUser=klip\nGroup=klip\n" "DynamicUser=yes\n" unit "${unit}")
  # The program may be below /home.
  string(REPLACE "ProtectHome=yes" "ProtectHome=read-only" unit "${unit}")
endif()
file(WRITE "${scratch}/installed/klip.service" "${unit}")
file(INSTALL "${scratch}/installed/klip.service" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")

if(NOT EXISTS "$ENV{DESTDIR}${options}")  # else it is the user's
  get_filename_component(directory "${options}" DIRECTORY)
  file(INSTALL "${source}/packaging/klip.conf" DESTINATION "${directory}")
endif()
