#include "reports/document.h"

#include <algorithm>

#include "analyzers/error.h"
#include "reports/paint.h"

namespace torchport {
namespace {

// What the pages take for granted.
void check(const Json& json) {
  json.at("targets").at(0).get_ref<const std::string&>();
  json.at("files").at("scanned").get<std::uint64_t>();
  json.at("files").at("skipped").get<std::uint64_t>();
  json.at("files").at("partial").get_ref<const Json::array_t&>();
  json.at("effort").get_ref<const Json::object_t&>();
  for (const Json& finding : json.at("findings")) {
    for (const char* key : {"rule", "name", "family", "path", "message", "impact", "part", "fingerprint"}) {
      finding.at(key).get_ref<const std::string&>();
    }
    finding.at("line").get<std::uint64_t>();
    finding.at("targets").get_ref<const Json::object_t&>();
  }
}

std::string project_name(const std::string& file) {
  std::string name = file.substr(file.rfind('/') + 1);
  if (name.ends_with(".json")) name.resize(name.size() - 5);
  return name;
}

constexpr const char* kWrite = "write it with torchport scan --format json or report --format json";

}  // namespace

Error no_report(const std::string& file, const std::string& why) {
  return Error("lacks what a report needs: " + why, file, 0, kWrite);
}

Document read_document(std::string_view text, const std::string& file) {
  Document document{project_name(file), Json::parse(text, nullptr, false)};
  if (document.json.is_discarded()) throw Error("is no JSON", file, 0, kWrite);
  const bool named = document.json.is_object() && document.json.contains("schema") && document.json["schema"].is_string();
  const std::string schema = named ? document.json["schema"] : Json("");
  if (schema != "torchport.scan/1" && schema != "torchport.report/1") {
    throw Error("is no scan or report of one project", file, 0, kWrite);
  }
  try {
    check(document.json);
  } catch (const Json::exception& error) {
    throw no_report(file, error.what());
  }
  document.name = document.json.value("project", document.name);
  return document;
}

const Json& object_in(const Json& parent, const std::string& key) {
  static const Json empty = Json::object();
  const auto found = parent.find(key);
  return found != parent.end() && found->is_object() ? *found : empty;
}

std::vector<std::string> targets_of(const Json& scan) { return scan.at("targets").get<std::vector<std::string>>(); }

bool counts(const Json& finding) { return !finding.contains("suppressed") && finding.at("family") != "file"; }

std::string impact_on(const Json& finding, const std::string& target) {
  const Json& targets = finding.at("targets");
  return targets.contains(target) ? targets[target].value("impact", "none") : "none";
}

bool ties_on(const Json& finding, const std::string& target) {
  const std::string impact = impact_on(finding, target);
  return counts(finding) && (impact == "blocks" || impact == "degrades");
}

void SharedMessage::add(const Json& finding) {
  if (first_ == nullptr) first_ = &finding;
  differs_ = differs_ || first_->at("message") != finding.at("message");
}

std::string SharedMessage::text(const Json& scan) const {
  if (first_ == nullptr) return {};
  const Json& rule = object_in(object_in(scan, "rules"), first_->at("rule"));
  const auto own = rule.find("message");
  return differs_ && own != rule.end() && own->is_string() ? *own : first_->at("message");
}

Steps::Steps(const Json& scan) {
  for (const Json& one : scan.at("effort").value("classes", Json::array())) {
    const std::string phase = one.value("phase", "");
    const Step step = phase == "fix"                            ? Step::Fix
                      : phase == "review"                       ? Step::Review
                      : phase == "kernels" || phase == "design" ? Step::Redesign
                                                                : Step::Manual;
    by_class_.emplace_back(one.value("id", ""), step);
  }
}

Step Steps::of(const Json& finding, const std::string& target) const {
  if (!ties_on(finding, target)) return Step::AsIs;
  if (!finding.contains("effort") || !finding["effort"].is_string()) return Step::Manual;
  const auto found = std::find_if(by_class_.begin(), by_class_.end(),
                                  [&](const auto& entry) { return entry.first == finding["effort"]; });
  return found == by_class_.end() ? Step::Manual : found->second;
}

}  // namespace torchport
