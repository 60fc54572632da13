# SPDX-License-Identifier: Apache-2.0
# Has the program compile a simulator, and keeps the runtime that it was linked with, and compiled headers.
# -D CARILLON=PROGRAM -D FOLDER=WHERE_IT_GOES -D SOURCE=CHECKOUT
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(ENV{CARILLON_CACHE} ${FOLDER}/cache)
set(ENV{CARILLON_DATA} ${SOURCE})
set(ENV{CARILLON_HEADERS} yes)
execute_process(COMMAND ${CARILLON} run broadcast -t path:2 OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB RUNTIME ${FOLDER}/cache/runtime-* ${FOLDER}/cache/headers-*)
list(FILTER RUNTIME EXCLUDE REGEX "\\.lock$")
file(COPY ${RUNTIME} DESTINATION ${FOLDER})
file(REMOVE_RECURSE ${FOLDER}/cache)
file(TOUCH ${FOLDER}/made)
