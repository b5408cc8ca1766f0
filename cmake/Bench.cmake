# The programs of ./dev bench; built only when asked for.
add_executable(bare_parse EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/bench/bare_parse.cpp)
target_link_libraries(bare_parse PRIVATE torchport_flags tree_sitter_python)
add_executable(marked_files EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/bench/marked_files.cpp)
target_link_libraries(marked_files PRIVATE rules rules_embedded torchport_flags)
