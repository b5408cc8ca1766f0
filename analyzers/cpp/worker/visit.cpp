#include "analyzers/cpp/worker/visit.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include "analyzers/cpp/worker/ptx.h"

namespace torchport::worker {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

constexpr std::size_t kLongestText = 200;

// What a variable, a field or a call of a function may stand for: kernels, and others like itself that were given to it.
struct Source {
  std::set<At> kernels;
  std::set<const clang::Decl*> through;
};

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  Visitor(clang::ASTContext& context, const Expanded& expanded, const Wanted& wanted, Facts& facts)
      : context_(context), sources_(context.getSourceManager()), expanded_(expanded), wanted_(wanted), facts_(facts), policy_(context.getPrintingPolicy()) {
    policy_.SuppressTagKeyword = true;
    policy_.Bool = true;
  }

  bool TraverseDecl(clang::Decl* declaration) {
    auto* function = dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (function == nullptr || function_ != nullptr || !function->isThisDeclarationADefinition()) return RecursiveASTVisitor::TraverseDecl(declaration);
    function_ = function;
    const auto at = place(sources_, sources_.getSpellingLoc(function->getLocation()));
    on_device_ = function->hasAttr<clang::CUDAGlobalAttr>() || (function->hasAttr<clang::CUDADeviceAttr>() && !function->isImplicit());
    fact_ = {};
    const bool whole = RecursiveASTVisitor::TraverseDecl(declaration);
    if (at && on_device_) {
      fact_.at = *at;
      describe(*function);
      facts_.functions.push_back(std::move(fact_));
    }
    function_ = nullptr;
    on_device_ = false;
    return whole;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return calls(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) {
    member(e->getMemberDecl()->getDeclName(), e->getMemberLoc(), e->getBase()->getType());
    return calls(e->getMemberDecl());
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) { return calls(e->getConstructor()); }
  bool VisitOverloadExpr(clang::OverloadExpr* e) {
    if (auto* base = dyn_cast<clang::UnresolvedMemberExpr>(e); base != nullptr && !base->isImplicitAccess()) member(base->getMemberName(), base->getMemberLoc(), base->getBase()->getType());
    for (const clang::NamedDecl* d : e->decls()) calls(d);
    return true;
  }

  // Kernels kept in variables, fields and returned by functions, to be launched elsewhere.
  bool VisitBinaryOperator(clang::BinaryOperator* assignment) {
    if (assignment->isAssignmentOp()) give(assignment->getLHS(), assignment->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2) give(call->getArg(0), call->getArg(1));
    return true;
  }
  bool VisitInitListExpr(clang::InitListExpr* list) {
    if (!list->getType().isNull()) give_fields(list->getType()->getAsRecordDecl(), list);
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* statement) {
    if (!on_device_ && function_ != nullptr && statement->getRetValue() != nullptr) sources_of(statement->getRetValue(), given_[function_->getCanonicalDecl()], 0);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    const clang::QualType held = variable->getType();
    if (!on_device_ && variable->getInit() != nullptr && (held->isPointerType() || held->isDependentType() || held->getContainedAutoType() != nullptr)) {
      sources_of(variable->getInit(), given_[variable->getCanonicalDecl()], 0);
    }
    if (!on_device_ || !variable->hasAttr<clang::CUDASharedAttr>()) return true;
    const clang::QualType type = variable->getType();
    if (variable->hasExternalStorage() || type->isIncompleteArrayType()) {
      fact_.dynamic_shared = true;
    } else if (type->isDependentType() || type->isIncompleteType() || variable->isInvalidDecl()) {
      fact_.shared_open = true;
    } else {
      fact_.shared += static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
    }
    return true;
  }

  bool VisitGCCAsmStmt(clang::GCCAsmStmt* statement) {
    if (on_device_) add_instructions(statement->getAsmString()->getString(), fact_.ptx);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    if (isa<clang::CUDAKernelCallExpr>(call)) return true;
    if (on_device_) atomic(*call);
    const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
    const auto* known = dyn_cast<clang::DeclRefExpr>(callee);
    const auto* open = dyn_cast<clang::OverloadExpr>(callee);
    if (known == nullptr && open == nullptr) return true;
    const std::string name = known != nullptr ? known->getDecl()->getNameAsString() : open->getName().getAsString();
    if (name.find("Launch") == std::string::npos) return true;
    LaunchFact launch;
    Source source;
    for (clang::Expr* argument : call->arguments()) sources_of(argument, source, 0);
    locate(known != nullptr ? known->getLocation() : open->getNameLoc(), launch);
    finish(launch, std::move(source));
    return true;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    const clang::CallExpr* config = call->getConfig();
    if (config == nullptr) return true;
    LaunchFact launch;
    locate(config->getBeginLoc(), launch);
    Source source;
    sources_of(call->getCallee(), source, 0);
    launch.kernel = text(call->getCallee());
    std::string* fields[] = {&launch.grid, &launch.block, &launch.shared, &launch.stream};
    for (unsigned i = 0; i < config->getNumArgs() && i < 4; ++i) {
      if (!isa<clang::CXXDefaultArgExpr>(config->getArg(i))) *fields[i] = text(config->getArg(i));
    }
    for (clang::Expr* argument : call->arguments()) tensors_in(argument, launch.tensors, 0);
    finish(launch, std::move(source));
    return true;
  }

  // When all is seen: what the launches may launch.
  void settle() {
    for (auto& [launch, source] : launches_) {
      std::set<const clang::Decl*> seen;
      std::vector<const clang::Decl*> left(source.through.begin(), source.through.end());
      while (!left.empty()) {
        const clang::Decl* next = left.back();
        left.pop_back();
        const auto given = given_.find(next);
        if (!seen.insert(next).second || given == given_.end()) continue;
        source.kernels.insert(given->second.kernels.begin(), given->second.kernels.end());
        left.insert(left.end(), given->second.through.begin(), given->second.through.end());
      }
      launch.kernels = std::move(source.kernels);
      facts_.launches.push_back(std::move(launch));
    }
  }

 private:
  // A name of the repository that device code holds.
  bool calls(const clang::NamedDecl* declaration) {
    if (!on_device_ || declaration == nullptr) return true;
    declaration = declaration->getUnderlyingDecl();
    if (const auto* function = declaration->getAsFunction()) add(function, fact_.calls);
    return true;
  }

  // The places of a function's body and, as one call may be one of many types' in a dispatch, of its specialisations.
  void add(const clang::FunctionDecl* function, std::set<At>& out) const {
    if (const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern()) function = pattern;
    const clang::FunctionTemplateDecl* made = function->getPrimaryTemplate() != nullptr ? function->getPrimaryTemplate() : function->getDescribedFunctionTemplate();
    if (made != nullptr) {
      for (const clang::FunctionDecl* one : made->specializations()) {
        if (one->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization) add_body(one, out);
      }
      function = made->getTemplatedDecl();
    }
    add_body(function, out);
  }

  void add_body(const clang::FunctionDecl* function, std::set<At>& out) const {
    if (const clang::FunctionDecl* body = function->getDefinition()) function = body;
    if (const auto at = place(sources_, sources_.getSpellingLoc(function->getLocation()))) out.insert(*at);
  }

  void member(clang::DeclarationName name, clang::SourceLocation location, clang::QualType type) {
    if (!name.isIdentifier() || type.isNull() || !wanted_.members.contains(name.getAsIdentifierInfo()->getName())) return;
    if (type->isPointerType()) type = type->getPointeeType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    const auto at = place(sources_, sources_.getSpellingLoc(location));
    if (record != nullptr && at && !type->isDependentType()) facts_.members.push_back({*at, record->getQualifiedNameAsString()});
  }

  void describe(const clang::FunctionDecl& function) {
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
      std::string text = parameter->getType().getAsString(policy_);
      if (!parameter->getName().empty()) text += (text.ends_with('*') || text.ends_with('&') ? "" : " ") + parameter->getName().str();
      fact_.parameters.push_back(std::move(text));
    }
    if (const clang::FunctionTemplateDecl* made = function.getDescribedFunctionTemplate()) {
      for (const clang::NamedDecl* parameter : *made->getTemplateParameters()) {
        std::string text;
        llvm::raw_string_ostream out(text);
        parameter->print(out, policy_);
        fact_.types.push_back(std::move(text));
      }
    }
    const clang::SourceLocation begin = sources_.getExpansionLoc(function.getBeginLoc()), end = sources_.getExpansionLoc(function.getEndLoc());
    for (const Expanded::Word& word : expanded_.words) {
      if (sources_.getFileID(word.use) == sources_.getFileID(begin) && !(word.use < begin) && !(end < word.use)) fact_.words.insert(word.text);
    }
  }

