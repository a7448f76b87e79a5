// See shared_object.h.
#include "artifact/shared_object.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "diag/kinds_artifact.h"

namespace mlgc {
namespace {

Failure<Diagnostic> cannot_load(const std::string& name, const std::string& what) {
  return Failure{diagnose<kCannotLoadModel>({}, name, what)};
}

}  // namespace

std::string loader_text() {
  const char* const text = ::dlerror();
  return text != nullptr ? text : "no reason is given";
}

Result<SharedObject, Diagnostic> SharedObject::open(const std::string& path, const std::string& symbol) {
  SharedObject object;
  // A name without a slash would be looked for in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return cannot_load(path, loader_text());
  object.handle_ = std::shared_ptr<void>(handle, [](void* h) { ::dlclose(h); });
  const auto unit = reinterpret_cast<const mlgc_unit* (*)()>(::dlsym(handle, symbol.c_str()));
  if (unit == nullptr) return cannot_load(path, loader_text());
#define MLGC_FIND(name)                                                                            \
  object.abi_.name = reinterpret_cast<decltype(object.abi_.name)>(::dlsym(handle, "mlgc_" #name)); \
  if (object.abi_.name == nullptr) return cannot_load(path, loader_text());
  MLGC_ABI_FUNCTIONS(MLGC_FIND)
#undef MLGC_FIND
  object.unit_ = unit();
  return object;
}

Result<SharedObject, Diagnostic> SharedObject::open(const SharedBytes& code, const std::string& name,
                                                    const std::string& symbol) {
  // The descriptor stays open as long as the object: the loader knows objects by their path, and the number of a
  // descriptor that is closed names the next one.
  const int descriptor = ::memfd_create("mlgc-model", MFD_CLOEXEC);
  if (descriptor < 0) return cannot_load(name, std::strerror(errno));
  const std::shared_ptr<void> closer(nullptr, [descriptor](void*) { ::close(descriptor); });
  std::span<const std::byte> rest = code.bytes;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return cannot_load(name, std::strerror(errno));
    rest = rest.subspan(static_cast<std::size_t>(written));
  }
  Result<SharedObject, Diagnostic> object = open("/proc/self/fd/" + std::to_string(descriptor), symbol);
  if (!object) return cannot_load(name, object.error().message());
  // The object is destroyed first, then its descriptor.
  object->handle_ = std::shared_ptr<void>(object->handle_.get(),
                                          [closer, loaded = object->handle_](void*) mutable { loaded.reset(); });
  return object;
}

}  // namespace mlgc
