# Tests by file name, so that a new one needs no line here: tests/*_test.cpp are linked into torchport_tests,
# tests/*.sh and tests/*_test.py run as they are (exit 77: skipped).
# Scripts find the program under test in $TORCHPORT, the static one in $TORCHPORT_RELEASE, the interpreter in $PYTHON.
set(TORCHPORT_RELEASE ${PROJECT_SOURCE_DIR}/build/release/torchport CACHE FILEPATH "The static binary that the release tests run")
set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
if(TARGET torchport AND NOT TORCHPORT_SANITIZE)
  set(program $<TARGET_FILE:torchport>)
else()
  set(program ${TORCHPORT_RELEASE})
endif()
set(script_env "TORCHPORT=${program};TORCHPORT_RELEASE=${TORCHPORT_RELEASE};PYTHON=${python};PYTHONDONTWRITEBYTECODE=1")

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
if(sources)
  find_package(GTest REQUIRED)
  add_executable(torchport_tests ${sources})
  target_link_libraries(torchport_tests PRIVATE cli rules_embedded GTest::gtest GTest::gtest_main)
  target_compile_definitions(torchport_tests PRIVATE TORCHPORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(torchport_tests PROPERTIES CXX_CLANG_TIDY "")
  # One process for all: a process a test costs more than the test.
  add_test(NAME unit COMMAND torchport_tests --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(unit PROPERTIES TIMEOUT 900)
endif()

function(torchport_script_test name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${script_env}" SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.sh)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  torchport_script_test(${name} sh ${script})
endforeach()
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.py)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  torchport_script_test(${name} ${python} ${script})
endforeach()
