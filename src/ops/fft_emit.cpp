// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>

#include "ops/fft_common.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

using kernels::FftKind;
using kernels::FftPlan;
using layout::Layout;

/// The factors of one kind of line, in a buffer of their own.
struct Factors {
  std::shared_ptr<const FftPlan> plan;
  BufferId buffer;
};

/// One axis transformed from one tensor into another, or in place.
struct Move {
  FftAxis axis;
  Factors factors;
  Placed from;
  Placed to;
  double scale = 1;
};

/// A box that travels: straight from or into a tensor where it lies there in one piece, else
/// packed.
struct Parcel {
  Rank peer = 0;
  Box box;
  std::int64_t offset = 0;
  bool packed = false;
};

bool in_one_piece(const Box& part, const Box& tile) {
  int axis = tile.axes() - 1;
  while (axis >= 0 && part.extent[axis] == tile.extent[axis]) --axis;
  for (--axis; axis >= 0; --axis) {
    if (part.extent[axis] != 1) return false;
  }
  return true;
}

std::int64_t byte_offset(const Box& part, const Box& tile, DType dtype) {
  const Strides strides = row_major_strides(tile.extent);
  std::int64_t elements = 0;
  for (int axis = 0; axis < tile.axes(); ++axis) {
    elements += (part.origin[axis] - tile.origin[axis]) * strides[axis];
  }
  return elements * size_of(dtype);
}

/// The part of a box along one axis when it is cut into `chunks`.
Box chunk_of(Box box, int axis, int chunks, int chunk) {
  const std::int64_t extent = box.extent[axis];
  const std::int64_t begin = layout::balanced_begin(extent, chunks, chunk);
  box.origin[axis] += begin;
  box.extent[axis] = layout::balanced_begin(extent, chunks, chunk + 1) - begin;
  return box;
}

class FftEmission {
 public:
  FftEmission(const FftProblem& problem, const Step& step, Emitter& emitter)
      : problem_(problem),
        step_(step),
        emitter_(emitter),
        route_(decode_fft_route(step.choice.details, problem.in_shape.size())) {}

  void emit() {
    for (const FftAxis& axis : problem_.axes) prepare(axis);
    work_ = emitter_.scratch("FFT work", work_bytes());
    Placed current = step_.inputs[0];
    for (std::size_t i = 0; i < route_.size(); ++i) {
      const std::vector<Move> moves = moves_of(i, current);
      current = moves.back().to;
      if (i + 1 == route_.size()) {
        for (const Move& move : moves) launch(move, whole(move.from), "");
        return;
      }
      const Placed next = inner_tensor(i + 1);
      exchange(moves, current, next);
      current = next;
    }
  }

 private:
  [[nodiscard]] Box whole(const Placed& placed) const { return placed.layout.box(emitter_.rank()); }

  /// The table for one axis, filled by the first action that needs it.
  void prepare(const FftAxis& axis) {
    const auto key = std::make_pair(axis.length, axis.kind);
    if (factors_.count(key) > 0) return;
    auto plan = std::make_shared<const FftPlan>(kernels::make_fft_plan(axis.length, axis.kind));
    const DType real = real_of(problem_.inner_type());
    const std::int64_t bytes = busy() ? kernels::fft_table_bytes(*plan, real) : 0;
    const BufferId table = emitter_.scratch("twiddles " + std::to_string(axis.length), bytes);
    factors_[key] = {plan, table};
    if (bytes == 0) return;
    emitter_.launch({"twiddles " + std::to_string(axis.length),
                     {},
                     {table},
                     static_cast<double>(bytes),
                     0,
                     [plan, real, table](RunContext& context) {
                       kernels::fill_fft_table(context.stream(), *plan, real, context.data(table));
                     }});
  }

  /// Whether this rank transforms anything at all.
  [[nodiscard]] bool busy() const {
    return std::any_of(route_.begin(), route_.end(), [&](const FftStage& stage) {
      return !layout_of(stage, problem_.inner_shape()).box(emitter_.rank()).empty();
    });
  }

  [[nodiscard]] Layout layout_of(const FftStage& stage, const Shape& shape) const {
    if (stage.single) return Layout::single(shape, emitter_.ranks());
    return {shape, stage.splits, emitter_.ranks()};
  }

  [[nodiscard]] std::int64_t lines(const FftStage& stage, int axis) const {
    const std::int64_t local =
        layout_of(stage, problem_.inner_shape()).local_elements(emitter_.rank());
    return local / std::max<std::int64_t>(1, problem_.inner_shape()[axis]);
  }

  /// One scratch serves all transforms of the step, one after another.
  [[nodiscard]] std::int64_t work_bytes() const {
    std::int64_t most = 0;
    for (const FftStage& stage : route_) {
      for (const int axis : stage.axes) {
        const FftAxis& entry = find(axis);
        const FftPlan& plan = *factors_.at({entry.length, entry.kind}).plan;
        most = std::max(most, kernels::fft_scratch_bytes(plan, real_of(problem_.inner_type()),
                                                         lines(stage, axis), emitter_.backend(),
                                                         emitter_.threads()));
      }
    }
    return most;
  }

