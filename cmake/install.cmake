# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. tests/install/run tries it out.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Man page and completion, made by the program from its own tables.
foreach(doc man bash zsh fish)
  set(file ${CMAKE_BINARY_DIR}/doc/carillon.${doc})
  add_custom_command(OUTPUT ${file} DEPENDS carillon VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/doc
    COMMAND carillon --print ${doc} > ${file})
  list(APPEND DOCS ${file})
endforeach()
add_custom_target(docs ALL DEPENDS ${DOCS})

install(TARGETS carillon)
install(FILES ${CMAKE_BINARY_DIR}/doc/carillon.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME carillon.1)
install(FILES ${CMAKE_BINARY_DIR}/doc/carillon.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME carillon)
install(FILES ${CMAKE_BINARY_DIR}/doc/carillon.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _carillon)
install(FILES ${CMAKE_BINARY_DIR}/doc/carillon.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES fpga/60-carillon.rules DESTINATION lib/udev/rules.d) # udev looks in /usr/lib and /usr/local/lib
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The documentation as pages.
find_program(CMARK cmark-gfm)
find_package(Python3 COMPONENTS Interpreter)
if(CMARK AND Python3_Interpreter_FOUND)
  set(SITE ${CMAKE_BINARY_DIR}/site)
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -E env CARILLON=$<TARGET_FILE:carillon> ${CMAKE_SOURCE_DIR}/scripts/site ${SITE}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${SITE}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html)
endif()

# The sources that simulators are compiled from, where the program looks for them: ../share/carillon.
install(DIRECTORY rtl/ DESTINATION share/carillon/rtl FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh")
install(DIRECTORY sim/ DESTINATION share/carillon/sim FILES_MATCHING PATTERN "shim*.cpp" PATTERN "shim*.h")

# The constant part of simulators, compiled once: a first run need not. Without Verilator there is none, and runs compile it.
find_program(VERILATOR verilator)
if(VERILATOR)
  file(GLOB SHIMS CONFIGURE_DEPENDS sim/shim*)
  set(RUNTIME ${CMAKE_BINARY_DIR}/runtime)
  add_custom_command(OUTPUT ${RUNTIME}/made DEPENDS ${SHIMS} ${VERILATOR} cmake/runtime.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} -D CARILLON=${CMAKE_BINARY_DIR}/carillon -D FOLDER=${RUNTIME} -D SOURCE=${CMAKE_SOURCE_DIR}
            -P ${CMAKE_SOURCE_DIR}/cmake/runtime.cmake)
  add_custom_target(runtime ALL DEPENDS ${RUNTIME}/made)
  add_dependencies(runtime carillon)
  install(DIRECTORY ${RUNTIME}/ DESTINATION share/carillon/runtime FILES_MATCHING PATTERN "runtime-*")
endif()

# The library, shared and static, for pkg-config and for find_package(carillon).
install(TARGETS carillon_shared carillon_static EXPORT carillonTargets)
install(DIRECTORY host/include/carillon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

file(RELATIVE_PATH PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/carillon.pc.in ${CMAKE_BINARY_DIR}/cmake/carillon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/carillon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(carillon_shared PROPERTIES EXPORT_NAME carillon)
set_target_properties(carillon_static PROPERTIES EXPORT_NAME static)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carillon)
install(EXPORT carillonTargets NAMESPACE carillon:: DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/carillonConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES cmake/carillonConfig.cmake ${CMAKE_BINARY_DIR}/cmake/carillonConfigVersion.cmake DESTINATION ${PACKAGE_DIR})
