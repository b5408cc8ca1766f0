#include "analyzers/cpp/worker/parse.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>

#include "analyzers/cpp/worker/visit.h"

namespace torchport::worker {
namespace {

// Deep enough for what people write, and little enough for endless templates and constant expressions to end.
constexpr unsigned kTemplateDepth = 200;
constexpr unsigned kConstantSteps = 20000;

std::shared_ptr<clang::CompilerInvocation> invocation(const std::string& file, const std::vector<std::string>& more, bool precompiled) {
  std::vector<const char*> words = {"-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-unknown-linux-gnu", "-fcuda-is-device", "-target-cpu", "sm_90", "-target-feature", "+ptx80",
                                    "-aux-target-cpu", "x86-64", "-fsyntax-only", "-x", "cuda", "-std=c++17", "-ferror-limit", "0", "-w", "-fcxx-exceptions", "-fexceptions", "-fgnuc-version=4.2.1",
                                    "-fcuda-allow-variadic-functions", "-fgpu-rdc", "-fno-spell-checking", "-nostdsysteminc", "-nobuiltininc", "-D__CUDACC__", "-D__NVCC__", "-D__CUDA__"};
  for (const std::string& word : more) words.push_back(word.c_str());
  words.push_back("-isystem");
  words.push_back(kSearchFolder.data());
  if (!precompiled && file != kPrelude) {
    words.push_back("-include");
    words.push_back(kPrelude.data());
  }
  words.push_back(file.c_str());
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, new clang::DiagnosticOptions, new clang::IgnoringDiagConsumer);
  auto made = std::make_shared<clang::CompilerInvocation>();
  clang::CompilerInvocation::CreateFromArgs(*made, words, diagnostics);
  made->getLangOpts().InstantiationDepth = kTemplateDepth;
  made->getLangOpts().ConstexprStepLimit = kConstantSteps;
  made->getLangOpts().SpellChecking = false;
  made->getDiagnosticOpts().ShowCarets = false;
  made->getFrontendOpts().DisableFree = false;
  auto& preprocessor = made->getPreprocessorOpts();
  preprocessor.AllowPCHWithCompilerErrors = true;
  preprocessor.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::All;
  if (precompiled) preprocessor.ImplicitPCHInclude = kPrecompiled.str();
  return made;
}

void prepare(clang::CompilerInstance& compiler, const Repository& repository, std::uint32_t file, std::shared_ptr<clang::CompilerInvocation> made, clang::DiagnosticConsumer& diagnostics) {
  compiler.setInvocation(std::move(made));
  compiler.createDiagnostics(&diagnostics, false);
  compiler.createFileManager(file_system(repository, file));
  compiler.createSourceManager(compiler.getFileManager());
}

class Precompile : public clang::ASTFrontendAction {
 public:
  explicit Precompile(std::shared_ptr<clang::PCHBuffer> out) : out_(std::move(out)) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(compiler.getPreprocessor(), compiler.getModuleCache(), "", "", out_, compiler.getFrontendOpts().ModuleFileExtensions, true);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 private:
  std::shared_ptr<clang::PCHBuffer> out_;
};

class Watcher : public clang::PPCallbacks {
 public:
  Watcher(const clang::SourceManager& sources, const clang::LangOptions& language, Expanded& expanded, Facts& facts)
      : sources_(sources), language_(language), expanded_(expanded), facts_(facts) {}
  void FileChanged(clang::SourceLocation location, FileChangeReason reason, clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile) return;
    if (const auto at = place(sources_, location)) facts_.files.insert(at->file);
  }
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange range, const clang::MacroArgs*) override {
    // The stubs write most of torch's dispatches by one of their own, which takes the arguments.
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (!text.starts_with("TP_DISPATCH") && text != "AT_DISPATCH_SWITCH" && text != "AT_DISPATCH_INDEX_TYPES") return;
    const clang::SourceLocation begin = sources_.getExpansionLoc(range.getBegin());
    const llvm::StringRef written = clang::Lexer::getSourceText({{begin, begin}, true}, sources_, language_);
    if (written.starts_with("AT_DISPATCH_")) expanded_.dispatches.emplace_back(clang::SourceRange(begin, sources_.getFileLoc(range.getEnd())), written.str());
  }

 private:
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  Expanded& expanded_;
  Facts& facts_;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(const Wanted& wanted, Expanded& expanded, Facts& facts) : wanted_(wanted), expanded_(expanded), facts_(facts) {}
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    declarations_.insert(declarations_.end(), group.begin(), group.end());
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext& context) override { visit(context, declarations_, expanded_, wanted_, facts_); }

 private:
  const Wanted& wanted_;
  Expanded& expanded_;
  Facts& facts_;
  std::vector<clang::Decl*> declarations_;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(const Wanted& wanted, Facts& facts) : wanted_(wanted), facts_(facts) {}
  // No instantiations at the end of the unit: they cost most of the time and tell nothing new.
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.SetSuppressIncludeNotFoundError(true);
    preprocessor.addPPCallbacks(std::make_unique<Watcher>(compiler.getSourceManager(), compiler.getLangOpts(), expanded_, facts_));
    const clang::SourceManager& sources = compiler.getSourceManager();
    preprocessor.setTokenWatcher([this, &sources](const clang::Token& token) { take(token, sources); });
    return std::make_unique<Consumer>(wanted_, expanded_, facts_);
  }

 private:
  void take(const clang::Token& token, const clang::SourceManager& sources) {
    if (!token.getLocation().isMacroID() || token.isAnnotation() || token.isLiteral() || expanded_.words.size() > kMostWords) return;
    const clang::IdentifierInfo* name = token.getIdentifierInfo();
    if (name == nullptr) return;
    const llvm::StringRef text = name->getName();
    const bool wanted = wanted_.words.contains(text) || std::any_of(wanted_.prefixes.begin(), wanted_.prefixes.end(), [&](const std::string& p) { return text.starts_with(p); });
    if (wanted) expanded_.words.push_back({sources.getExpansionLoc(token.getLocation()), text.str()});
  }

  static constexpr std::size_t kMostWords = 200000;
  const Wanted& wanted_;
  Facts& facts_;
  Expanded expanded_;
};

}  // namespace

std::string precompile(Repository& repository) {
  clang::CompilerInstance compiler;
  clang::TextDiagnosticBuffer diagnostics;
  prepare(compiler, repository, 0, invocation(kPrelude.str(), {}, false), diagnostics);
  auto buffer = std::make_shared<clang::PCHBuffer>();
  Precompile action(buffer);
  compiler.ExecuteAction(action);
  if (buffer->IsComplete) repository.precompiled.assign(buffer->Data.begin(), buffer->Data.end());
  std::string said;
  for (auto it = diagnostics.err_begin(); it != diagnostics.err_end(); ++it) {
    said += it->first.printToString(compiler.getSourceManager()) + ": " + it->second + "\n";
  }
  return said;
}

Facts parse(const Repository& repository, std::uint32_t file, const Wanted& wanted, const std::vector<std::string>& arguments) {
  Facts facts;
  clang::CompilerInstance compiler;
  clang::DiagnosticConsumer diagnostics;
  prepare(compiler, repository, file, invocation(repository.path(file), arguments, !repository.precompiled.empty()), diagnostics);
  Action action(wanted, facts);
  compiler.ExecuteAction(action);
  return facts;
}

}  // namespace torchport::worker
