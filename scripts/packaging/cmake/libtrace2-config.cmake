# SPDX-License-Identifier: GPL-2.0-only
# find_package(libtrace2): ktrack::trace2, the shared library, and ktrack::trace2_static.
if(NOT TARGET ktrack::trace2)
  add_library(ktrack::trace2 SHARED IMPORTED)
  set_target_properties(ktrack::trace2 PROPERTIES
    IMPORTED_LOCATION "@libdir@/libtrace2.so"
    IMPORTED_SONAME "@soname@"
    INTERFACE_INCLUDE_DIRECTORIES "@includedir@")
endif()

if(NOT TARGET ktrack::trace2_static)
  add_library(ktrack::trace2_static STATIC IMPORTED)
  set_target_properties(ktrack::trace2_static PROPERTIES
    IMPORTED_LOCATION "@libdir@/libtrace2.a"
    INTERFACE_INCLUDE_DIRECTORIES "@includedir@"
    INTERFACE_LINK_LIBRARIES "@private@")
endif()
