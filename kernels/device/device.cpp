// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "device/kokkos.hpp"

namespace tessera::device {

namespace {

constexpr std::size_t alignment =
    256;  // a multiple of cache lines and of a GPU's memory transactions

[[noreturn]] void refuse(Space space, std::int64_t bytes) {
  const char* kind = space == Space::device ? "device" : space == Space::pinned ? "pinned" : "host";
  throw Error(ErrorKind::does_not_fit,
              "can't allocate " + std::to_string(bytes) + " bytes of " + kind + " memory");
}

/// Large blocks ask for huge pages: measured on Zen 4, sweeps and copies run 15 to 30 % faster
/// (fewer misses of the address cache) and first use 4 times (fewer faults). Systems that always or
/// never give them take no notice.
std::byte* allocate_host(std::int64_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const bool large = static_cast<std::size_t>(bytes) >= 4 * huge_page;
  const std::size_t unit = large ? huge_page : alignment;
  const std::size_t rounded = (static_cast<std::size_t>(bytes) + unit - 1) / unit * unit;
  void* data = std::aligned_alloc(unit, rounded);
  if (data == nullptr) refuse(Space::host, bytes);
#ifdef MADV_HUGEPAGE
  if (large) (void)madvise(data, rounded, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte*>(data);
}

std::byte* allocate(Space space, std::int64_t bytes) {
  if (space == Space::host) return allocate_host(bytes);
#ifdef KOKKOS_ENABLE_CUDA
  void* data = nullptr;
  const cudaError_t result =
      space == Space::device ? cudaMalloc(&data, bytes) : cudaMallocHost(&data, bytes);
  if (result == cudaErrorMemoryAllocation) refuse(space, bytes);
  if (result != cudaSuccess) {
    throw Error(ErrorKind::does_not_fit,
                std::string("allocating GPU memory: ") + cudaGetErrorString(result));
  }
  return static_cast<std::byte*>(data);
#else
  refuse(space, bytes);
#endif
}

void release(Space space, std::byte* data) {
  if (data == nullptr) return;
  if (space == Space::host) {
    std::free(data);
    return;
  }
#ifdef KOKKOS_ENABLE_CUDA
  if (space == Space::device)
    cudaFree(data);
  else
    cudaFreeHost(data);
#endif
}

#ifdef KOKKOS_ENABLE_CUDA
void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) {
    throw Error(ErrorKind::internal, std::string(what) + ": " + cudaGetErrorString(result));
  }
}

cudaStream_t native(const Stream& stream) {
  return stream.native != nullptr ? static_cast<cudaStream_t>(stream.native)
                                  : Kokkos::Cuda().cuda_stream();
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the GPU in use");
  return device;
}

/// Kokkos ends a process that has its CUDA backend but no GPU, without saying what to do.
void require_gpu() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count > 0) return;
  throw Error(ErrorKind::usage, "this build has the backend cuda, but no GPU can be used here")
      .found(result == cudaSuccess ? "no GPU" : cudaGetErrorString(result))
      .advice("start it where a GPU is visible, or use a build without CUDA");
}
#endif

}  // namespace

Memory::Memory(Space space, std::int64_t bytes) : space_(space), bytes_(bytes) {
  if (bytes > 0) data_ = allocate(space, bytes);
}

Memory::~Memory() { release(space_, data_); }

Memory::Memory(Memory&& other) noexcept
    : space_(other.space_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  if (this != &other) {
    release(space_, data_);
    space_ = other.space_;
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void fence(const Stream& stream) {
#ifdef KOKKOS_ENABLE_CUDA
  if (stream.backend == Backend::cuda) {
    check(cudaGetLastError(), "launching on the GPU");
    check(cudaStreamSynchronize(native(stream)), "waiting for the GPU");
  }
#endif
  (void)stream;
}

void copy(const Stream& stream, void* to, const void* from, std::int64_t bytes) {
  if (bytes <= 0) return;
#ifdef KOKKOS_ENABLE_CUDA
  if (stream.backend == Backend::cuda) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native(stream)),
          "copying to or from the GPU");
    return;
  }
#endif
  (void)stream;
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void on_host_threads(std::int64_t n, const std::function<void(std::int64_t)>& work) {
  const auto* call = &work;
  Kokkos::parallel_for("tessera::on_host_threads", kernels::range(kernels::HostSpace(), n),
                       [call](const std::int64_t i) { (*call)(i); });
  kernels::HostSpace().fence();
}

Runtime::Runtime(int threads) {
#ifdef KOKKOS_ENABLE_CUDA
  require_gpu();
#endif
  kernels::initialize(threads);
}

Runtime::~Runtime() { Kokkos::finalize(); }

int Runtime::threads() const { return kernels::HostSpace().concurrency(); }

Stream Runtime::stream(Backend backend) const {
#ifdef KOKKOS_ENABLE_CUDA
  if (backend == Backend::cuda) return {backend, Kokkos::Cuda().cuda_stream()};
#endif
  return {backend, nullptr};
}

Space arena_space(Backend backend) {
  if (backend == Backend::host) return Space::host;
#ifdef KOKKOS_ENABLE_CUDA
  int integrated = 0;  // where no GPU is in sight, as for planning: discrete
  if (device_count(backend) > 0) {
    check(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, current_device()),
          "asking for the kind of GPU");
  }
  if (integrated != 0) return Space::pinned;
#endif
  return Space::device;
}

Space staging_space(Backend backend) {
  return backend == Backend::cuda ? Space::pinned : Space::host;
}

std::int64_t free_device_bytes(Backend backend) {
#ifdef KOKKOS_ENABLE_CUDA
  if (backend == Backend::cuda) {
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all), "asking for free GPU memory");
    return static_cast<std::int64_t>(free);
  }
#endif
  (void)backend;
  return 0;
}

int device_count(Backend backend) {
#ifdef KOKKOS_ENABLE_CUDA
  int count = 0;
  if (backend == Backend::cuda && cudaGetDeviceCount(&count) == cudaSuccess) return count;
#endif
  (void)backend;
  return 0;
}

Backend backend_named(const std::string& name) {
  if (name == "host") return Backend::host;
#ifdef KOKKOS_ENABLE_CUDA
  if (name == "cuda") return Backend::cuda;
#endif
  throw Error(ErrorKind::usage, "this build has no such backend")
      .expected(built_in_backends())
      .found(name)
      .advice("build with the preset cuda to compute on GPUs");
}

std::string describe(Backend backend) {
  if (backend == Backend::host) {
    return std::string(kernels::HostSpace::name()) + ", " +
           std::to_string(kernels::HostSpace().concurrency()) + " threads";
  }
#ifdef KOKKOS_ENABLE_CUDA
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, current_device()), "asking for the GPU's name");
  return std::string("CUDA, ") + properties.name;
#else
  return "CUDA is not built in";
#endif
}

std::string built_in_backends() {
#ifdef KOKKOS_ENABLE_CUDA
  return std::string("host (") + kernels::HostSpace::name() + "), cuda";
#else
  return std::string("host (") + kernels::HostSpace::name() + ")";
#endif
}

std::string kokkos_version() {
  constexpr int version = KOKKOS_VERSION;
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace tessera::device
