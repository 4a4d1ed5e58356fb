// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "comm/communicator.hpp"

namespace tessera::comm {

/// Messages from a rank to itself: `put` keeps a copy, so a send never waits for its receive.
class Mailbox {
 public:
  void put(const void* data, std::int64_t bytes, int tag) {
    const auto* first = static_cast<const std::byte*>(data);
    waiting_[tag].emplace_back(first, first + bytes);
  }
  void take(void* data, std::int64_t bytes, int tag) {
    std::deque<std::vector<std::byte>>& messages = waiting_[tag];
    require(!messages.empty(), "a rank receives from itself what it has sent before");
    require(static_cast<std::int64_t>(messages.front().size()) == bytes,
            "a message is received with the size it was sent with");
    if (bytes > 0) std::memcpy(data, messages.front().data(), messages.front().size());
    messages.pop_front();
  }

 private:
  std::map<int, std::deque<std::vector<std::byte>>> waiting_;
};

/// Copies the messages that `self` sends to itself, in order; those of other peers are left alone.
inline void copy_own(std::span<const Message> sends, std::span<const Message> receives, Rank self) {
  const auto next = [self](std::span<const Message> list, std::size_t from) {
    while (from < list.size() && (list[from].peer != self || list[from].bytes == 0)) ++from;
    return from;
  };
  std::size_t s = next(sends, 0);
  std::size_t r = next(receives, 0);
  for (; s < sends.size() && r < receives.size();
       s = next(sends, s + 1), r = next(receives, r + 1)) {
    require(sends[s].bytes == receives[r].bytes,
            "a message is received with the size it was sent with");
    std::memmove(receives[r].data, sends[s].data, static_cast<std::size_t>(sends[s].bytes));
  }
  require(s >= sends.size() && r >= receives.size(),
          "each message to oneself is sent and received");
}

}  // namespace tessera::comm
