// Kernels, their declarations, and operators registered for CUDA alone.
#include "rules/checks/checks.h"

namespace torchport {
namespace {

void add_kernels(Context& context, const Rule& rule, bool defined) {
  for (std::size_t n = 0; n < context.facts.natives.size(); ++n) {
    const NativeFunction& native = context.facts.natives[n];
    if (native.side != Side::Kernel || native.defined != defined || native.use == kNone) continue;
    Finding& finding = context.add(rule, native.use).finding;
    if (!defined) continue;
    finding.kernel.emplace();
    finding.kernel->native = static_cast<std::uint32_t>(n);
    finding.kernel->lines = native.lines;
    finding.kernel->is_template = native.is_template;
  }
}

}  // namespace

void check_native_kernel(Context& context, const Rule& rule) { add_kernels(context, rule, true); }

void check_native_declaration(Context& context, const Rule& rule) { add_kernels(context, rule, false); }

void check_cuda_registration(Context& context, const Rule& rule) {
  for (std::size_t u = 0; u < context.facts.uses.size(); ++u) {
    const Use& use = context.facts.uses[u];
    if (use.kind != UseKind::Registration || use.place_position < 0) continue;
    const Registration& registration = context.facts.registrations[static_cast<std::size_t>(use.place_position)];
    if (registration.kind == RegistrationKind::Module && registration.key == "CUDA") context.add(rule, static_cast<UseId>(u));
  }
}

}  // namespace torchport
