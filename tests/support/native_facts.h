// What the tests of the C++ analyzer and its rules ask: a text's uses, kernels and findings in one line of words.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analyzers/analyze.h"
#include "analyzers/native_project.h"
#include "rewriter/rewrite.h"
#include "rules/catalogue.h"
#include "rules/kernels.h"
#include "rules/run.h"

namespace torchport::test {

inline const Catalogue& native_catalogue() {
  static const Catalogue instance = built_in_catalogue();
  return instance;
}

// "k[warp-shuffle <a.cu:3 from ns::op]": the kernels with features, launches and what reaches them.
inline std::string kernels_of(const NativeProject& project) {
  std::string out;
  for (const NativeKernel& kernel : project.kernels()) {
    out += std::string(kernel.place.symbol) + "[";
    for (const std::string& f : features_of(native_catalogue().kernels, kernel.features, false)) out += f + " ";
    for (const NativePlace& launch : kernel.launches) out += "<" + std::string(launch.path) + ":" + std::to_string(launch.line);
    for (const std::uint32_t e : kernel.entries) out += " from " + std::string(project.entries()[e].place.symbol);
    out += "]";
  }
  return out;
}

struct Native {
  explicit Native(std::string text, std::string path = "a.cu")
      : source(std::move(path), std::move(text)), facts(analyze(source, Language::Cpp, native_catalogue().interest)) {}
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;

  std::string line(Span span) const { return std::to_string(source.position(span.start).line); }

  // "1 f, 2 kernel g": the functions, kernels marked.
  std::string functions() const {
    std::string out;
    for (const NativeFunction& f : facts.natives) {
      const std::string side = f.side == Side::Kernel ? (f.defined ? "kernel " : "declared ") : f.side == Side::Device ? "device " : "";
      out += (out.empty() ? "" : ", ") + line(f.span) + " " + side + std::string(f.name);
    }
    return out;
  }

  // "3 k(n, 256)": the launches with grid, block, shared memory and stream as written.
  std::string launches() const {
    std::string out;
    for (const Use& use : facts.uses) {
      if (use.kind != UseKind::Launch) continue;
      std::string args;
      for (const Arg& arg : use.args) {
        if (arg.keyword != "kernel") args += (args.empty() ? "" : ", ") + std::string(source.text(arg.span));
      }
      out += (out.empty() ? "" : ", ") + line(use.span) + " " + std::string(use.symbol) + "(" + args + ")";
    }
    return out;
  }

  std::string of(UseKind kind) const {
    std::string out;
    for (const Use& use : facts.uses) {
      if (use.kind == kind) out += (out.empty() ? "" : ", ") + line(use.span) + " " + std::string(use.symbol);
    }
    return out;
  }

  std::vector<Finding> findings() const { return run_rules(native_catalogue(), source, facts, 0, {}); }

  // "1 TP330 blocks, 3 TP340 cosmetic": findings with their impact on the target.
  std::string impacts(Target target) const {
    std::string out;
    for (const Finding& f : findings()) {
      if (!f.suppressed) out += (out.empty() ? "" : ", ") + line(f.span) + " " + f.rule->id + " " + std::string(name_of(f.impact[static_cast<std::size_t>(target)]));
    }
    return out;
  }

  // Features of a kernel or function, its own only.
  std::string features(std::string_view name) const {
    std::string out;
    for (const NativeFunction& f : facts.natives) {
      if (f.name != name) continue;
      for (const std::string& feature : features_of(native_catalogue().kernels, f.features, false)) out += (out.empty() ? "" : ", ") + feature;
    }
    return out;
  }

  SourceFile source;
  FileFacts facts;
};

// `torch`: the oldest that the project runs on, 207 for 2.7; 0: the newest.
inline std::string native_fix(const std::string& before, bool unsafe = false, const std::string& path = "a.cpp", std::uint32_t torch = 0) {
  std::string text = before;
  for (int round = 0; round < 10; ++round) {
    const Native native(text, path);
    RunOptions options;
    options.min_torch = torch;
    const Rewrite rewrite = apply_fixes(text, run_rules(native_catalogue(), native.source, native.facts, 0, options), unsafe);
    if (rewrite.text == text) break;
    text = rewrite.text;
  }
  return text;
}

}  // namespace torchport::test
