# roundel_add_golden(SCENE [GOLDENS dir] [NAME name] [OPTIONS option...]): a test that draws the scene and compares it with
# its golden. The folder of goldens is "goldens" beside CMakeLists.txt unless GOLDENS names another one. The options are those
# of "roundel regress". Tests may run at once (ctest -j). Pictures that differ are in regress-output in the folder of the
# build; "roundel accept --all --output FOLDER/regress-output" stores them.
find_program(ROUNDEL_COMMAND roundel HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin DOC "the command roundel")

function(roundel_add_golden scene)
  cmake_parse_arguments(PARSE_ARGV 1 golden "" "GOLDENS;NAME" "OPTIONS")
  if(DEFINED golden_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "roundel_add_golden: expected GOLDENS, NAME or OPTIONS, got \"${golden_UNPARSED_ARGUMENTS}\"")
  endif()
  if(NOT ROUNDEL_COMMAND)
    message(FATAL_ERROR "roundel_add_golden: no command roundel: name it with -DROUNDEL_COMMAND=PATH")
  endif()
  get_filename_component(scene "${scene}" ABSOLUTE)
  if(NOT EXISTS "${scene}")
    message(FATAL_ERROR "roundel_add_golden: ${scene}: no such file")
  endif()
  get_filename_component(picture "${scene}" NAME_WLE)
  if(NOT DEFINED golden_GOLDENS)
    set(golden_GOLDENS goldens)
  endif()
  get_filename_component(golden_GOLDENS "${golden_GOLDENS}" ABSOLUTE)
  if(NOT DEFINED golden_NAME)
    string(REGEX REPLACE "[^A-Za-z0-9_.+-]+" "_" golden_NAME "golden.${picture}")  # others need CMake's policy CMP0110
  endif()
  # In the working directory accept makes a missing folder of goldens.
  add_test(NAME "${golden_NAME}"
           COMMAND "${ROUNDEL_COMMAND}" regress "${scene}" --goldens "${golden_GOLDENS}"
                   --output "${CMAKE_CURRENT_BINARY_DIR}/regress-output" ${golden_OPTIONS}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  # Two tests of one scene write the same picture.
  set_tests_properties("${golden_NAME}" PROPERTIES RESOURCE_LOCK "${CMAKE_CURRENT_BINARY_DIR}/${picture}.png")
endfunction()
