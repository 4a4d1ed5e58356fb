// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/arena.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace tessera::plan {

namespace {

constexpr std::int64_t alignment = 256;
/// Beyond this many, only the order that needs no quadratic time is tried.
constexpr std::size_t many_buffers = 2000;

std::int64_t rounded(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool touches(const ops::Action& action, ops::Side side) {
  const ops::Side own = ops::side_of(action);
  return side == ops::Side::both || own == ops::Side::both || own == side;
}

void mark(const ops::Action& action, int number, ops::Side side, std::vector<Buffer>& buffers) {
  for (const ops::Action& inner : action.body) mark(inner, number, side, buffers);
  if (!touches(action, side)) return;
  const auto touch = [&](BufferId id) {
    Buffer& buffer = buffers.at(static_cast<std::size_t>(id.value));
    if (buffer.first < 0) buffer.first = number;
    buffer.last = std::max(buffer.last, number);
  };
  for (const BufferId id : action.reads) touch(id);
  for (const BufferId id : action.writes) touch(id);
}

bool alive_together(const Buffer& a, const Buffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The lowest offset at which the buffer fits between the placed ones that are alive with it.
std::int64_t lowest_gap(const std::vector<Buffer>& buffers, const std::vector<std::size_t>& placed,
                        const Buffer& wanted) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const std::size_t i : placed) {
    if (alive_together(buffers[i], wanted)) {
      taken.emplace_back(buffers[i].offset, buffers[i].offset + rounded(buffers[i].bytes));
    }
  }
  std::sort(taken.begin(), taken.end());
  std::int64_t offset = 0;
  for (const auto& [begin, end] : taken) {
    if (offset + rounded(wanted.bytes) <= begin) break;
    offset = std::max(offset, end);
  }
  return offset;
}

/// `by_start`: the order ascends in the first use, so that what has ended can be forgotten.
std::int64_t place_in_order(std::vector<Buffer>& buffers, const std::vector<std::size_t>& order,
                            bool by_start) {
  std::int64_t size = 0;
  std::vector<std::size_t> placed;
  for (const std::size_t i : order) {
    if (by_start) {
      std::erase_if(placed, [&](std::size_t j) { return buffers[j].last < buffers[i].first; });
    }
    buffers[i].offset = lowest_gap(buffers, placed, buffers[i]);
    size = std::max(size, buffers[i].offset + rounded(buffers[i].bytes));
    placed.push_back(i);
  }
  return size;
}

}  // namespace

void find_lifetimes(const std::vector<const std::vector<ops::Action>*>& phases,
                    std::vector<Buffer>& buffers, ops::Side side) {
  int number = 0;
  for (const auto* phase : phases) {
    for (const ops::Action& action : *phase) mark(action, number++, side, buffers);
  }
}

std::int64_t place_buffers(std::vector<Buffer>& buffers) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].first >= 0 && buffers[i].bytes > 0) used.push_back(i);
  }
  using Order = std::function<bool(const Buffer&, const Buffer&)>;
  const auto area = [](const Buffer& b) {
    return static_cast<double>(b.bytes) * (b.last - b.first + 1);
  };
  const std::vector<Order> orders = {
      [](const Buffer& a, const Buffer& b) { return a.first < b.first; },
      [](const Buffer& a, const Buffer& b) { return a.bytes > b.bytes; },
      [](const Buffer& a, const Buffer& b) { return a.last - a.first > b.last - b.first; },
      [&](const Buffer& a, const Buffer& b) { return area(a) > area(b); }};
  const std::int64_t bound = live_bytes_bound(buffers);
  std::vector<Buffer> best = buffers;
  std::int64_t best_size = -1;
  for (std::size_t which = 0; which < orders.size(); ++which) {
    const Order& order = orders[which];
    std::vector<Buffer> trial = buffers;
    std::vector<std::size_t> sequence = used;
    std::stable_sort(sequence.begin(), sequence.end(),
                     [&](std::size_t a, std::size_t b) { return order(buffers[a], buffers[b]); });
    const std::int64_t size = place_in_order(trial, sequence, which == 0);
    if (best_size < 0 || size < best_size) {
      best_size = size;
      best = std::move(trial);
    }
    if (best_size == bound || used.size() > many_buffers) break;
  }
  buffers = std::move(best);
  return std::max<std::int64_t>(best_size, 0);
}

void verify_placement(const std::vector<Buffer>& buffers, std::int64_t arena_bytes) {
  std::vector<const Buffer*> used;
  for (const Buffer& buffer : buffers) {
    if (buffer.first >= 0 && buffer.bytes > 0) used.push_back(&buffer);
  }
  std::sort(used.begin(), used.end(), [](auto* a, auto* b) { return a->first < b->first; });
  std::set<std::pair<std::int64_t, const Buffer*>> live;  // ordered by offset
  std::vector<const Buffer*> by_end = used;
  std::sort(by_end.begin(), by_end.end(), [](auto* a, auto* b) { return a->last < b->last; });
  std::size_t ended = 0;
  for (const Buffer* buffer : used) {
    require(buffer->offset >= 0 && buffer->offset + buffer->bytes <= arena_bytes,
            "every buffer lies inside the arena");
    for (; ended < by_end.size() && by_end[ended]->last < buffer->first; ++ended) {
      live.erase({by_end[ended]->offset, by_end[ended]});
    }
    const auto next = live.insert({buffer->offset, buffer}).first;
    const auto disjoint = [](const Buffer* low, const Buffer* high) {
      return low->offset + low->bytes <= high->offset;
    };
    const bool after = next == live.begin() || disjoint(std::prev(next)->second, buffer);
    const bool before = std::next(next) == live.end() || disjoint(buffer, std::next(next)->second);
    require(after && before, "buffers alive at the same time don't overlap");
  }
}

std::int64_t live_bytes_bound(const std::vector<Buffer>& buffers) {
  std::vector<std::pair<int, std::int64_t>> changes;
  for (const Buffer& buffer : buffers) {
    if (buffer.first < 0) continue;
    changes.emplace_back(buffer.first, rounded(buffer.bytes));
    changes.emplace_back(buffer.last + 1, -rounded(buffer.bytes));
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (const auto& [when, bytes] : changes) {
    live += bytes;
    most = std::max(most, live);
  }
  return most;
}

}  // namespace tessera::plan
