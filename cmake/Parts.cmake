# One static library per folder, in the order of the design: a part sees only those before it.
# Sources are globbed, so that a new file needs no line here.

# Most of the time of a build is the headers of the standard library and of nlohmann-json: they are compiled once, for all parts. The sources include what they
# use all the same; the preset tidy builds without.
option(TORCHPORT_PRECOMPILE "Compile the standard headers once" ON)
if(TORCHPORT_PRECOMPILE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
  add_library(precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(precompiled PRIVATE torchport_flags)
  target_precompile_headers(precompiled PRIVATE <algorithm> <array> <cctype> <cstddef> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <tuple> <unordered_map> <utility> <vector> <nlohmann/json.hpp>)
endif()
function(torchport_precompiled target)
  if(TORCHPORT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM precompiled)
  endif()
endfunction()

# torchport_part(NAME SOURCES <files> LINK <targets>): a folder without sources is an interface library.
function(torchport_part name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC torchport_flags ${arg_LINK})
    torchport_precompiled(${name})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE torchport_flags ${arg_LINK})
  endif()
endfunction()

set(root ${PROJECT_SOURCE_DIR})

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/analyzers/*.cpp)
list(FILTER sources EXCLUDE REGEX "/cpp/worker/")  # a program of its own: see Clang.cmake
torchport_part(analyzers SOURCES ${sources} LINK tree_sitter tree_sitter_python tree_sitter_cuda nlohmann_json::nlohmann_json)

file(GLOB tables CONFIGURE_DEPENDS ${root}/opdb/data/*.tsv)
torchport_embed(opdb ${tables})
file(GLOB sources CONFIGURE_DEPENDS ${root}/opdb/*.cpp ${root}/opdb/extract/*.cpp ${root}/opdb/graph/*.cpp)
list(FILTER sources EXCLUDE REGEX "_program\\.cpp$")  # need libtorch: Torch.cmake
torchport_part(opdb SOURCES ${sources} LINK analyzers opdb_embedded)
torchport_embed(probe ${root}/opdb/probe/probe.py)

file(GLOB sources CONFIGURE_DEPENDS ${root}/rules/*.cpp ${root}/rules/checks/*.cpp)
list(FILTER sources EXCLUDE REGEX "/rulec_main\\.cpp$")
torchport_part(rules SOURCES ${sources} LINK analyzers opdb torchport_yaml nlohmann_json::nlohmann_json)

# The rules' YAML is checked and turned into CBOR at build time: reading YAML would eat the start-up budget.
file(GLOB rulec CONFIGURE_DEPENDS ${root}/rules/rulec_main.cpp)
file(GLOB_RECURSE rule_files CONFIGURE_DEPENDS ${root}/rules/*.yaml)
if(rulec)
  # The compiler of the rules carries none: it would need its own output.
  set(no_rules ${PROJECT_BINARY_DIR}/embedded/no_rules.cpp)
  file(CONFIGURE OUTPUT ${no_rules} CONTENT
"#include \"embedded/rules/embedded_rules.h\"
namespace torchport {
std::span<const EmbeddedFile> embedded_rules() { return {}; }
}
")
  add_executable(torchport-rulec ${rulec} ${no_rules})
  target_include_directories(torchport-rulec PRIVATE ${PROJECT_BINARY_DIR})
  target_link_libraries(torchport-rulec PRIVATE rules)
  set(rule_dirs ${rule_files})
  list(TRANSFORM rule_dirs REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES rule_dirs)
  set(rules_compiled ${PROJECT_BINARY_DIR}/rules.bin)
  add_custom_command(OUTPUT ${rules_compiled}
    COMMAND torchport-rulec ${rules_compiled} ${rule_dirs}
    DEPENDS torchport-rulec ${rule_files}
    WORKING_DIRECTORY ${root}
    COMMENT "Checking the rules")
  torchport_embed(rules ${rules_compiled})
else()
  torchport_embed(rules)
endif()
# The rules library names embedded_rules() (its header is there from the start); only programs link the bytes themselves.
get_target_property(kind rules TYPE)
if(kind STREQUAL STATIC_LIBRARY)
  target_include_directories(rules PRIVATE ${PROJECT_BINARY_DIR}/embedded/rules)
endif()

file(GLOB sources CONFIGURE_DEPENDS ${root}/rewriter/*.cpp)
torchport_part(rewriter SOURCES ${sources} LINK rules)

file(GLOB templates CONFIGURE_DEPENDS ${root}/reports/templates/*.mustache)
torchport_embed(templates ${templates})
torchport_embed(effort ${root}/reports/effort.yaml)
file(GLOB sources CONFIGURE_DEPENDS ${root}/reports/*.cpp)
torchport_part(reports SOURCES ${sources} LINK rules templates_embedded effort_embedded)

# The tests link the commands too, so main stands apart.
file(GLOB main CONFIGURE_DEPENDS ${root}/cli/main.cpp)
file(GLOB sources CONFIGURE_DEPENDS ${root}/cli/*.cpp)
list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
torchport_part(cli SOURCES ${sources} LINK rewriter reports probe_embedded CLI11::CLI11 torchport_yaml)

# What a source includes costs more than what it holds: a first build is half as long with few, large translation units. Two sources of a part therefore never give
# one name to two things in their unnamed namespaces. The preset dev compiles source by source, so that a changed file is soon compiled again.
option(TORCHPORT_UNITY "Compile several sources of a part at once" OFF)
if(TORCHPORT_UNITY)
  foreach(part analyzers opdb rules rewriter reports cli)
    set_target_properties(${part} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endforeach()
endif()
# What looks up, prints and takes arguments is not hot, and most of a first build.
target_compile_options(opdb PRIVATE $<$<CONFIG:Release>:-O1>)
foreach(part reports cli)
  target_compile_options(${part} PRIVATE $<$<CONFIG:Release>:-Og>)
endforeach()
if(main)
  add_executable(torchport ${main})
  target_link_libraries(torchport PRIVATE cli rules_embedded)
endif()
