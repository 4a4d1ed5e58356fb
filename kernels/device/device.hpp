// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tessera::device {

/// Where kernels run. Both live in one program; `cuda` exists only in builds with CUDA.
enum class Backend { host, cuda };

/// A queue of work on one backend: launches and copies on it happen in order. A light handle:
/// copying it gives another name for the same queue. Host streams are synchronous.
struct Stream {
  Backend backend = Backend::host;
  void* native = nullptr;  ///< cudaStream_t, null for Kokkos' own; null for the host
};

/// Waits until everything launched on the stream is done; throws an Error naming a failed launch.
void fence(const Stream& stream);

/// Kinds of memory. `pinned` is host memory that a GPU copies from at full speed.
enum class Space { host, pinned, device };

/// An owned block of memory, aligned to 256 bytes. Move-only.
class Memory {
 public:
  Memory() = default;
  /// Throws Error(does_not_fit) when there is not enough.
  Memory(Space space, std::int64_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] Space space() const { return space_; }

 private:
  Space space_ = Space::host;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Copies bytes between any two spaces, in order on the stream.
void copy(const Stream& stream, void* to, const void* from, std::int64_t bytes);

/// Calls `work(i)` for 0 <= i < n on the host's threads and waits: for host-only code, which has no
/// Kokkos. Worth it where each call takes microseconds or more.
void on_host_threads(std::int64_t n, const std::function<void(std::int64_t)>& work);

/// Starts the kernel runtime of this process with a number of host threads (0: as many as the
/// process may use) and ends it when destroyed. One per process.
class Runtime {
 public:
  explicit Runtime(int threads = 0);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] int threads() const;
  [[nodiscard]] Stream stream(Backend backend) const;
};

/// Where the data of a backend's kernels belong: a discrete GPU's own memory; on an integrated one
/// pinned memory, which the host reaches too, so that nothing has to be copied.
[[nodiscard]] Space arena_space(Backend backend);
/// The host's memory that is copied to and from the kernels' at full speed.
[[nodiscard]] Space staging_space(Backend backend);
/// Bytes that can be allocated in this process' GPU now; 0 for the host's backend.
[[nodiscard]] std::int64_t free_device_bytes(Backend backend);
/// GPUs that this process sees; 0 for the host's backend.
[[nodiscard]] int device_count(Backend backend);

/// "host" or "cuda"; throws Error(usage) for one that isn't built in.
[[nodiscard]] Backend backend_named(const std::string& name);
/// "OpenMP, 2 threads" or "CUDA, NVIDIA H200"; and the backends that are built in.
[[nodiscard]] std::string describe(Backend backend);
[[nodiscard]] std::string built_in_backends();
/// The version of Kokkos that the program was built with: "3.4.1".
[[nodiscard]] std::string kokkos_version();

}  // namespace tessera::device
