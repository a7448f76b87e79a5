// Compiling units with the machine's compiler, and the cache of what was compiled.
#include "artifact/compile.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "artifact/compiler.h"
#include "artifact/sample_model.h"
#include "artifact/shared_object.h"
#include "diag/kinds_artifact.h"
#include "support/subprocess.h"

namespace files = std::filesystem;
using mlgc::Diagnostic;

namespace {

// A program in `folder` that does what the shell's text says.
std::string script(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.file("compiler");
  REQUIRE(mlgc::write_file(path, "#!/bin/sh\n" + text + "\n").ok());
  files::permissions(path, files::perms::owner_all);
  return path;
}

// A compiler that answers to --version and then does what `text` says.
std::string failing(const TemporaryFolder& folder, const std::string& text) {
  return script(folder, "[ \"$1\" = --version ] && { echo 'test 1.0'; exit 0; }\n" + text);
}

std::vector<std::string> notes(const Diagnostic& diagnostic) {
  std::vector<std::string> all;
  for (const mlgc::DiagNote& note : diagnostic.notes) all.push_back(note.message());
  return all;
}

bool is_installed(const std::string& compiler) {
  const auto result = mlgc::run_process({compiler, "--version"});
  return result && result->exit_code == 0;
}

}  // namespace

TEST_CASE("a compiled unit needs libc alone") {
  const auto libraries = mlgc::run_process({"ldd", compiled_sample().path});
  REQUIRE(libraries.ok());
  INFO(libraries->output);
  std::istringstream lines(libraries->output);
  for (std::string line; std::getline(lines, line);) {
    bool known = false;
    for (const char* name : {"linux-vdso", "libc.so", "libm.so", "libpthread", "ld-linux"})
      known = known || line.find(name) != std::string::npos;
    CHECK(known);
  }
}

