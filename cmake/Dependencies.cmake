# Third-party libraries: Debian's packages by name, and three source archives that fetch_sources.sh brings.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

find_path(MUSTACHE_INCLUDE kainjow/mustache.hpp REQUIRED)

# Debian's yaml-cpp target is the shared library; the archive lies beside it.
find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(YAML_CPP_ARCHIVE NAMES libyaml-cpp.a REQUIRED)
add_library(torchport_yaml STATIC IMPORTED)
set_target_properties(torchport_yaml PROPERTIES
  IMPORTED_LOCATION ${YAML_CPP_ARCHIVE}
  INTERFACE_INCLUDE_DIRECTORIES ${YAML_CPP_INCLUDE}
  INTERFACE_COMPILE_DEFINITIONS YAML_CPP_STATIC_DEFINE)

set(TORCHPORT_DEPS ${PROJECT_SOURCE_DIR}/.deps CACHE PATH "Folder of the unpacked source archives")
set(ts_core ${TORCHPORT_DEPS}/tree_sitter-0.26.1/tree_sitter/core/lib)
set(ts_python ${TORCHPORT_DEPS}/tree_sitter_python-0.23.6)
set(ts_cuda ${TORCHPORT_DEPS}/tree_sitter_cuda-0.21.2)
if(NOT EXISTS ${ts_core}/src/lib.c OR NOT EXISTS ${ts_python}/src/scanner.c OR NOT EXISTS ${ts_cuda}/src/scanner.c)
  execute_process(
    COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/fetch_sources.sh ${TORCHPORT_DEPS} ${Python_EXECUTABLE}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

add_library(tree_sitter STATIC ${ts_core}/src/lib.c)
target_include_directories(tree_sitter SYSTEM PUBLIC ${ts_core}/include PRIVATE ${ts_core}/src)
target_compile_definitions(tree_sitter PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)

add_library(tree_sitter_python STATIC ${ts_python}/src/parser.c ${ts_python}/src/scanner.c)
# The archive leaves out the headers of the generated parser; the core's own are the same but for two names of ABI 14.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/grammar)
file(CREATE_LINK ${ts_core}/src ${PROJECT_BINARY_DIR}/grammar/tree_sitter SYMBOLIC)
target_include_directories(tree_sitter_python PRIVATE ${PROJECT_BINARY_DIR}/grammar)
set_source_files_properties(${ts_python}/src/parser.c PROPERTIES
  COMPILE_DEFINITIONS "version=abi_version;TSFieldMapSlice=TSMapSlice")
target_link_libraries(tree_sitter_python PUBLIC tree_sitter)

# This archive is whole. Its parser asks GCC for no optimisation of its tables' code by a pragma.
add_library(tree_sitter_cuda STATIC ${ts_cuda}/src/parser.c ${ts_cuda}/src/scanner.c)
target_include_directories(tree_sitter_cuda PRIVATE ${ts_cuda}/src)
target_link_libraries(tree_sitter_cuda PUBLIC tree_sitter)

# A parse is most of a scan: optimised even where our own code is not.
foreach(lib tree_sitter tree_sitter_python tree_sitter_cuda)
  set_target_properties(${lib} PROPERTIES C_STANDARD 11 CXX_CLANG_TIDY "")
  target_compile_options(${lib} PRIVATE -w -Wno-incompatible-pointer-types $<IF:$<STREQUAL:${lib},tree_sitter_cuda>,-O1,-O2> $<$<BOOL:${TORCHPORT_SANITIZE}>:-fsanitize=address>)
endforeach()
