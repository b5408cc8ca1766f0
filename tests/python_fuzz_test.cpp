// Mutated sources with fixed seeds: nothing crashes, spans lie in the file and in order, fixes apply and leave the file
// no more broken than it was, and a second fix is idle.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::Analysed;

std::vector<std::string> sources() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"tests/cases", "tests/demo"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(TORCHPORT_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".py" && entry.path().filename() != "score.py") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(out.str());
  }
  for (const Rule& rule : test::catalogue().rules) {
    for (const Example& e : rule.examples) texts.push_back(e.before.empty() ? e.keep : e.before);
  }
  return texts;
}

// Words, numbers, single other characters; line ends with the indent after them.
std::vector<std::string> tokens(const std::string& text) {
  std::vector<std::string> out;
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (word(text[i])) {
      while (end < text.size() && word(text[end])) ++end;
    } else if (text[i] == '\n' || text[i] == ' ') {
      while (end < text.size() && text[end] == ' ') ++end;
    }
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

const char* const kInserted[] = {"torch",
                                 "cuda",
                                 ".",
                                 "(",
                                 ")",
                                 "[",
                                 "]",
                                 "\"",
                                 "'",
                                 ":",
                                 "\n",
                                 "\n    ",
                                 "#",
                                 "device",
                                 "lambda",
                                 " if ",
                                 " else ",
                                 " or ",
                                 " not ",
                                 "=",
                                 "\"cuda\"",
                                 "f'{",
                                 "}'",
                                 "import ",
                                 "from ",
                                 "self.",
                                 "{",
                                 "}",
                                 ",",
                                 "*",
                                 "**",
                                 "@",
                                 "async ",
                                 "await ",
                                 ".cuda()",
                                 "\\\n",
                                 "\r\n",
                                 "\xff",
                                 "\t",
                                 ":=",
                                 "None",
                                 "match x:\n case ",
                                 "torch.cuda.synchronize()",
                                 ";",
                                 "global torch\n",
                                 "# torchport: allow TP101\n",
                                 "x."};

std::string mutated(const std::string& text, std::mt19937& random) {
  std::vector<std::string> parts = tokens(text);
  for (unsigned n = 1 + random() % 4; n > 0 && !parts.empty(); --n) {
    const std::size_t at = random() % parts.size();
    const std::size_t other = random() % parts.size();
    const std::size_t count = 1 + random() % 6;
    switch (random() % 6) {
      case 0:
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), kInserted[random() % std::size(kInserted)]);
        break;
      case 2:
        parts[at] = kInserted[random() % std::size(kInserted)];
        break;
      case 3:
        std::swap(parts[at], parts[other]);
        break;
      case 4: {
        const std::size_t end = std::min(parts.size(), other + count);
        const std::vector<std::string> copy(parts.begin() + static_cast<std::ptrdiff_t>(other),
                                            parts.begin() + static_cast<std::ptrdiff_t>(end));
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), copy.begin(), copy.end());
        break;
      }
      default: {
        const std::size_t end = std::min(parts.size(), at + count);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at), parts.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
  }
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

void check_facts(const Analysed& a) {
  const std::size_t size = a.source.text().size();
  const auto inside = [&](Span span) { return span.start <= span.end && span.end <= size; };
  std::uint32_t last = 0;
  for (const Use& use : a.facts.uses) {
    ASSERT_LE(last, use.span.start);
    last = use.span.start;
    ASSERT_TRUE(inside(use.span) && inside(use.callee) && inside(use.receiver) && inside(use.statement));
    ASSERT_TRUE(use.span.contains(use.callee) || use.kind == UseKind::Kernel);
    ASSERT_LT(use.guard, static_cast<GuardId>(a.facts.guards.size()));
    ASSERT_LT(use.import, static_cast<UseId>(a.facts.uses.size()));
    ASSERT_LT(use.part_of, static_cast<UseId>(a.facts.uses.size()));
    ASSERT_LT(static_cast<std::size_t>(use.scope), a.facts.functions.size());
    for (const Arg& arg : use.args)
      ASSERT_TRUE(inside(arg.span) && arg.whole.contains(arg.span) && use.span.contains(arg.whole));
    for (const Span flow : use.flows) ASSERT_TRUE(inside(flow));
  }
  for (std::size_t g = 0; g < a.facts.guards.size(); ++g) {
    ASSERT_LT(a.facts.guards[g].outer, static_cast<GuardId>(g));
    ASSERT_TRUE(inside(a.facts.guards[g].condition) && inside(a.facts.guards[g].body));
  }
  for (const Handle& h : a.facts.handles) ASSERT_TRUE(inside(h.reach) && inside(h.definition));
  ASSERT_LE(a.facts.prelude.after_imports, size);
}

void check_fix(const Finding& f, std::size_t size) {
  if (!f.fix) return;
  std::uint32_t last = 0;
  for (const Edit& edit : f.fix->edits) {
    ASSERT_LE(last, edit.span.start) << f.rule->id << ": edits out of order or on each other";
    ASSERT_LE(edit.span.start, edit.span.end);
    ASSERT_LE(edit.span.end, size);
    last = edit.span.end;
  }
}

int refused = 0;

// One file through everything.
void check(const std::string& text) {
  std::string now = text;
  for (int round = 0;; ++round) {
    if (round == 10 && count_syntax_errors(text, Language::Python) != 0) {  // refused as well
      ++refused;
      return;
    }
    ASSERT_LT(round, 10) << "no fixed point";
    const Analysed a(now);
    check_facts(a);
    if (testing::Test::HasFatalFailure()) return;
    const auto found = test::findings_of(a);
    for (const Finding& f : found) {
      check_fix(f, now.size());
      if (testing::Test::HasFatalFailure()) return;
    }
    std::string next = apply_fixes(now, found, true).text;
    if (next == now) break;
    now = std::move(next);
  }
  // A file that was broken before may break elsewhere. A whole one stays whole; where the parser takes for whole what Python would not, the
  // result is refused (cli/fix_file.cpp), which may happen now and then to text cut at random.
  if (count_syntax_errors(text, Language::Python) == 0 && count_syntax_errors(now, Language::Python) != 0) ++refused;
}

class PythonFuzz : public testing::TestWithParam<unsigned> {};

TEST_P(PythonFuzz, MutatedSources) {
  static const std::vector<std::string> all = sources();
  std::mt19937 random(GetParam());
  refused = 0;
  for (int i = 0; i < 250; ++i) {
    const std::string text = mutated(all[random() % all.size()], random);
    check(text);
    if (HasFatalFailure()) FAIL() << "seed " << GetParam() << ", text " << i << ":\n" << text;
  }
  EXPECT_LE(refused, 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PythonFuzz, testing::Range(1u, 9u));

TEST(PythonFuzzRandom, Bytes) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string text = "import torch\n";
    for (unsigned n = random() % 400; n > 0; --n) text += static_cast<char>(random() % (i % 2 == 0 ? 256 : 128));
    text += "\ntorch.cuda.synchronize()\n";
    check(text);
    if (HasFatalFailure()) FAIL() << "text " << i;
  }
}

TEST(PythonFuzzRandom, Tokens) {
  std::mt19937 random(8);
  refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text = "import torch\nfrom torch import cuda\ndevice = 'cuda'\n";
    for (unsigned n = random() % 60; n > 0; --n) text += kInserted[random() % std::size(kInserted)];
    check(text);
    if (HasFatalFailure()) FAIL() << "text " << i << ":\n" << text;
  }
}

}  // namespace
}  // namespace torchport
