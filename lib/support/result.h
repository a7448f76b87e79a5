// Result<T, E>: a value or an error, never both. Used for everything that bad input can cause; exceptions are kept for
// broken invariants of this program (InternalError), which the driver reports as exit code 70.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace mlgc {

// A broken invariant of this program: never caused by input alone.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

#define MLGC_ASSERT(condition, message)                                                      \
  do {                                                                                       \
    if (!(condition)) throw ::mlgc::InternalError(std::string(__FILE__) + ": " + (message)); \
  } while (false)

// Wraps an error so that Result<T, E> can be built from it even when T and E are the same type.
template <class E>
struct Failure {
  E error;
};
template <class E>
Failure(E) -> Failure<E>;

template <class T, class E = std::string>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  template <class F>
  Result(Failure<F> failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition of value(): ok(); of error(): !ok(). Broken preconditions throw std::bad_variant_access.
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] E& error() & { return std::get<1>(state_); }
  [[nodiscard]] const E& error() const& { return std::get<1>(state_); }
  [[nodiscard]] E&& error() && { return std::get<1>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, E> state_;
};

// A Result without a value.
template <class E = std::string>
class [[nodiscard]] Status {
 public:
  Status() = default;
  template <class F>
  Status(Failure<F> failure) : failed_(true), error_(std::move(failure.error)) {}
  [[nodiscard]] bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const E& error() const { return error_; }

 private:
  bool failed_ = false;
  E error_{};
};

}  // namespace mlgc
