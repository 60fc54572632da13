# SPDX-License-Identifier: Apache-2.0
# Writes the files of a folder as C, a table of names and texts.
# usage: cmake -D FOLDER=… -D OUTPUT=… -P templates.cmake
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
set(code "// Made by cmake/templates.cmake.\n#include \"emit/emit.h\"\n")
set(rows)
foreach(file ${files})
  file(READ ${FOLDER}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(MAKE_C_IDENTIFIER ${file} name)
  string(APPEND code "static const unsigned char ${name}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${file}\", (const char *)${name}},\n")
endforeach()
file(WRITE ${OUTPUT} "${code}const struct crl_template crl_templates[] = {\n${rows}    {0, 0}};\n")