  [[nodiscard]] const FftAxis& find(int axis) const {
    return *std::find_if(problem_.axes.begin(), problem_.axes.end(),
                         [axis](const FftAxis& entry) { return entry.axis == axis; });
  }

  /// A tensor of the inner shape in the layout of a stage: the output itself where it has that
  /// shape.
  Placed inner_tensor(std::size_t stage) {
    const bool last = stage + 1 == route_.size();
    if (last && problem_.variant != FftVariant::irfft) return step_.outputs[0];
    return emitter_.scratch("stage " + std::to_string(stage + 1), problem_.inner_type(),
                            layout_of(route_[stage], problem_.inner_shape()));
  }

  /// The transforms of a stage, from where the tensor lies. The step's input stays as it is unless
  /// it is the output as well.
  std::vector<Move> moves_of(std::size_t stage, Placed current) {
    std::vector<Move> moves;
    for (const int axis : route_[stage].axes) {
      Move move{find(axis), {}, current, current};
      move.factors = factors_.at({move.axis.length, move.axis.kind});
      const bool final = stage + 1 == route_.size() && axis == route_[stage].axes.back();
      if (final) {
        move.to = step_.outputs[0];
        move.scale = problem_.scale;
      } else if (current.buffer == step_.inputs[0].buffer &&
                 current.buffer != step_.outputs[0].buffer) {
        move.to = inner_tensor(stage);
      }
      current = move.to;
      moves.push_back(std::move(move));
    }
    return moves;
  }

  /// Transforms the lines in `box` (of the source tensor; the target's has another extent along the
  /// axis when that is halved).
  void launch(const Move& move, const Box& box, const std::string& suffix) {
    if (box.empty()) return;
    const int axis = move.axis.axis;
    Box target = box;
    target.extent[axis] = move.to.layout.shape()[axis];
    const std::int64_t count = box.elements() / box.extent[axis];
    const auto bytes = static_cast<double>(box.elements() * size_of(move.from.dtype) +
                                           target.elements() * size_of(move.to.dtype));
    kernels::FftJob job;
    job.axis = axis;
    job.inverse = is_inverse(problem_.variant);
    job.scale = move.scale;
    job.threads = emitter_.threads();
    const BufferId work = work_;
    const BufferId table = move.factors.buffer;
    emitter_.launch({"transform axis " + std::to_string(axis) + suffix,
                     {move.from.buffer, table},
                     {move.to.buffer, work},
                     bytes,
                     kernels::fft_flops(*move.factors.plan, count),
                     [move, box, target, job, work, table](RunContext& context) {
                       kernels::FftJob own = job;
                       own.table = context.data(table);
                       own.scratch = context.data(work);
                       kernels::fft(context.stream(), *move.factors.plan, own,
                                    context.tile(move.from).sub(box),
                                    context.tile(move.to).sub(target));
                     }});
  }

  /// Axis that is cut before the exchange and whole after it.
  [[nodiscard]] static int freed_axis(const Placed& from, const Placed& to) {
    for (int axis = 0; axis < from.layout.shape().size(); ++axis) {
      if (from.layout.splits()[axis].parts > 1 && to.layout.splits()[axis].parts == 1) return axis;
    }
    return -1;
  }

