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

#include "artifact/host_compiler.h"
#include "artifact/runtime_object.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/sha256.h"
#include "support/thread.h"

namespace mlgc {
namespace {

using Words = std::vector<std::string>;

// Symbols bind to their own object, so that models do not meet in one process; --as-needed leaves out the C++ library.
Words link_flags() {
  return {"-shared", "-pthread", "-Wl,--as-needed", "-Wl,-z,defs", "-Wl,-Bsymbolic", "-Wl,--build-id=none"};
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void add_part(Sha256& hash, std::string_view text) {
  hash.add(std::to_string(text.size()) + "\n");
  hash.add(text);
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

// -march=native is another thing on another CPU.
std::string cpu_of(std::span<const std::string> flags) {
  if (std::ranges::none_of(flags, [](const std::string& flag) { return flag.ends_with("=native"); })) return "";
  const Result<std::string> text = read_file("/proc/cpuinfo");
  if (!text) return "unknown";
  const std::size_t start = text->find("\nflags");
  return sha256(text->substr(std::min(start, text->size()), text->find('\n', start + 1) - start)).substr(0, 32);
}

Words flags_of(const CompileRequest& request, const HostCompiler& compiler) {
  Words flags(std::begin(kUnitFlags), std::end(kUnitFlags));
  // g++ folds functions that are equal, in quadratic time where many are; equal kernels are one already. clang++ does
  // not know the flag.
  if (compiler.identity.find("Free Software Foundation") != std::string::npos) flags.emplace_back("-fno-ipa-icf");
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  return flags;
}

CacheKey key_of(const CompileRequest& request, const HostCompiler& compiler, std::span<const std::string> flags) {
  return {request.name,
          {{"compiler", compiler.name() + " " + sha256(compiler.identity).substr(0, 8)},
           {"cpu", cpu_of(flags)},
           {"flags", joined(flags)},
           {"runtime", hash_of_runtime()},
           {"source", hash_of(request.sources)}},
          request.made_of};
}

// One build, in a folder of its own.
class Build {
 public:
  Build(const CompileRequest& request, const HostCompiler& compiler, ScratchFolder& folder)
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
    Words words = link_flags();
    for (const SourceText& source : request_.sources) words.push_back(folder_.file(object_of(source.name)));
    words.insert(words.end(), {folder_.file(kRuntimeObject), "-o", folder_.file("model.so"), "-lm", "-ldl"});
    return run_host_compiler(compiler_, words, request_.name, folder_.path());
  }

 private:
  static constexpr std::string_view kRuntimeObject = "runtime/runtime.o";

  [[nodiscard]] static std::string object_of(std::string_view source) { return std::string(source) + ".o"; }

  Status<Diagnostic> compile(std::string_view source, Words flags, const std::string& name) {
    flags.insert(flags.end(),
                 {"-I" + folder_.path(), "-c", folder_.file(source), "-o", folder_.file(object_of(source))});
    return run_host_compiler(compiler_, flags, name, folder_.path());
  }

  const CompileRequest& request_;
  const HostCompiler& compiler_;
  ScratchFolder& folder_;
};

}  // namespace

Result<CacheKey, Diagnostic> cache_key(const CompileRequest& request) {
  const Result<HostCompiler, Diagnostic> compiler = find_host_compiler(request.host_compiler);
  if (!compiler) return Failure{compiler.error()};
  return key_of(request, *compiler, flags_of(request, *compiler));
}

Result<CompiledUnit, Diagnostic> compile_unit(const CompileRequest& request, const Cache& cache,
                                              DiagnosticEngine& diagnostics) {
  const auto start = std::chrono::steady_clock::now();
  Result<HostCompiler, Diagnostic> compiler = find_host_compiler(request.host_compiler);
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

}  // namespace mlgc