TEST_CASE("the runtime and a unit compile without a warning") {
  const TemporaryFolder folder;
  files::create_directory(folder.file("runtime"));
  for (const mlgc::SourceText& file : mlgc::runtime_source())
    REQUIRE(mlgc::write_file(folder.file(std::string(file.name)), file.text).ok());
  REQUIRE(mlgc::write_file(folder.file("unit.cpp"), sample_source()).ok());
  REQUIRE(mlgc::write_file(folder.file("host.c"), "#include \"runtime/mlgc.h\"\nint main(void) { return 0; }\n").ok());
  for (const std::string compiler : {"g++", "clang++-16", "clang++-14"}) {
    if (!is_installed(compiler)) continue;
    std::vector<std::string> command{compiler,    "-std=c++17",      "-O1",       "-Wall",
                                     "-Wextra",   "-Werror",         "-c",        "-o",
                                     "/dev/null", "-fno-exceptions", "-fno-rtti", "-I" + folder.file("")};
    std::string all = "#include \"unit.cpp\"\n";
    for (const mlgc::SourceText& file : mlgc::runtime_source())
      if (file.name.ends_with(".cpp")) all += "#include \"" + std::string(file.name) + "\"\n";
    REQUIRE(mlgc::write_file(folder.file("all.cpp"), all).ok());
    command.push_back(folder.file("all.cpp"));
    const auto result = mlgc::run_process(command);
    INFO(compiler << ": " << result->output);
    CHECK(result->exit_code == 0);
  }
  const auto c = mlgc::run_process({"cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                                    "-I" + folder.file(""), folder.file("host.c")});
  INFO(c->output);
  CHECK(c->exit_code == 0);
}

TEST_CASE("what was compiled is found again, whatever its name is") {
  OwnCache own;
  const std::string source = sample_source();
  const auto first = own.compile(source);
  REQUIRE(first.ok());
  CHECK_FALSE(first->cached);
  const auto again = mlgc::compile_unit({"other", {{"other.cpp", source}}, {"-O1"}, ""}, own.cache, own.diagnostics);
  REQUIRE(again.ok());
  CHECK(again->cached);
  CHECK(files::equivalent(again->path, first->path));
  CHECK(own.cache.entries().size() == 1);
  CHECK(own.cache.clear("sample").value() == 1);
  const auto anew = own.compile(source);
  REQUIRE(anew.ok());
  CHECK_FALSE(anew->cached);
  const std::vector<mlgc::CacheLookup> lookups = own.cache.lookups();
  REQUIRE(lookups.size() == 3);
  CHECK(lookups[1].key.name == "other");
  CHECK(lookups[1].found);
  CHECK_FALSE(lookups[2].found);
  CHECK(lookups[2].hash == lookups[0].hash);
  CHECK(own.cache.clear(std::nullopt).value() == 1);
  CHECK(own.cache.lookups().empty());
  CHECK(messages(own.diagnostics).empty());
}

TEST_CASE("each part of the key counts") {
  const mlgc::CacheKey key{"a", {{"source", "x"}, {"flags", "y"}}};
  CHECK(key.hash() == mlgc::CacheKey{"b", key.parts}.hash());
  CHECK(key.hash() != mlgc::CacheKey{"a", {{"source", "x"}, {"flags", "z"}}}.hash());
  CHECK(key.hash() != mlgc::CacheKey{"a", {{"source", "xy"}, {"flags", ""}}}.hash());
  CHECK(key.hash() != mlgc::CacheKey{"a", {{"flags", "x"}, {"source", "y"}}}.hash());
}

TEST_CASE("several sources compile at once and meet in one object") {
  OwnCache own;
  const auto unit = mlgc::compile_unit({"two",
                                        {{"a.cpp",
                                          "#include \"runtime/unit.h\"\nint half(int);\n"
                                          "extern \"C\" MLGC_API int twice(int x) { return half(4 * x); }\n"},
                                         {"b.cpp", "int half(int x) { return x / 2; }\n"}},
                                        {},
                                        ""},
                                       own.cache, own.diagnostics);
  REQUIRE(unit.ok());
  const auto wrong = mlgc::SharedObject::open(unit->path, "no_such_symbol");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().kind == &mlgc::kCannotLoadModel);
  CHECK_THAT(wrong.error().message(), Contains("undefined symbol: no_such_symbol"));
}

TEST_CASE("a compiler that refuses is quoted, and what it was given is kept") {
  OwnCache own;
  const Environment temporary("TMPDIR", own.folder.file(""));
  const auto unit = own.compile("int main( {\n");
  REQUIRE_FALSE(unit.ok());
  CHECK(unit.error().kind == &mlgc::kHostCompilerFailed);
  CHECK(unit.error().kind->exit == mlgc::ExitCode::Unsupported);
  CHECK_THAT(unit.error().message(), EndsWith("failed with exit code 1 on `sample`"));
  REQUIRE(notes(unit.error()).size() == 1);
  CHECK_THAT(notes(unit.error())[0], Contains("sample.cpp:1:"));
  CHECK(unit.error().notes[0].kind == &mlgc::kCompilerOutput);
  const std::string remedy = unit.error().remedy();
  const std::string kept = remedy.substr(std::string("what it was given is kept in ").size());
  CHECK(*mlgc::read_file(kept + "/sample.cpp") == "int main( {\n");
  CHECK(files::exists(kept + "/runtime/unit.h"));
  CHECK_FALSE(files::exists(kept + "/model.so"));
  CHECK(own.cache.entries().empty());
}

TEST_CASE("a compiler that is killed is an error that says so") {
  OwnCache own;
  const Environment temporary("TMPDIR", own.folder.file(""));
  const TemporaryFolder folder;
  const std::string compiler = failing(folder, "kill -9 $$");
  const auto unit = own.compile("int x;\n", {}, compiler);
  REQUIRE_FALSE(unit.ok());
  CHECK(unit.error().message() == "`" + compiler + "` was ended by signal 9 (Killed) on `sample`");
  CHECK(unit.error().notes.empty());
  CHECK(own.cache.entries().empty());
}

TEST_CASE("a missing compiler is an error that says what to install") {
  OwnCache own;
  const TemporaryFolder empty;
  const Environment path("PATH", empty.file(""));
  {
    const Environment cxx("CXX", std::nullopt);
    const auto unit = own.compile("int x;\n");
    REQUIRE_FALSE(unit.ok());
    CHECK(unit.error().kind == &mlgc::kNoHostCompiler);
    CHECK(unit.error().message() ==
          "no C++ compiler was found: cannot run `g++`: No such file or directory, "
          "cannot run `clang++`: No such file or directory");
    CHECK(unit.error().remedy() ==
          "install g++ 10 or newer (apt-get install g++) or clang 14 or newer, or name one with --host-compiler=");
  }
  const Environment cxx("CXX", "my-compiler -v");
  auto unit = own.compile("int x;\n");
  REQUIRE_FALSE(unit.ok());
  CHECK(unit.error().kind == &mlgc::kBadHostCompiler);
  CHECK(unit.error().message() ==
        "`my-compiler -v` is not a usable C++ compiler: cannot run `my-compiler`: No such file or directory");
  const std::string broken = script(empty, "exit 3");
  unit = own.compile("int x;\n", {}, broken);
  CHECK(unit.error().message() == "`" + broken + "` is not a usable C++ compiler: --version ends with exit code 3");
  unit = own.compile("int x;\n", {}, " ");
  CHECK(unit.error().message() == "` ` is not a usable C++ compiler: its name is empty");
}

TEST_CASE("what was found stays while it is held, though the cache is cleared") {
  OwnCache own;
  const std::string source = sample_source();
  for (const bool cached : {false, true}) {
    if (cached) REQUIRE(own.compile(source).ok());
    const auto unit = own.compile(source);
    REQUIRE(unit.ok());
    CHECK(unit->cached == cached);
    CHECK(own.cache.clear(std::nullopt).value() == 1);
    CHECK(own.cache.entries().empty());
    const auto object = mlgc::SharedObject::open(unit->path, "mlgc_unit_sample");
    CHECK(object.ok());
  }
  CHECK(files::is_empty(own.folder.file("cache/tmp")));
  CHECK(messages(own.diagnostics).empty());
}

TEST_CASE("what killed processes left in a cache goes when it is old") {
  OwnCache own;
  const auto left = [&](const std::string& name, std::chrono::minutes ago) {
    const std::string path = own.folder.file("cache/tmp/" + name);
    files::create_directories(path + "/deep");
    files::last_write_time(path, files::file_time_type::clock::now() - ago);
    return path;
  };
  const std::string old = left("old", std::chrono::minutes(11)), in_use = left("in-use", std::chrono::minutes(9));
  CHECK(own.cache.clear(std::nullopt).value() == 0);
  CHECK_FALSE(files::exists(old));
  CHECK(files::exists(in_use));
  (void)left("old", std::chrono::minutes(11));
  REQUIRE(mlgc::write_file(own.folder.file("object"), "x").ok());
  CHECK(own.cache.insert({"x", {}}, own.folder.file("object"), own.diagnostics));
  CHECK_FALSE(files::exists(old));
}

TEST_CASE("one process clears what another one puts in and looks for") {
  OwnCache own;
  const std::string file = own.folder.file("object");
  const std::string content(100'000, 'x');
  REQUIRE(mlgc::write_file(file, content).ok());
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    while (own.cache.clear(std::nullopt)) {
    }
    _exit(1);
  }
  std::size_t found = 0, gone = 0;
  constexpr int kTimes = 1'000, kMostTimes = 100'000;  // until both have been seen
  for (int i = 0; i < kTimes || (i < kMostTimes && (found == 0 || gone == 0)); ++i) {
    const mlgc::CacheKey key{"x", {{"source", std::to_string(i % 3)}}};
    for (const bool look : {false, true}) {
      const auto held = look ? own.cache.find(key, own.diagnostics) : own.cache.insert(key, file, own.diagnostics);
      ++(held ? found : gone);
      if (held) CHECK(mlgc::read_file(held->path).value() == content);
    }
  }
  CHECK(::kill(child, SIGKILL) == 0);
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));  // no clear failed
  CHECK(found > 0);
  CHECK(gone > 0);
  CHECK(messages(own.diagnostics).empty());
}