  /// Does the moves of a stage and brings the result into the next layout:
  ///
  ///     rank 0  [ a a | b b ]        [ a a ]      chunks of a rank's rows (here two) are
  ///     transformed one
  ///             [ a a | b b ]   ->   [ a a ]      after another; a chunk travels while the next
  ///             one is
  ///     rank 1  [ c c | d d ]        [ c c ]      computed. Rank 0 then holds a over c, rank 1 b
  ///     over d.
  ///             [ c c | d d ]        [ c c ]
  void exchange(const std::vector<Move>& moves, const Placed& from, const Placed& to) {
    constexpr std::int64_t chunk_bytes = std::int64_t{1}
                                         << 20;  // below, latency outweighs the overlap
    constexpr std::int64_t most_chunks = 4;
    const int axis = freed_axis(from, to);
    const std::int64_t bytes = from.layout.max_local_elements() * size_of(from.dtype);
    const int chunks =
        static_cast<int>(std::clamp<std::int64_t>(bytes / chunk_bytes, 1, most_chunks));
    if (emitter_.ranks() == 1 || axis < 0 || chunks == 1) {
      for (const Move& move : moves) launch(move, whole(move.from), "");
      emitter_.redistribute(from, to, "exchange");
      return;
    }
    std::vector<ExchangeId> under_way;
    std::vector<std::vector<Parcel>> arriving;
    std::vector<BufferId> arrivals;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const std::string name = " chunk " + std::to_string(chunk + 1) + "/" + std::to_string(chunks);
      for (const Move& move : moves)
        launch(move, chunk_of(whole(move.from), axis, chunks, chunk), name);
      const Box mine = chunk_of(whole(from), axis, chunks, chunk);
      std::vector<Parcel> leaving;
      std::vector<Parcel> coming;
      for (Rank peer = 0; peer < emitter_.ranks(); ++peer) {
        if (peer == emitter_.rank()) continue;
        leaving.push_back({peer, intersect(mine, to.layout.box(peer))});
        coming.push_back(
            {peer, intersect(chunk_of(from.layout.box(peer), axis, chunks, chunk), whole(to))});
      }
      const BufferId sent = place(leaving, from, "send" + name);
      const BufferId received = place(coming, to, "receive" + name);
      pack(leaving, from, sent, "pack" + name);
      under_way.push_back(emitter_.start("exchange" + name, pieces(leaving, from, sent),
                                         pieces(coming, to, received)));
      keep(from, to, intersect(mine, whole(to)), "copy" + name);
      arriving.push_back(std::move(coming));
      arrivals.push_back(received);
    }
    for (int chunk = 0; chunk < chunks; ++chunk) {
      emitter_.finish(under_way[chunk]);
      unpack(arriving[chunk], to, arrivals[chunk], "unpack chunk " + std::to_string(chunk + 1));
    }
  }

  /// Drops empty parcels, finds the offsets of the others, and makes the buffer for those that are
  /// packed.
  BufferId place(std::vector<Parcel>& parcels, const Placed& placed, const std::string& label) {
    parcels.erase(std::remove_if(parcels.begin(), parcels.end(),
                                 [](const Parcel& p) { return p.box.empty(); }),
                  parcels.end());
    const Box tile = whole(placed);
    std::int64_t bytes = 0;
    for (Parcel& parcel : parcels) {
      parcel.packed = !in_one_piece(parcel.box, tile);
      parcel.offset = parcel.packed ? bytes : byte_offset(parcel.box, tile, placed.dtype);
      if (parcel.packed) bytes += parcel.box.elements() * size_of(placed.dtype);
    }
    return emitter_.scratch(label, bytes);
  }

  static std::vector<Piece> pieces(const std::vector<Parcel>& parcels, const Placed& placed,
                                   BufferId packed) {
    std::vector<Piece> result;
    for (const Parcel& parcel : parcels) {
      result.push_back({parcel.peer, parcel.packed ? packed : placed.buffer, parcel.offset,
                        parcel.box.elements() * size_of(placed.dtype)});
    }
    return result;
  }

  static double packed_bytes(const std::vector<Parcel>& parcels, DType dtype) {
    double bytes = 0;
    for (const Parcel& parcel : parcels) {
      if (parcel.packed) bytes += static_cast<double>(parcel.box.elements() * size_of(dtype));
    }
    return bytes;
  }

  void pack(const std::vector<Parcel>& parcels, const Placed& from, BufferId packed,
            const std::string& label) {
    const double bytes = packed_bytes(parcels, from.dtype);
    if (bytes == 0) return;
    emitter_.launch({label,
                     {from.buffer},
                     {packed},
                     2 * bytes,
                     0,
                     [parcels, from, packed](RunContext& context) {
                       for (const Parcel& parcel : parcels) {
                         if (!parcel.packed) continue;
                         const Tile tile = dense_tile(context.data(packed) + parcel.offset,
                                                      from.dtype, parcel.box, from.layout.shape());
                         kernels::copy_box(context.stream(), context.tile(from), tile, parcel.box);
                       }
                     }});
  }

  void unpack(const std::vector<Parcel>& parcels, const Placed& to, BufferId packed,
              const std::string& label) {
    const double bytes = packed_bytes(parcels, to.dtype);
    if (bytes == 0) return;
    emitter_.launch(
        {label, {packed}, {to.buffer}, 2 * bytes, 0, [parcels, to, packed](RunContext& context) {
           for (const Parcel& parcel : parcels) {
             if (!parcel.packed) continue;
             const Tile tile = dense_tile(context.data(packed) + parcel.offset, to.dtype,
                                          parcel.box, to.layout.shape());
             kernels::copy_box(context.stream(), tile, context.tile(to), parcel.box);
           }
         }});
  }

  /// What stays on this rank.
  void keep(const Placed& from, const Placed& to, const Box& box, const std::string& label) {
    if (box.empty()) return;
    const auto bytes = static_cast<double>(box.elements() * size_of(from.dtype));
    emitter_.launch(
        {label, {from.buffer}, {to.buffer}, 2 * bytes, 0, [from, to, box](RunContext& context) {
           kernels::copy_box(context.stream(), context.tile(from), context.tile(to), box);
         }});
  }

  const FftProblem& problem_;
  const Step& step_;
  Emitter& emitter_;
  FftRoute route_;
  std::map<std::pair<std::int64_t, FftKind>, Factors> factors_;
  BufferId work_;
};

}  // namespace

void emit_fft(const FftProblem& problem, const Step& step, Emitter& emitter) {
  FftEmission(problem, step, emitter).emit();
}

}  // namespace tessera::ops
