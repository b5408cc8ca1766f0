// What checks of C++ code ask of the text around a use, and the edits that they share.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/context.h"

namespace torchport {

// Whether the place is in the body of a macro.
bool in_define(const SourceFile& source, Span span);

bool includes(const FileFacts& facts, std::string_view header);

// Adds what includes those of the headers that the file has not, behind the includes at the top, or before everything where there are none. False:
// every include stands under a condition, and there is no place for another.
bool add_includes(const SourceFile& source, const FileFacts& facts, const std::vector<std::string>& headers, std::vector<Edit>& edits);

// The names of which the file takes a member: a guard that is given its device later has members that c10's guards have not.
std::set<std::string_view> names_with_members(const SourceFile& source);

// kCUDA and its like: the name of a device type.
bool names_cuda_device(const Use& use);

// A file with kernels or launches: there, asking for CUDA is right.
bool has_kernels(const FileFacts& facts);

// More uses than anybody writes into one file: a fix looks over all of them, and there is none.
bool is_endless(const FileFacts& facts);

// Whether the file is written with torch's headers: to another, torch's names mean nothing.
bool about_torch(const SourceFile& source, const FileFacts& facts);

// The last byte before a place and the first behind it that is no blank; ';' before the first, 0 behind the last.
char byte_before(const SourceFile& source, std::uint32_t at);
char byte_behind(const SourceFile& source, std::uint32_t at);

// Whether a call is a whole statement.
bool is_statement(const SourceFile& source, Span call);

// The statement around a place without its semicolon, as far as a statement that people write reaches.
std::string_view statement_around(const SourceFile& source, Span span);

// A statement with its semicolon, and with its line where nothing else stands there.
Span whole_statement(const SourceFile& source, Span call);

// "&x" -> "x", of names and members only.
std::string_view pointed_at(std::string_view argument);

}  // namespace torchport