TEST_CASE("an entry that is damaged is made anew") {
  OwnCache own;
  const std::string source = "extern \"C\" int f() { return 1; }\n";
  const auto damage = [&](const std::string& file, const std::string& content, const std::string& what) {
    const auto unit = own.compile(source);
    REQUIRE(unit.ok());
    const std::string entry = own.folder.file("cache/objects/" + own.cache.entries().at(0).hash);
    REQUIRE(mlgc::write_file(entry + "/" + file, content).ok());
    own.diagnostics.clear();
    const auto again = own.compile(source);
    REQUIRE(again.ok());
    CHECK_FALSE(again->cached);
    CHECK(messages(own.diagnostics) ==
          std::vector<std::string>{"what the cache has of `sample` is damaged (" + what + ") and is compiled anew"});
    CHECK(own.compile(source)->cached);
  };
  std::string changed = *mlgc::read_file(own.compile(source)->path);
  damage("object", changed.substr(0, 100), "its length");
  changed[changed.size() / 2] ^= 1;
  damage("object", changed, "its hash");
  damage("entry.json", "{", "entry.json");
  damage("entry.json", R"({"name": "sample", "parts": {}, "bytes": 1, "sha256": 7})", "entry.json");
  CHECK(files::is_empty(own.folder.file("cache/tmp")));
}

