# SPDX-License-Identifier: GPL-2.0-only
# find_package(libtrace2): ktrack::trace2, the shared library, and ktrack::trace2_static.
# Where this file is decides where the others are, so that the folder of an installation may be moved.
file(RELATIVE_PATH libtrace2_to_include "@libdir@/cmake/libtrace2" "@includedir@")
get_filename_component(libtrace2_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(libtrace2_includedir "${CMAKE_CURRENT_LIST_DIR}/${libtrace2_to_include}" ABSOLUTE)

if(NOT TARGET ktrack::trace2)
  add_library(ktrack::trace2 SHARED IMPORTED)
  set_target_properties(ktrack::trace2 PROPERTIES
    IMPORTED_LOCATION "${libtrace2_libdir}/libtrace2.so"
    IMPORTED_SONAME "@soname@"
    INTERFACE_INCLUDE_DIRECTORIES "${libtrace2_includedir}")
endif()

if(NOT TARGET ktrack::trace2_static)
  add_library(ktrack::trace2_static STATIC IMPORTED)
  set_target_properties(ktrack::trace2_static PROPERTIES
    IMPORTED_LOCATION "${libtrace2_libdir}/libtrace2.a"
    INTERFACE_INCLUDE_DIRECTORIES "${libtrace2_includedir}"
    INTERFACE_LINK_LIBRARIES "@private@")
endif()
