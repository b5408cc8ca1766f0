#include "rules/settle.h"

namespace torchport {

void settle(const Project& project, std::string_view path, Finding& finding) {
  const bool untyped = finding.symbol == "*.cuda" && finding.fix && finding.fix->applicability == Applicability::Safe;
  if (untyped && project.has_own_cuda()) {
    finding.fix->applicability = Applicability::Review;
    finding.fix->message += "; a class of this project has a cuda() of its own";
  }
  if (!finding.open) return;
  const OpenQuestion& q = *finding.open;
  const bool device = q.callee.empty() ? project.gives_device(path, q.name) : project.takes_device(path, q.callee, q.position, q.name);
  if (device) {
    finding.message = q.message;
    finding.impact = q.impact;
    finding.fix = q.fix;
    finding.via = Via::Value;
  }
  finding.open.reset();
}

}  // namespace torchport