TEST_CASE("a cache that cannot be used is passed over, with the reason") {
  const TemporaryFolder folder;
  const mlgc::LocationTable locations;
  const auto why = [&](const std::string& path) {
    const Environment variable("MLGC_CACHE", path);
    mlgc::DiagnosticEngine diagnostics(locations);
    CHECK_FALSE(mlgc::Cache::open(diagnostics).usable());
    REQUIRE(messages(diagnostics).size() == 1);
    CHECK(diagnostics.sorted()[0].kind == &mlgc::kCacheNotUsed);
    return messages(diagnostics)[0];
  };
  files::create_directory(folder.file("open"));
  files::permissions(folder.file("open"), files::perms(0755));
  CHECK(why(folder.file("open")) ==
        "the cache `" + folder.file("open") + "` is not used: others than its owner may use it (fix: chmod 700)");
  REQUIRE(mlgc::write_file(folder.file("file"), "").ok());
  CHECK(why(folder.file("file")) == "the cache `" + folder.file("file") + "` is not used: it is not a folder");
  CHECK(why(folder.file("file/below")) == "the cache `" + folder.file("file/below") + "` is not used: Not a directory");
  const Environment off("MLGC_CACHE", "off");
  mlgc::DiagnosticEngine diagnostics(locations);
  const mlgc::Cache cache = mlgc::Cache::open(diagnostics);
  CHECK_FALSE(cache.usable());
  CHECK(messages(diagnostics).empty());
  // Without one, the object goes with whoever asked for it.
  auto unit = mlgc::compile_unit({"f", {{"f.cpp", "int f;\n"}}, {}, ""}, cache, diagnostics);
  REQUIRE(unit.ok());
  CHECK(files::exists(unit->path));
  const std::string path = unit->path;
  unit->folder.reset();
  CHECK_FALSE(files::exists(path));
}

TEST_CASE("the folder of a cache is its user's alone") {
  const OwnCache own;
  struct stat status {};
  REQUIRE(::stat(own.folder.file("cache").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("a full disk costs the cache, not the compilation") {
  OwnCache own;
  const TemporaryFolder elsewhere;
  const std::string object = elsewhere.file("object");
  REQUIRE(mlgc::write_file(object, std::string(100'000, 'x')).ok());
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 50'000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto kept = own.cache.insert({"x", {}}, object, own.diagnostics);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK_FALSE(kept.has_value());
  REQUIRE(messages(own.diagnostics).size() == 1);
  CHECK_THAT(messages(own.diagnostics)[0], EndsWith("File too large"));
  CHECK(own.cache.entries().empty());
  CHECK(files::is_empty(own.folder.file("cache/tmp")));
}

TEST_CASE("a cache that is too large loses what was not used for longest") {
  OwnCache own;
  const std::string object = own.folder.file("object");
  REQUIRE(mlgc::write_file(object, std::string(std::size_t{400} << 10, 'x')).ok());
  const auto key = [](const std::string& name) { return mlgc::CacheKey{name, {{"source", name}}}; };
  const auto age = [&](const std::string& name, int minutes) {
    files::last_write_time(own.folder.file("cache/objects/" + key(name).hash() + "/object"),
                           files::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  const Environment size("MLGC_CACHE_SIZE", "1MiB");
  const mlgc::Cache cache = mlgc::Cache::open(own.diagnostics);
  for (const std::string name : {"a", "b"}) REQUIRE(cache.insert(key(name), object, own.diagnostics));
  age("a", 30);
  age("b", 40);
  CHECK(cache.find(key("b"), own.diagnostics));  // now it was used
  REQUIRE(cache.insert(key("c"), object, own.diagnostics));
  std::string names;
  for (const mlgc::CacheEntry& entry : cache.entries()) names += entry.key.name;
  CHECK(names == "bc");
  // Too large, and all in use.
  REQUIRE(cache.insert(key("d"), object, own.diagnostics));
  CHECK(cache.entries().size() == 3);
  CHECK(messages(own.diagnostics).empty());
}

TEST_CASE("a limit of the cache that is none is said") {
  OwnCache own;
  for (const std::string text : {"1", "1MB", "MiB", "-1MiB", "99999999999999GiB"}) {
    const Environment size("MLGC_CACHE_SIZE", text);
    mlgc::DiagnosticEngine diagnostics{own.locations};
    CHECK_FALSE(mlgc::Cache::open(diagnostics).usable());
    REQUIRE(messages(diagnostics).size() == 1);
    CHECK(messages(diagnostics)[0] == "the cache is not used: MLGC_CACHE_SIZE is `" + text + "`, which is not a size");
    CHECK(diagnostics.sorted()[0].remedy() == "write a number and MiB or GiB, as in MLGC_CACHE_SIZE=512MiB");
  }
}

TEST_CASE("processes that compile the same at once all succeed") {
  OwnCache own;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool right = false;
      {
        const auto unit = own.compile(sample_source());
        right = unit && mlgc::SharedObject::open(unit->path, "mlgc_unit_sample");
      }
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(own.cache.entries().size() == 1);
  CHECK(files::is_empty(own.folder.file("cache/tmp")));
  CHECK(own.compile(sample_source())->cached);
}