  void atomic(const clang::CallExpr& call) {
    std::string name;
    const clang::Expr* callee = call.getCallee()->IgnoreParenImpCasts();
    if (const auto* known = dyn_cast<clang::DeclRefExpr>(callee)) name = known->getDecl()->getNameAsString();
    if (const auto* open = dyn_cast<clang::OverloadExpr>(callee)) name = open->getName().getAsString();
    if (call.getNumArgs() == 0 || (!llvm::StringRef(name).starts_with("atomic") && !llvm::StringRef(name).starts_with("gpuAtomic"))) return;
    const clang::QualType type = call.getArg(0)->IgnoreImpCasts()->getType();
    const clang::QualType of = type->isPointerType() ? type->getPointeeType() : type->isArrayType() ? clang::QualType(type->getArrayElementTypeNoTypeQual(), 0) : clang::QualType();
    fact_.atomics.insert(name + "(" + (of.isNull() || of->isSpecificBuiltinType(clang::BuiltinType::Dependent) ? std::string("?") : of.getUnqualifiedType().getAsString(policy_)) + ")");
  }

  void sources_of(const clang::Stmt* expression, Source& out, int depth) {
    if (expression == nullptr || depth > 12 || isa<clang::LambdaExpr>(expression)) return;
    if (const auto* call = dyn_cast<clang::CallExpr>(expression)) {
      const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
      if (const auto* known = dyn_cast<clang::DeclRefExpr>(callee)) through(known->getDecl(), out);
      if (const auto* open = dyn_cast<clang::OverloadExpr>(callee)) {
        for (const clang::NamedDecl* d : open->decls()) through(d, out);
      }
    } else if (const auto* named = dyn_cast<clang::DeclRefExpr>(expression)) {
      if (isa<clang::VarDecl>(named->getDecl())) out.through.insert(named->getDecl()->getCanonicalDecl());
      kernel(named->getDecl(), out.kernels);
    } else if (const auto* member = dyn_cast<clang::MemberExpr>(expression)) {
      out.through.insert(member->getMemberDecl()->getCanonicalDecl());
    } else if (const auto* open = dyn_cast<clang::OverloadExpr>(expression)) {
      for (const clang::NamedDecl* d : open->decls()) kernel(d, out.kernels);
    } else {
      for (const clang::Stmt* child : expression->children()) sources_of(child, out, depth + 1);
    }
  }

