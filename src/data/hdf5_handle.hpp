// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

namespace tessera::data {

/// Owns one HDF5 identifier. The destructor releases it and can't report a failure: whatever was
/// written to is closed by an explicit, checked `h5::close` instead.
class Handle {
 public:
  using Closer = int (*)(std::int64_t id);

  Handle() = default;
  Handle(std::int64_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), closer_(std::exchange(other.closer_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      (void)close();
      id_ = std::exchange(other.id_, -1);
      closer_ = std::exchange(other.closer_, nullptr);
    }
    return *this;
  }
  ~Handle() { (void)close(); }

  [[nodiscard]] std::int64_t id() const { return id_; }
  [[nodiscard]] bool is_open() const { return id_ >= 0; }
  /// Gives the identifier back; negative when HDF5 reports a failure. Closing twice does nothing.
  [[nodiscard]] int close() {
    const std::int64_t id = std::exchange(id_, -1);
    return id >= 0 && closer_ != nullptr ? closer_(id) : 0;
  }

 private:
  std::int64_t id_ = -1;
  Closer closer_ = nullptr;
};

}  // namespace tessera::data
