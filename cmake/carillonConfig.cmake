# SPDX-License-Identifier: Apache-2.0
# find_package(carillon): the targets carillon::carillon, which is shared, and carillon::static.
include(CMakeFindDependencyMacro)
find_dependency(ZLIB)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/carillonTargets.cmake)