  static void through(const clang::NamedDecl* declaration, Source& out) {
    const clang::FunctionDecl* function = declaration->getUnderlyingDecl()->getAsFunction();
    if (function == nullptr) return;
    if (const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern()) function = pattern;
    out.through.insert(function->getCanonicalDecl());
  }

  void give(const clang::Expr* to, const clang::Expr* value) {
    if (on_device_) return;
    to = to->IgnoreParenImpCasts();
    const clang::ValueDecl* held = nullptr;
    if (const auto* member = dyn_cast<clang::MemberExpr>(to)) held = member->getMemberDecl();
    if (const auto* named = dyn_cast<clang::DeclRefExpr>(to)) held = named->getDecl();
    if (const auto* list = dyn_cast<clang::InitListExpr>(value->IgnoreImpCasts())) {
      give_fields(to->getType()->getAsRecordDecl(), list);
    } else if (held != nullptr && held->getType()->isPointerType()) {
      sources_of(value, given_[held->getCanonicalDecl()], 0);
    }
  }

  void give_fields(const clang::RecordDecl* record, const clang::InitListExpr* list) {
    if (on_device_ || record == nullptr || record->getDefinition() == nullptr) return;
    unsigned i = 0;
    for (const clang::FieldDecl* field : record->getDefinition()->fields()) {
      if (i >= list->getNumInits()) return;
      const clang::Expr* value = list->getInit(i++);
      if (field->getType()->isPointerType()) sources_of(value, given_[field->getCanonicalDecl()], 0);
    }
  }

  void kernel(const clang::NamedDecl* declaration, std::set<At>& out) {
    const auto* function = declaration->getUnderlyingDecl()->getAsFunction();
    if (function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>()) add(function, out);
  }

