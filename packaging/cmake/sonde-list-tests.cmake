# Runs after a program with properties was linked: writes a test for each of them into `file`, which CTest includes.
execute_process(
  COMMAND ${emulator} "${program}" --list
  WORKING_DIRECTORY "${folder}"
  TIMEOUT "${patience}"
  OUTPUT_VARIABLE names
  ERROR_VARIABLE said
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --list does not list its properties (status ${status}); is its main SONDE_MAIN, sonde_main or sonde_main_all?\n${names}${said}")
endif()

# A name may hold whatever C strings hold; in brackets only ]==] would end it.
function(in_brackets text to)
  set(level "=")
  while(text MATCHES "]${level}]")
    string(APPEND level "=")
  endwhile()
  set(${to} "[${level}[${text}]${level}]" PARENT_SCOPE)
endfunction()

# Lists of CMake split at semicolons, which names may hold.
string(REPLACE ";" "<semicolon>" names "${names}")
string(REPLACE "\n" ";" names "${names}")
set(text "")
foreach(name IN LISTS names)
  string(REPLACE "<semicolon>" ";" name "${name}")
  if(name STREQUAL "")
    continue()
  endif()
  set(words "")
  foreach(word IN LISTS emulator)
    in_brackets("${word}" word)
    string(APPEND words " ${word}")
  endforeach()
  foreach(word "${program}" "--filter" "${name}")
    in_brackets("${word}" word)
    string(APPEND words " ${word}")
  endforeach()
  foreach(word IN LISTS arguments)
    in_brackets("${word}" word)
    string(APPEND words " ${word}")
  endforeach()
  in_brackets("${prefix}${name}" test)
  in_brackets("${folder}" where)
  in_brackets("${labels}" marks)
  string(APPEND text "add_test(${test}${words})\nset_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 WORKING_DIRECTORY ${where}")
  if(timeout)
    string(APPEND text " TIMEOUT ${timeout}")
  endif()
  if(labels)
    string(APPEND text " LABELS ${marks}")
  endif()
  string(APPEND text ")\n")
endforeach()
file(WRITE "${file}" "${text}")
