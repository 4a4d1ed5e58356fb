// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/copies.hpp"

#include <algorithm>
#include <utility>

namespace tessera::plan {

namespace {

using ops::Action;
using ops::ActionKind;
using ops::Side;

/// On which sides a buffer's present contents lie; on neither before anything was written.
struct Held {
  bool host = false;
  bool device = false;

  [[nodiscard]] bool on(Side side) const { return side == Side::host ? host : device; }
  [[nodiscard]] bool any() const { return host || device; }
  bool operator==(const Held&) const = default;
};

using State = std::vector<Held>;  ///< indexed by BufferId

bool is_exchange_of_pieces(const Action& action) {
  return !action.sends.empty() || !action.receives.empty();
}

class Inserter {
 public:
  explicit Inserter(Plan& plan) : plan_(plan), state_(plan.buffers.size()) {}

  void run() {
    plan_.prologue = rewritten(plan_.prologue);
    if (plan_.batched && plan_.items > 1) {
      Action items;
      items.body = std::move(plan_.actions);
      plan_.actions = turns(items, plan_.prologue);
    } else {
      plan_.actions = rewritten(plan_.actions);
    }
    plan_.epilogue = rewritten(plan_.epilogue);
  }

 private:
  std::vector<Action> rewritten(const std::vector<Action>& actions) {
    std::vector<Action> out;
    for (const Action& action : actions) {
      if (action.kind == ActionKind::loop) {
        Action loop = action;
        if (loop.until.valid()) need(loop.until, Side::host, loop.step, out);
        loop.body = turns(loop, out);
        out.push_back(std::move(loop));
      } else {
        add(action, out);
      }
    }
    return out;
  }

  /// A body that runs several times. Its turns must find every buffer where the turn before left
  /// it, so the first turn's are brought there, in `before`. That holds after two passes: a body
  /// either writes a buffer, and then leaves it on the same sides always, or adds sides to it.
  std::vector<Action> turns(const Action& loop, std::vector<Action>& before) {
    const State entry = state_;
    State head = entry;
    for (bool settled = false; !settled;) {
      state_ = head;
      (void)turn_of(loop);
      settled = true;
      for (std::size_t b = 0; b < head.size(); ++b) {
        if (!entry[b].any() || state_[b] == head[b]) continue;
        head[b] = state_[b];
        settled = false;
      }
    }
    state_ = entry;
    for (std::size_t b = 0; b < head.size(); ++b) {
      const BufferId id{static_cast<std::int32_t>(b)};
      if (head[b].host) need(id, Side::host, StepId{}, before);
      if (head[b].device) need(id, Side::device, StepId{}, before);
    }
    state_ = head;
    return turn_of(loop);
  }

  /// One turn; the host looks at the loop's flag after it.
  std::vector<Action> turn_of(const Action& loop) {
    std::vector<Action> out = rewritten(loop.body);
    if (loop.until.valid()) need(loop.until, Side::host, loop.step, out);
    return out;
  }

  void add(const Action& action, std::vector<Action>& out) {
    const Side side = side_of(action);
    if (is_exchange_of_pieces(action)) {
      if (action.kind == ActionKind::exchange) fetch(action, out);
      out.push_back(action);
      if (action.kind == ActionKind::wait) deliver(action, out);
      return;
    }
    for (const BufferId id : action.reads) need(id, side, action.step, out);
    // An action may write a part of a buffer only, so the rest has to be there.
    for (const BufferId id : action.writes) need(id, side, action.step, out);
    out.push_back(action);
    for (const BufferId id : action.writes) {
      at(id) = side == Side::host ? Held{true, false} : Held{false, true};
    }
  }

  void need(BufferId id, Side side, StepId step, std::vector<Action>& out) {
    Held& held = at(id);
    if (!held.any() || held.on(side)) return;
    const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(id.value)];
    const ActionKind kind = side == Side::device ? ActionKind::upload : ActionKind::download;
    if (buffer.bytes > 0) {
      out.push_back(copy(kind, step, buffer.label, {{0, id, 0, buffer.bytes}}));
    }
    held = {true, true};
  }

  /// The pieces of messages come from the host's copies.
  void fetch(const Action& action, std::vector<Action>& out) {
    std::vector<ops::Piece> pieces;
    for (const ops::Piece& piece : action.sends) {
      const bool fetched = std::any_of(pieces.begin(), pieces.end(), [&](const ops::Piece& other) {
        return other.buffer == piece.buffer && other.offset == piece.offset &&
               other.bytes == piece.bytes;
      });
      if (piece.bytes > 0 && !at(piece.buffer).host && !fetched) pieces.push_back(piece);
    }
    if (!pieces.empty())
      out.push_back(copy(ActionKind::download, action.step, action.label, std::move(pieces)));
  }

  void deliver(const Action& action, std::vector<Action>& out) {
    std::vector<ops::Piece> pieces;
    for (const ops::Piece& piece : action.receives) {
      const Held held = at(piece.buffer);
      const bool host_only = held.host && !held.device;
      if (piece.bytes > 0 && !host_only) pieces.push_back(piece);
    }
    for (const ops::Piece& piece : pieces) {
      Held& held = at(piece.buffer);
      held = {held.host, true};
    }
    if (!pieces.empty())
      out.push_back(copy(ActionKind::upload, action.step, action.label, std::move(pieces)));
  }

  [[nodiscard]] Action copy(ActionKind kind, StepId step, std::string label,
                            std::vector<ops::Piece> pieces) const {
    Action action;
    action.kind = kind;
    action.step = step;
    action.label = std::move(label);
    for (const ops::Piece& piece : pieces) {
      action.bytes += static_cast<double>(piece.bytes);
      action.reads.push_back(piece.buffer);
    }
    action.writes = action.reads;
    action.seconds = action.bytes / plan_.options.machine.upload_bytes_per_second;
    action.copies = std::move(pieces);
    return action;
  }

  Held& at(BufferId id) { return state_.at(static_cast<std::size_t>(id.value)); }

  Plan& plan_;
  State state_;
};

}  // namespace

void insert_copies(Plan& plan) { Inserter(plan).run(); }

}  // namespace tessera::plan
