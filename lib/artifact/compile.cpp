// See compile.h.
#include "artifact/compile.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "artifact/compiler.h"
#include "artifact/runtime_object.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/sha256.h"
#include "support/subprocess.h"
#include "support/thread.h"

namespace mlgc {
namespace {

using Words = std::vector<std::string>;

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void add_part(Sha256& hash, std::string_view text) {
  hash.add(std::to_string(text.size()) + "\n");
  hash.add(text);
}

// As the driver names them, in its order; empty without a driver.
std::string gpu_models() {
  std::error_code error;
  std::vector<std::string> models;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error))
    if (const Result<std::string> text = read_file(gpu.path().string() + "/information"))
      models.push_back(text->substr(0, text->find('\n')));
  std::ranges::sort(models);
  return joined(models);
}

std::string hash_of(std::span<const SourceText> sources) {
  Sha256 hash;
  for (const SourceText& source : sources) add_part(hash, source.text);
  return hash.finish().substr(0, 32);
}

// The headers that units include, and the code that they are linked with.
std::string hash_of_runtime() {
  Sha256 hash;
  for (const SourceText& source : runtime_source())
    if (source.name.ends_with(".h")) add_part(hash, source.text);
  add_part(hash, runtime_object());
  return hash.finish().substr(0, 32);
}

// What `native` stands for: the features of this CPU, or the GPUs that the driver has.
std::string machine_of(const CompileRequest& request, std::span<const std::string> flags) {
  if (std::ranges::none_of(flags, [](const std::string& flag) { return flag.ends_with("=native"); })) return "";
  if (request.by != &compilers().front()) return sha256(gpu_models()).substr(0, 32);
  const Result<std::string> text = read_file("/proc/cpuinfo");
  if (!text) return "unknown";
  const std::size_t start = text->find("\nflags");
  return sha256(text->substr(std::min(start, text->size()), text->find('\n', start + 1) - start)).substr(0, 32);
}

