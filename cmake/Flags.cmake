# Compile and link flags of our own code, carried by the target torchport_flags.
add_library(torchport_flags INTERFACE)
target_include_directories(torchport_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(torchport_flags INTERFACE -Wall -Wextra $<$<BOOL:${TORCHPORT_WERROR}>:-Werror>)
target_compile_definitions(torchport_flags INTERFACE
  TORCHPORT_VERSION="${PROJECT_VERSION}"
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(TORCHPORT_SANITIZE)
  target_compile_definitions(torchport_flags INTERFACE TORCHPORT_SANITIZED)
  target_compile_options(torchport_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(torchport_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TORCHPORT_STATIC)
  target_link_options(torchport_flags INTERFACE -static $<$<CONFIG:Release>:-s>)
endif()
find_package(Threads REQUIRED)
target_link_libraries(torchport_flags INTERFACE Threads::Threads)
