// The report as JSON, schema torchport.scan/1 (design.md, section 6): one line a finding, so that two reports can be
// compared by line. Bytes that are no UTF-8 become U+FFFD; everything else is as in the source.
#pragma once

#include "reports/gate.h"
#include "reports/report.h"

namespace torchport {

// With a gate, its verdict stands in "gate" and each finding's state in "state".
void write_json(const Report& report, std::string_view version, const Sink& sink, const Gate* gate = nullptr);

}  // namespace torchport
