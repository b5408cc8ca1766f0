#include <nlohmann/json.hpp>

#include "analyzers/analyze.h"
#include "analyzers/error.h"
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/output.h"
#include "cli/write_file.h"
#include "reports/paint.h"
#include "reports/report.h"

namespace torchport {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word(UseKind kind) {
  constexpr std::array<std::string_view, 16> kWords = {"import", "reference", "call", "assign", "literal", "choice", "kernel", "uncalled-guard",
                                                       "mention", "include", "launch", "native-kernel", "registration", "operator", "index"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view word(Place place) {
  constexpr std::array<std::string_view, 16> kWords = {"none",       "device-argument", "argument",      "comparison",
                                                       "default",    "option-default",  "option-choice", "device-choice", "dict-key",
                                                       "dict-value", "assigned",        "returned",      "subscript",
                                                       "listed",     "environment",     "annotation"};
  return kWords[static_cast<std::size_t>(place)];
}

std::string_view word(GuardKind kind) {
  constexpr std::array<std::string_view, 8> kWords = {"available", "device-type", "flag", "import", "exists", "version", "build", "caught"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view word(Otherwise otherwise) {
  constexpr std::array<std::string_view, 4> kWords = {"nothing", "other-path", "raises", "skips"};
  return kWords[static_cast<std::size_t>(otherwise)];
}

std::string_view word(ValueKind kind) {
  constexpr std::array<std::string_view, 8> kWords = {"unknown", "none",   "bool", "int",
                                                      "float",   "string", "name", "instance"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view word(Status status) {
  constexpr std::array<std::string_view, 4> kWords = {"full", "partial", "failed", "skipped"};
  return kWords[static_cast<std::size_t>(status)];
}

std::string_view word(HandleKind kind) {
  constexpr std::array<std::string_view, 6> kWords = {"local",  "parameter", "attribute",
                                                      "option", "constant",  "helper"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view word(HandleType type) {
  constexpr std::array<std::string_view, 4> kWords = {"unknown", "device", "string", "index"};
  return kWords[static_cast<std::size_t>(type)];
}

std::string value_text(const Value& value) {
  if (value.kind == ValueKind::String) return "\"" + std::string(value.text) + (value.partial ? "…\"" : "\"");
  if (value.kind == ValueKind::Instance) return "a " + std::string(value.text);
  return value.text.empty() ? std::string(word(value.kind)) : std::string(value.text);
}

std::string args_text(const SourceFile& source, const Use& use) {
  std::string text;
  for (const Arg& arg : use.args) {
    if (!text.empty()) text += ", ";
    if (arg.splat) {
      text += std::string(source.text(arg.whole));
      continue;
    }
    if (!arg.keyword.empty()) text += std::string(arg.keyword) + "=";
    std::string values;
    for (const Value& value : arg.values) values += (values.empty() ? "" : "|") + value_text(value);
    text += values.empty() ? "?" : values;
  }
  return text;
}

std::string use_text(const SourceFile& source, const FileFacts& facts, const Use& use) {
  const Position at = source.position(use.span.start);
  std::string text = std::string(word(use.kind)) + " " + std::string(use.symbol) + (use.partial ? "…" : "") + " " +
                     std::to_string(at.line) + ":" + std::to_string(at.column) + " via " +
                     std::string(name_of(use.via));
  if (!use.bound.empty()) text += " as " + std::string(use.bound);
  if (use.place != Place::None) text += " place " + std::string(word(use.place));
  if (!use.place_name.empty()) text += " of " + std::string(use.place_name);
  if (!use.args.empty()) text += " args (" + args_text(source, use) + ")";
  for (GuardId id = use.guard; id != kNone; id = facts.guards[static_cast<std::size_t>(id)].outer) {
    const Guard& guard = facts.guards[static_cast<std::size_t>(id)];
    text += std::string(" guard ") + (guard.holds ? "" : "not ") + std::string(word(guard.kind)) + " " +
            std::string(guard.device) + " else " + std::string(word(guard.otherwise));
    for (const std::string_view other : guard.others) text += " or " + std::string(other);
  }
  const auto scope = static_cast<std::size_t>(use.scope);
  if (use.scope >= 0 && scope < facts.functions.size() && !facts.functions[scope].name.empty())
    text += " in " + std::string(facts.functions[scope].name);
  if (use.part_of != kNone) text += " part of use " + std::to_string(use.part_of);
  return printable(text) + "\n";
}

std::string facts_text(const SourceFile& source, const FileFacts& facts) {
  std::string text;
  for (const Use& use : facts.uses) text += use_text(source, facts, use);
  for (const Handle& handle : facts.handles) {
    const Position at = source.position(handle.definition.start);
    text += printable("handle " + std::string(handle.text) + " " + std::to_string(at.line) + ":" +
                      std::to_string(at.column) + " " + std::string(word(handle.kind)) + " " +
                      std::string(word(handle.type)) + (handle.chosen ? " chosen" : "")) +
            "\n";
  }
  text += "status " + std::string(word(facts.status)) +
          (facts.status_why.empty() ? "" : ": " + printable(facts.status_why)) + "\n";
  return text;
}

Json span_json(const SourceFile& source, Span span) {
  const Position at = source.position(span.start);
  return {{"start", span.start}, {"end", span.end}, {"line", at.line}, {"column", at.column}};
}

Json use_json(const SourceFile& source, const FileFacts& facts, const Use& use) {
  Json args = Json::array(), guards = Json::array();
  for (const Arg& arg : use.args) {
    Json values = Json::array();
    for (const Value& value : arg.values)
      values.push_back({{"kind", word(value.kind)}, {"text", value.text}, {"partial", value.partial}});
    args.push_back({{"keyword", arg.keyword},
                    {"position", arg.position},
                    {"splat", arg.splat},
                    {"text", source.text(arg.whole)},
                    {"values", std::move(values)}});
  }
  for (GuardId id = use.guard; id != kNone; id = facts.guards[static_cast<std::size_t>(id)].outer) {
    const Guard& guard = facts.guards[static_cast<std::size_t>(id)];
    guards.push_back({{"kind", word(guard.kind)},
                      {"device", guard.device},
                      {"holds", guard.holds},
                      {"otherwise", word(guard.otherwise)},
                      {"others", guard.others}});
  }
  const auto scope = static_cast<std::size_t>(use.scope);
  return {
      {"kind", word(use.kind)},
      {"symbol", use.symbol},
      {"span", span_json(source, use.span)},
      {"via", name_of(use.via)},
      {"bound", use.bound},
      {"place", word(use.place)},
      {"place_name", use.place_name},
      {"args", std::move(args)},
      {"guards", std::move(guards)},
      {"function", use.scope >= 0 && scope < facts.functions.size() ? facts.functions[scope].name : std::string_view()},
      {"part_of", use.part_of == kNone ? Json(nullptr) : Json(use.part_of)}};
}

std::string facts_json(const SourceFile& source, const FileFacts& facts) {
  Json uses = Json::array(), handles = Json::array();
  for (const Use& use : facts.uses) uses.push_back(use_json(source, facts, use));
  for (const Handle& handle : facts.handles) {
    handles.push_back({{"text", handle.text},
                       {"kind", word(handle.kind)},
                       {"type", word(handle.type)},
                       {"chosen", handle.chosen},
                       {"definition", span_json(source, handle.definition)}});
  }
  const Json json = {{"schema", "torchport.facts/1"},  {"path", source.path()},   {"status", word(facts.status)},
                     {"status_why", facts.status_why}, {"uses", std::move(uses)}, {"handles", std::move(handles)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_facts(const Options& options) {
  const Catalogue catalogue = load_catalogue(options);
  const std::string& path = options.paths.front();
  const SourceFile source(path, read_file(path));
  const Language language = language_of(path, source.text().substr(0, 256));
  if (language == Language::None) throw Error("is in no language that torchport reads", path);
  const FileFacts facts = analyze(source, language, catalogue.interest);
  Output output(options.output);
  output.write(options.format == "json" ? facts_json(source, facts) : facts_text(source, facts));
  output.finish();
  return 0;
}

}  // namespace torchport