  // x of x.data_ptr<float>(), wherever it stands among a launch's operands.
  void tensors_in(const clang::Stmt* expression, std::vector<std::string>& out, int depth) {
    if (expression == nullptr || depth > 12) return;
    std::string name;
    const clang::Expr* base = nullptr;
    if (const auto* known = dyn_cast<clang::MemberExpr>(expression)) {
      name = known->getMemberDecl()->getNameAsString();
      base = known->getBase();
    } else if (const auto* open = dyn_cast<clang::UnresolvedMemberExpr>(expression); open != nullptr && !open->isImplicitAccess()) {
      name = open->getMemberName().getAsString();
      base = open->getBase();
    } else if (const auto* dependent = dyn_cast<clang::CXXDependentScopeMemberExpr>(expression); dependent != nullptr && !dependent->isImplicitAccess()) {
      name = dependent->getMember().getAsString();
      base = dependent->getBase();
    }
    const llvm::StringRef word = name;
    if (base != nullptr && (word.ends_with("data_ptr") || word == "data" || word.contains("packed_accessor"))) {
      out.push_back(text(base));
      return;
    }
    // Through a variable that holds the pointer.
    if (const auto* named = dyn_cast<clang::DeclRefExpr>(expression)) {
      const auto* variable = dyn_cast<clang::VarDecl>(named->getDecl());
      if (variable != nullptr && (variable->getType()->isPointerType() || variable->getType()->isDependentType())) tensors_in(variable->getInit(), out, depth + 4);
    }
    for (const clang::Stmt* child : expression->children()) tensors_in(child, out, depth + 1);
  }

  void locate(clang::SourceLocation location, LaunchFact& launch) const {
    const auto at = place(sources_, sources_.getSpellingLoc(location)), use = place(sources_, sources_.getFileLoc(location));
    located_ = at && use;
    if (located_) {
      launch.at = *at;
      launch.use = *use;
    }
  }

  void finish(LaunchFact& launch, Source source) {
    if (!located_) return;
    for (const auto& [range, name] : expanded_.dispatches) {
      const auto begin = place(sources_, range.getBegin()), end = place(sources_, range.getEnd());
      if (begin && end && begin->file == launch.use.file && begin->byte <= launch.use.byte && launch.use.byte <= end->byte) launch.dispatch = name;
    }
    launches_.emplace_back(std::move(launch), std::move(source));
  }

  // As written, with what a macro was given put in its place; what clang cannot print stays as the macro says it.
  std::string text(const clang::Expr* expression) {
    std::string out;
    const clang::SourceRange range = expression->getSourceRange();
    if (range.getBegin().isMacroID()) {
      llvm::raw_string_ostream stream(out);
      expression->printPretty(stream, nullptr, policy_);
      if (out.find("<recovery-expr>") == std::string::npos) return shortened(std::move(out));
      return shortened(clang::Lexer::getSourceText({{sources_.getSpellingLoc(range.getBegin()), sources_.getSpellingLoc(range.getEnd())}, true}, sources_, context_.getLangOpts()).str());
    }
    return shortened(clang::Lexer::getSourceText({{sources_.getFileLoc(range.getBegin()), sources_.getFileLoc(range.getEnd())}, true}, sources_, context_.getLangOpts()).str());
  }

  static std::string shortened(std::string text) {
    std::string out;
    for (const char c : text) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\\';
      if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
    }
    if (out.size() > kLongestText) out = out.substr(0, kLongestText) + "…";
    return out;
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Expanded& expanded_;
  const Wanted& wanted_;
  Facts& facts_;
  clang::PrintingPolicy policy_;
  const clang::FunctionDecl* function_ = nullptr;  // the outermost around
  bool on_device_ = false;
  mutable bool located_ = false;
  FunctionFact fact_;
  std::map<const clang::Decl*, Source> given_;
  std::vector<std::pair<LaunchFact, Source>> launches_;
};

}  // namespace

std::optional<At> place(const clang::SourceManager& sources, clang::SourceLocation spelled) {
  if (spelled.isInvalid() || !spelled.isFileID()) return std::nullopt;
  const auto [file, byte] = sources.getDecomposedLoc(spelled);
  const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  // See file_system().
  if (!entry || entry->getUniqueID().getDevice() != 0x7470) return std::nullopt;
  return At{static_cast<std::uint32_t>(entry->getUniqueID().getFile()), byte};
}

void visit(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations, const Expanded& expanded, const Wanted& wanted, Facts& facts) {
  Visitor visitor(context, expanded, wanted, facts);
  for (clang::Decl* declaration : declarations) visitor.TraverseDecl(declaration);
  visitor.settle();
}

}  // namespace torchport::worker
