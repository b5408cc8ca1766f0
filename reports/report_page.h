// What the pages of a report show, made from its JSON: words, shares, links and boxes. How it looks is in
// reports/templates.
#pragma once

#include "reports/document.h"
#include "reports/report.h"

namespace torchport {

// `report` as report_of() or portfolio_of() or compare_reports() makes it.
// `documents`: what a portfolio was made of, whose findings its numbers lead to.
void write_report_html(const Json& report, std::string_view version, const Sink& sink,
                       const std::vector<Document>& documents = {});
void write_report_markdown(const Json& report, std::string_view version, const Sink& sink,
                           const std::vector<Document>& documents = {});

}  // namespace torchport
