# torchport_embed(NAME FILES...): an object library NAME_embedded whose header embedded_NAME.h gives the bytes of FILES,
# held in the read-only part of the program: nothing runs at start-up. A changed file is embedded anew by the next build.
function(torchport_embed name)
  set(dir ${PROJECT_BINARY_DIR}/embedded/${name})
  set(asm "  .section .rodata.torchport_${name},\"a\"\n")
  set(declarations "")
  set(entries "")
  set(index 0)
  foreach(file IN LISTS ARGN)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${file} generated)
    if(generated)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE path)
    else()
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    endif()
    set(symbol torchport_embedded_${name}_${index})
    string(APPEND asm "  .balign 16\n  .global ${symbol}_begin\n${symbol}_begin:\n  .incbin \"${file}\"\n  .global ${symbol}_end\n${symbol}_end:\n  .byte 0\n")
    string(APPEND declarations "extern \"C\" const char ${symbol}_begin[];\nextern \"C\" const char ${symbol}_end[];\n")
    string(APPEND entries "      {\"${path}\", {${symbol}_begin, static_cast<std::size_t>(${symbol}_end - ${symbol}_begin)}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND asm "  .section .note.GNU-stack,\"\",@progbits\n")
  if(entries)
    set(body "  static const EmbeddedFile files[] = {\n${entries}  };\n  return files;")
  else()
    set(body "  return {};")
  endif()
  file(CONFIGURE OUTPUT ${dir}/embedded_${name}.S CONTENT "${asm}" @ONLY)
  file(CONFIGURE OUTPUT ${dir}/embedded_${name}.h @ONLY CONTENT
"// Files embedded at build time: embedded_${name}() lists them by path. Generated; the bytes live as long as the program.
#pragma once
#include <span>

#include \"cmake/embedded_file.h\"

namespace torchport {
std::span<const EmbeddedFile> embedded_${name}();
}
")
  file(CONFIGURE OUTPUT ${dir}/embedded_${name}.cpp @ONLY CONTENT
"#include \"embedded_${name}.h\"

#include <cstddef>

${declarations}
namespace torchport {
std::span<const EmbeddedFile> embedded_${name}() {
${body}
}
}
")
  add_library(${name}_embedded OBJECT ${dir}/embedded_${name}.S ${dir}/embedded_${name}.cpp)
  set_source_files_properties(${dir}/embedded_${name}.S PROPERTIES OBJECT_DEPENDS "${ARGN}")
  set_target_properties(${name}_embedded PROPERTIES CXX_CLANG_TIDY "")
  target_include_directories(${name}_embedded PUBLIC ${dir})
  target_link_libraries(${name}_embedded PUBLIC torchport_flags)
endfunction()
