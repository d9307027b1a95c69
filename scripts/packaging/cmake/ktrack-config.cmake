# SPDX-License-Identifier: GPL-2.0-only
# find_package(ktrack): ktrack::user, the headers for programs; ktrack::trace2 if libtrace2's development files are installed.
get_filename_component(ktrack_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(ktrack_DRIVER_INCLUDE_DIR "${ktrack_prefix}/share/ktrack/include")

include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT TARGET ktrack::user)
  add_library(ktrack::user INTERFACE IMPORTED)
  set_target_properties(ktrack::user PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ktrack_prefix}/include"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()

find_package(libtrace2 "${ktrack_VERSION}" EXACT QUIET CONFIG HINTS "${ktrack_prefix}")

set(ktrack_user_FOUND TRUE)
if(TARGET ktrack::trace2)
  set(ktrack_trace2_FOUND TRUE)
endif()
foreach(component IN LISTS ktrack_FIND_COMPONENTS)
  if(ktrack_FIND_REQUIRED_${component} AND NOT ktrack_${component}_FOUND)
    set(ktrack_FOUND FALSE)
    set(ktrack_NOT_FOUND_MESSAGE "ktrack has no component ${component}; those are user and, with libtrace2's development files, trace2")
  endif()
endforeach()
