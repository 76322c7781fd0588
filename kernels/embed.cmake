# Kernels -> one byte array in a C file, so that the program needs no files beside it.
#   cmake -DROOT=<kernels folder> "-DPROGRAM=<a.cl;b.cl>" -DNAME=<source> -DOUTPUT=<file.c> -P embed.cmake
# Each quoted #include is resolved once, depth first, but for files that begin with "// For each width": those are
# resolved each time (base/lane.h). #line keeps file and line for the compiler's messages.
# A byte array, since C guarantees only 4,095 characters in a string literal. The expanded text is also left
# in <file.c>.cl. host/device/kernel_source.c does the same at run time (CLACK_KERNEL_DIR); a test compares the two.
# Limits: only #include "..." at column 1; every file ends in a newline; includes under #if are resolved
# regardless (so there are none).
cmake_minimum_required(VERSION 3.25)

set(SEEN "")
function(expand NAME OUT)
  if(NAME IN_LIST SEEN)
    set(${OUT} "" PARENT_SCOPE)
    return()
  endif()
  # Not split into lists: CMake's lists would join lines at backslashes and semicolons.
  file(READ "${ROOT}/${NAME}" REST)
  string(FIND "${REST}" "// For each width" FOR_EACH_WIDTH)
  if(NOT FOR_EACH_WIDTH EQUAL 0)
    list(APPEND SEEN "${NAME}")
  endif()
  set(TEXT "#line 1 \"${NAME}\"\n")
  set(LINE 1)
  string(FIND "\n${REST}" "\n#include \"" AT)
  while(NOT AT EQUAL -1)
    string(SUBSTRING "${REST}" 0 ${AT} BEFORE)
    string(SUBSTRING "${REST}" ${AT} -1 REST)
    string(FIND "${REST}" "\n" END)
    string(SUBSTRING "${REST}" 0 ${END} DIRECTIVE)
    math(EXPR END "${END} + 1")
    string(SUBSTRING "${REST}" ${END} -1 REST)
    string(REGEX REPLACE "[^\n]" "" NEWLINES "${BEFORE}")
    string(LENGTH "${NEWLINES}" COUNT)
    math(EXPR LINE "${LINE} + ${COUNT} + 1")
    string(REGEX REPLACE "^#include \"([^\"]+)\".*$" "\\1" CHILD "${DIRECTIVE}")
    expand("${CHILD}" BODY)
    string(APPEND TEXT "${BEFORE}" "${BODY}" "#line ${LINE} \"${NAME}\"\n")
    string(FIND "\n${REST}" "\n#include \"" AT)
  endwhile()
  set(${OUT} "${TEXT}${REST}" PARENT_SCOPE)
  set(SEEN "${SEEN}" PARENT_SCOPE)
endfunction()

set(ALL "")
set(NAMES "")
foreach(FILE IN LISTS PROGRAM)
  expand("${FILE}" ONE)
  string(APPEND ALL "${ONE}")
  string(APPEND NAMES "\"${FILE}\", ")
endforeach()
file(WRITE "${OUTPUT}.cl" "${ALL}")
file(READ "${OUTPUT}.cl" HEX_TEXT HEX)
string(REGEX REPLACE "(..)" "0x\\1," BYTES "${HEX_TEXT}")
file(WRITE "${OUTPUT}" "// Made by kernels/embed.cmake.
#include \"kernel_source.h\"
const unsigned char kernel_${NAME}_embedded[] = {${BYTES}0x00};
const size_t kernel_${NAME}_embedded_bytes = sizeof kernel_${NAME}_embedded - 1;
const char *const kernel_${NAME}_programs[] = {${NAMES}0};
")