Words flags_of(const CompileRequest& request, const Compiler& compiler) {
  const CompilerDef& by = *request.by;
  Words flags(by.unit_flags.begin(), by.unit_flags.end());
  for (const Words& more : {by.own_flags(compiler.identity), by.arch_flags(request.arch), request.flags})
    flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

CacheKey key_of(const CompileRequest& request, const Compiler& compiler, std::span<const std::string> flags) {
  return {request.name,
          {{"compiler", compiler.name() + " " + sha256(compiler.identity).substr(0, 8)},
           {"cpu", machine_of(request, flags)},
           {"flags", joined(flags)},
           {"runtime", hash_of_runtime()},
           {"source", hash_of(request.sources)}},
          request.made_of};
}

// One build, in a folder of its own.
class Build {
 public:
  Build(const CompileRequest& request, const Compiler& compiler, ScratchFolder& folder)
      : request_(request), compiler_(compiler), folder_(folder) {}

  Status<Diagnostic> write_sources() {
    std::error_code error;
    std::filesystem::create_directory(folder_.file("runtime"), error);
    std::vector<SourceText> files{{kRuntimeObject, runtime_object()}};
    for (const SourceText& file : runtime_source())
      if (file.name.ends_with(".h")) files.push_back(file);
    files.insert(files.end(), request_.sources.begin(), request_.sources.end());
    for (const SourceText& file : files)
      if (const Status<> written = write_file(folder_.file(file.name), file.text); !written)
        return Failure{diagnose<kCannotWrite>({}, written.error())};
    return {};
  }

  // The sources, several at once, and the shared object of them with the runtime's object.
  Status<Diagnostic> compile_and_link(const Words& flags, Activity& compiling) {
    const std::size_t count = request_.sources.size();
    std::vector<std::optional<Diagnostic>> failures(count);
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> thrown(count);
    compiling.does(count, "unit");
    const auto work = [&] {
      for (std::size_t i = next++; i < count; i = next++) {
        compiling.next();
        try {
          if (Status<Diagnostic> status = compile(request_.sources[i].name, flags, request_.name); !status)
            failures[i] = status.error();
        } catch (...) {  // memory may run out; a thread has no caller to report to
          thrown[i] = std::current_exception();
        }
      }
    };
    std::vector<std::thread> threads;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    try {
      for (std::size_t i = 1; i < std::min(count, cores); ++i) threads.push_back(start_thread(work));
    } catch (const std::system_error&) {
      // The threads that there are do the work.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& wrong : thrown)
      if (wrong) std::rethrow_exception(wrong);
    for (std::optional<Diagnostic>& failure : failures)
      if (failure) return Failure{*std::move(failure)};
    const CompilerDef& by = *request_.by;
    Words words(by.link_flags.begin(), by.link_flags.end());
    for (const SourceText& source : request_.sources) words.push_back(folder_.file(object_of(source.name)));
    words.insert(words.end(), {folder_.file(kRuntimeObject), "-o", folder_.file("model.so"), "-lm", "-ldl"});
    return run_compiler(compiler_, words, request_.name, folder_.path());
  }

 private:
  static constexpr std::string_view kRuntimeObject = "runtime/runtime.o";

  [[nodiscard]] static std::string object_of(std::string_view source) { return std::string(source) + ".o"; }

  Status<Diagnostic> compile(std::string_view source, Words flags, const std::string& name) {
    flags.insert(flags.end(),
                 {"-I" + folder_.path(), "-c", folder_.file(source), "-o", folder_.file(object_of(source))});
    return run_compiler(compiler_, flags, name, folder_.path());
  }

  const CompileRequest& request_;
  const Compiler& compiler_;
  ScratchFolder& folder_;
};

}  // namespace

Result<CacheKey, Diagnostic> cache_key(const CompileRequest& request) {
  const Result<Compiler, Diagnostic> compiler = find_compiler(*request.by, request.compiler);
  if (!compiler) return Failure{compiler.error()};
  return key_of(request, *compiler, flags_of(request, *compiler));
}

Result<CompiledUnit, Diagnostic> compile_unit(const CompileRequest& request, const Cache& cache,
                                              DiagnosticEngine& diagnostics) {
  const auto start = std::chrono::steady_clock::now();
  Result<Compiler, Diagnostic> compiler = find_compiler(*request.by, request.compiler);
  if (!compiler) return Failure{std::move(compiler).error()};
  CompiledUnit unit;
  unit.compiler = compiler->name();
  unit.flags = flags_of(request, *compiler);
  const auto done = [&] {
    unit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return unit;
  };
  const CacheKey key = key_of(request, *compiler, unit.flags);
  if (const std::optional<HeldObject> found = cache.find(key, diagnostics)) {
    unit.path = found->path;
    unit.folder = found->folder;
    unit.cached = true;
    return done();
  }

  unit.miss = miss_text(cache, key);
  Activity compiling("compiling", "`" + request.name + "`");
  Result<ScratchFolder> scratch = ScratchFolder::make("mlgc-build-");
  if (!scratch) return Failure{diagnose<kCannotWrite>({}, scratch.error())};
  Build build(request, *compiler, *scratch);
  Status<Diagnostic> status = build.write_sources();
  if (status) status = build.compile_and_link(unit.flags, compiling);
  if (!status) {
    // Of use to whoever looks for the reason; the message names the folder.
    if (status.error().kind == &kHostCompilerFailed) (void)scratch->keep();
    return Failure{status.error()};
  }
  unit.path = scratch->file("model.so");
  if (const std::optional<HeldObject> kept = cache.insert(key, unit.path, diagnostics)) {
    unit.path = kept->path;
    unit.folder = kept->folder;
  } else {
    unit.folder = std::make_shared<ScratchFolder>(*std::move(scratch));
  }
  return done();
}

namespace {

// The first reader that is there, applied to a file. Error: none is, or it failed.
Result<std::string, Diagnostic> read_form(const CompiledForm& form, const std::string& file) {
  std::vector<std::string> tried;
  for (const std::vector<std::string_view>& reader : form.readers) {
    std::vector<std::string> command(reader.begin(), reader.end());
    command.push_back(file);
    const Result<ProcessResult> done = run_process(command);
    if (done && done->exit_code == 0) return done->output;
    tried.push_back(done ? std::string(reader.front()) + " ends with exit code " + std::to_string(done->exit_code)
                         : done.error());
  }
  return Failure{diagnose<kNoDisassembler>({}, std::move(tried), form.name)};
}

}  // namespace

Result<std::string, Diagnostic> compile_to_form(const CompileRequest& request, const CompiledForm& form) {
  Result<Compiler, Diagnostic> compiler = find_compiler(*request.by, request.compiler);
  if (!compiler) return Failure{std::move(compiler).error()};
  Result<ScratchFolder> scratch = ScratchFolder::make("mlgc-build-");
  if (!scratch) return Failure{diagnose<kCannotWrite>({}, scratch.error())};
  const Activity compiling("compiling", "`" + request.name + "`");
  Build build(request, *compiler, *scratch);
  if (Status<Diagnostic> written = build.write_sources(); !written) return Failure{written.error()};
  const std::string file = scratch->file(form.file);
  Words flags = form.flags(request.arch);
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  flags.insert(flags.end(), {"-I" + scratch->path(), scratch->file(request.sources.front().name), "-o", file});
  if (Status<Diagnostic> status = run_compiler(*compiler, flags, request.name, scratch->path()); !status) {
    if (status.error().kind == &kHostCompilerFailed) (void)scratch->keep();
    return Failure{status.error()};
  }
  if (!form.readers.empty()) return read_form(form, file);
  Result<std::string> text = read_file(file);
  if (!text) return Failure{diagnose<kCannotRead>({}, text.error())};
  return *std::move(text);
}

}  // namespace mlgc
