// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "comm/mpi.hpp"
#include "support/rank_test.hpp"

namespace tessera::test {

/// Each test runs on a fresh communicator of every kind: plain, with chunks so small that a short
/// message goes the way of one beyond 2^31 bytes, and a group of all ranks.
class EachCommunicator : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (session().uses_mpi()) {
      const std::string kind = GetParam();
      owned_ = comm::make_mpi(kind == "chunks_1000" ? 1000
                              : kind == "chunks_7"  ? 7
                                                    : comm::default_chunk_bytes);
    } else {
      owned_ = comm::make_self();
    }
    world_ = owned_.get();
    if (GetParam() == "group") {
      std::vector<Rank> everyone(static_cast<std::size_t>(owned_->size()));
      std::iota(everyone.begin(), everyone.end(), 0);
      world_ = &owned_->group(everyone);
    }
  }
  [[nodiscard]] comm::Communicator& world() const { return *world_; }
  [[nodiscard]] Rank rank() const { return world_->rank(); }
  [[nodiscard]] int size() const { return world_->size(); }

 private:
  std::unique_ptr<comm::Communicator> owned_;
  comm::Communicator* world_ = nullptr;
};

inline auto every_kind() { return testing::Values("plain", "chunks_1000", "chunks_7", "group"); }
inline std::string kind_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

/// A value that tells rank and position.
inline std::uint8_t stamp(Rank rank, std::int64_t i) {
  return static_cast<std::uint8_t>(rank * 101 + i * 7 + i / 256);
}
inline std::vector<std::uint8_t> stamped(Rank rank, std::int64_t bytes) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(bytes));
  for (std::int64_t i = 0; i < bytes; ++i) result[static_cast<std::size_t>(i)] = stamp(rank, i);
  return result;
}

}  // namespace tessera::test
