# For projects that test with sonde:
#
#   sonde_discover_tests(target [TIME seconds] [TIMEOUT seconds] [ARGS option...] [LABELS label...]
#                        [PREFIX text] [WORKING_DIRECTORY folder] [DISCOVERY_TIMEOUT seconds])
#     A test of CTest for each property of the program, named target.property. They are found after each build, by
#     `target --list`. A property that gives up (status 77) is skipped, not passed.
#
#   sonde_instrument(target [SANITIZE [sanitizer...]] [THREADS [fibers|os]] [MUTANTS [file...]] [NO_TRACE_CMP])
#     Compiles and links this target alone by `sonde cc` around the compiler that the project has, so that the search
#     sees the code that it reaches. Instrument the libraries under test and the programs that test them.

set(_SONDE_LIST_TESTS "${CMAKE_CURRENT_LIST_DIR}/sonde-list-tests.cmake")

function(sonde_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 _s "" "TIME;TIMEOUT;PREFIX;WORKING_DIRECTORY;DISCOVERY_TIMEOUT" "ARGS;LABELS")
  if(_s_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sonde_discover_tests(${target}): unknown argument: ${_s_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "sonde_discover_tests: there is no target ${target}; call add_executable(${target} ...) first")
  endif()
  if(NOT DEFINED _s_PREFIX)
    set(_s_PREFIX "${target}.")
  endif()
  if(NOT _s_WORKING_DIRECTORY)
    set(_s_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  if(NOT _s_DISCOVERY_TIMEOUT)
    set(_s_DISCOVERY_TIMEOUT 30)
  endif()
  if(DEFINED _s_TIME)
    if(NOT _s_TIME MATCHES "^[0-9]+(\\.[0-9]+)?$")
      message(FATAL_ERROR "sonde_discover_tests(${target}): TIME ${_s_TIME}: give seconds, like 10 or 0.5")
    endif()
    list(APPEND _s_ARGS --time ${_s_TIME})
    # Shrinking comes after the search, and a hang is shrunk slowly.
    if(NOT _s_TIMEOUT)
      string(REGEX REPLACE "\\..*" "" _s_whole "${_s_TIME}")
      math(EXPR _s_TIMEOUT "${_s_whole} + 300")
    endif()
  endif()
  get_target_property(_s_emulator ${target} CROSSCOMPILING_EMULATOR)
  if(NOT _s_emulator)
    set(_s_emulator "")
  endif()
  set(_s_file "${CMAKE_CURRENT_BINARY_DIR}/${target}_properties.cmake")
  set(_s_include "${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake")
  add_custom_command(TARGET ${target} POST_BUILD
    BYPRODUCTS "${_s_file}"
    COMMAND "${CMAKE_COMMAND}"
            -D "program=$<TARGET_FILE:${target}>" -D "emulator=${_s_emulator}" -D "file=${_s_file}"
            -D "prefix=${_s_PREFIX}" -D "arguments=${_s_ARGS}" -D "labels=${_s_LABELS}"
            -D "timeout=${_s_TIMEOUT}" -D "folder=${_s_WORKING_DIRECTORY}" -D "patience=${_s_DISCOVERY_TIMEOUT}"
            -P "${_SONDE_LIST_TESTS}"
    VERBATIM)
  # A program that was not built is one failing test, not none.
  file(WRITE "${_s_include}"
    "if(EXISTS \"${_s_file}\")\n  include(\"${_s_file}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${_s_include}")
endfunction()

function(sonde_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 _s "NO_TRACE_CMP" "" "SANITIZE;THREADS;MUTANTS")
  if(_s_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sonde_instrument(${target}): unknown argument: ${_s_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "sonde_instrument: there is no target ${target}")
  endif()
  if(CMAKE_VERSION VERSION_LESS 3.21)
    message(FATAL_ERROR "sonde_instrument needs CMake 3.21 or later; with ${CMAKE_VERSION} build the whole tree by -DCMAKE_C_COMPILER=sonde-cc")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Makefiles|Ninja")
    message(FATAL_ERROR "sonde_instrument works with Makefiles and Ninja, not with ${CMAKE_GENERATOR}; build the whole tree by -DCMAKE_C_COMPILER=sonde-cc")
  endif()
  if(NOT SONDE_TOOL)
    message(FATAL_ERROR "sonde_instrument: the tool `sonde` was not found beside the library; install it, or set SONDE_TOOL to its path")
  endif()
  set(_s_options "")
  if(_s_NO_TRACE_CMP)
    list(APPEND _s_options --no-trace-cmp)
  endif()
  # SANITIZE LIST is --sanitize=LIST; without a list, it is --sanitize. THREADS and MUTANTS likewise.
  foreach(_s_word SANITIZE THREADS MUTANTS)
    if(DEFINED _s_${_s_word} OR "${_s_word}" IN_LIST ARGN)
      string(TOLOWER "--${_s_word}" _s_option)
      string(REPLACE ";" "," _s_list "${_s_${_s_word}}")
      if(_s_list)
        string(APPEND _s_option "=${_s_list}")
      endif()
      list(APPEND _s_options "${_s_option}")
    endif()
  endforeach()
  if("THREADS" IN_LIST ARGN AND "SANITIZE" IN_LIST ARGN)
    message(FATAL_ERROR "sonde_instrument(${target}): THREADS and SANITIZE exclude each other; build a second program with the other one")
  endif()
  foreach(_s_pair C:cc CXX:c++)
    string(REGEX MATCH "^[A-Z]+" _s_language "${_s_pair}")
    string(REGEX MATCH "[a-z+]+$" _s_command "${_s_pair}")
    get_target_property(_s_before ${target} ${_s_language}_COMPILER_LAUNCHER)
    if(NOT _s_before)
      set(_s_before "")
    endif()
    set(_s_launcher "${SONDE_TOOL}" ${_s_command} ${_s_options} --sonde-launch)
    set(_s_compiling ${_s_launcher} ${_s_before})
    set_target_properties(${target} PROPERTIES
      ${_s_language}_LINKER_LAUNCHER "${_s_launcher}"
      ${_s_language}_COMPILER_LAUNCHER "${_s_compiling}")
  endforeach()
  if(TARGET sonde-tool)
    add_dependencies(${target} sonde-tool)
  endif()
endfunction()
