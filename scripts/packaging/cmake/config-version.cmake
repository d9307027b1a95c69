# SPDX-License-Identifier: GPL-2.0-only
# Versions with the same first number, or the same first two of 0.x, have the same interface.
set(PACKAGE_VERSION "@version@")
string(REGEX MATCH "^0\\.[0-9]+|^[0-9]+" interface "${PACKAGE_VERSION}")
if("${PACKAGE_FIND_VERSION}" STREQUAL "${PACKAGE_VERSION}")
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
if("${PACKAGE_FIND_VERSION}." MATCHES "^${interface}\\." AND NOT "${PACKAGE_VERSION}" VERSION_LESS "${PACKAGE_FIND_VERSION}")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
