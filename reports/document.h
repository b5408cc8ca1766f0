// A scan as its JSON tells it, from this run or a file, and what is added up from it: readiness, plan, hot spots. A
// report of one project is such a document; pages are made of it, and several make a portfolio.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/error.h"

namespace torchport {

using Json = nlohmann::ordered_json;

struct Document {
  std::string name;  // of the project, for people
  Json json;         // schema torchport.scan/1 or torchport.report/1
};

// What is said of a file that reads as a scan and does not hold what one does.
Error no_report(const std::string& file, const std::string& why);
// Throws Error where the text is no JSON of torchport. `file` is where it comes from.
Document read_document(std::string_view text, const std::string& file);

// What has to happen before code runs on a target, mildest first.
enum class Step : std::uint8_t { AsIs, Fix, Review, Manual, Redesign, Unknown };
constexpr std::size_t kStepCount = 6;
constexpr std::string_view kStepNames[kStepCount] = {"as_is", "fix", "review", "manual", "redesign", "unknown"};

// The object under the key, an empty one where there is none; a reference, so that its items outlive a loop's head.
const Json& object_in(const Json& parent, const std::string& key);
std::vector<std::string> targets_of(const Json& scan);
bool counts(const Json& finding);  // not allowed, and about the code
std::string impact_on(const Json& finding, const std::string& target);
// What is said of findings of one rule: their message where it is one, else the rule's own.
class SharedMessage {
 public:
  void add(const Json& finding);
  std::string text(const Json& scan) const;

 private:
  const Json* first_ = nullptr;
  bool differs_ = false;
};
// "blocks" or "degrades" there.
bool ties_on(const Json& finding, const std::string& target);

class Steps {
 public:
  explicit Steps(const Json& scan);
  Step of(const Json& finding, const std::string& target) const;

 private:
  std::vector<std::pair<std::string, Step>> by_class_;
};

// The hardest step of each file that has findings or was not fully understood, by path.
std::map<std::string, Step> file_steps(const Json& scan, const Steps& steps, const std::string& target);

// The scan with "schema": "torchport.report/1" and "readiness", "breaks_first", "plan", "hot_spots", "libraries",
// "kernels", "operators", "unknowns" added; those that are there already are made anew.
Json report_of(const Document& document);

// Of files in which after all fixes one thing is left to do on the target: what that is, by path.
std::map<std::string, std::string> only_gaps(const Json& scan, const std::string& target);

// Several projects side by side, schema torchport.portfolio/1: their readiness and effort, the least effort first;
// blockers that they have in common; and what would free most files if a target had it. Their names differ.
Json portfolio_of(const std::vector<Document>& documents);

// Numbers names that stand twice: "scan (2)".
void tell_apart(std::vector<Document>& documents);

// What has moved from one scan to the next, schema torchport.comparison/1. Findings are the same by their fingerprints, else by file,
// rule, function and line of code.
Json comparison_of(const Document& before, const Document& after);

}  // namespace torchport
