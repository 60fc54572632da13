# SPDX-License-Identifier: Apache-2.0
# find_package(carillon): the target carillon::carillon.
include(CMakeFindDependencyMacro)
find_dependency(ZLIB)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/carillonTargets.cmake)
