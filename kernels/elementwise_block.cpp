// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "elementwise_ops.hpp"

namespace tessera::kernels {

BlockLoop find_block_loop(const Instruction& instruction) {
  for (const auto find :
       {find_arithmetic_loop, find_logic_loop, find_function_loop, find_convert_loop}) {
    if (const BlockLoop loop = find(instruction)) return loop;
  }
  return nullptr;
}

namespace {

std::int64_t widest_element(const Program& program) {
  std::int64_t widest = 1;
  const auto note = [&](DType dtype) { widest = std::max(widest, size_of(dtype)); };
  for (const DType dtype : program.inputs) note(dtype);
  for (const Constant& constant : program.constants) note(constant.type);
  for (const Instruction& instruction : program.code) note(instruction.to);
  return widest;
}

template <class T>
std::int64_t find_nan(const void* values, std::int64_t count) {
  const auto* x = static_cast<const T*>(values);
  int any = 0;
  for (std::int64_t i = 0; i < count; ++i) any |= x[i] != x[i];
  if (any == 0) return no_nan;
  return std::find_if(x, x + count, [](T value) { return value != value; }) - x;
}

}  // namespace

BlockPlan::BlockPlan(const Program& program, std::vector<InputView> inputs, bool canonical,
                     bool streaming)
    : program_(program),
      inputs_(std::move(inputs)),
      canonical_(canonical && !is_integer(program.output())),
      streaming_(streaming),
      through_slot_(canonical_ || streaming) {
  for (const Instruction& instruction : program.code) {
    loops_.push_back(find_block_loop(instruction));
    require(loops_.back() != nullptr || instruction.op == ElementOp::refuse_nan,
            "every instruction of an element-wise program has a loop for its type");
  }
  slots_ = program.registers + static_cast<int>(program.constants.size() + inputs_.size()) + 1;
  const std::int64_t widest = widest_element(program);
  int used = slots_ - static_cast<int>(inputs_.size());
  for (const InputView& view : inputs_) used += view.direct() ? 0 : 1;
  // Half of a small first-level cache for the slots in use; whole cache lines and vectors.
  constexpr std::int64_t cache_bytes = 16 * 1024;
  block_ = std::clamp<std::int64_t>(cache_bytes / (used * widest) / 64 * 64, 64, 2048);
  slot_bytes_ = block_ * widest;
}

void BlockPlan::fill_constants(std::int64_t count, std::byte* scratch) const {
  int number = program_.registers;
  for (const Constant& constant : program_.constants) {
    std::byte* values = slot(scratch, number++);
    store_constant(constant, values);
    InputView view;
    view.data = reinterpret_cast<const char*>(values);
    view.size = static_cast<std::int32_t>(size_of(constant.type));
    gather(view, 0, count, values);
  }
  for (const InputView& view : inputs_) {
    if (view.single()) gather(view, 0, count, slot(scratch, number));
    ++number;
  }
}

const void* BlockPlan::operand(Operand operand, std::int64_t first, std::byte* scratch) const {
  const int constants = program_.registers;
  switch (operand.kind) {
    case Operand::Kind::reg:
      return slot(scratch, operand.index);
    case Operand::Kind::constant:
      return slot(scratch, constants + operand.index);
    case Operand::Kind::input: {
      const InputView& view = inputs_[operand.index];
      if (view.direct()) return view.data + first * view.size;
      return slot(scratch, constants + static_cast<int>(program_.constants.size()) + operand.index);
    }
    default:
      return nullptr;
  }
}

std::int64_t BlockPlan::run_block(std::int64_t first, std::int64_t count, void* output,
                                  std::byte* scratch) const {
  int number = program_.registers + static_cast<int>(program_.constants.size());
  for (const InputView& view : inputs_) {
    if (!view.direct() && !view.single()) gather(view, first, count, slot(scratch, number));
    ++number;
  }
  auto* target = static_cast<std::byte*>(output) + first * size_of(program_.output());
  std::byte* result = through_slot_ ? slot(scratch, slots_ - 1) : target;
  std::int64_t nan = no_nan;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const Instruction& instruction = program_.code[i];
    const void* a = operand(instruction.a, first, scratch);
    if (instruction.op == ElementOp::refuse_nan) {
      const std::int64_t found = instruction.type == DType::float32 ? find_nan<float>(a, count)
                                                                    : find_nan<double>(a, count);
      if (found != no_nan) nan = std::min(nan, first + found);
      continue;
    }
    BlockOperands operands{count, nullptr, a, nullptr, nullptr, instruction.immediate};
    operands.b = operand(instruction.b, first, scratch);
    operands.c = operand(instruction.c, first, scratch);
    operands.out = i + 1 == loops_.size() ? result : slot(scratch, instruction.target);
    loops_[i](operands);
  }
  if (through_slot_) {
    store_block(program_.output(), result, target, count, canonical_, streaming_);
  }
  return nan;
}

std::int64_t BlockPlan::run(std::int64_t first, std::int64_t count, void* output,
                            std::byte* scratch) const {
  fill_constants(std::min(count, block_), scratch);
  std::int64_t nan = no_nan;
  for (std::int64_t done = 0; done < count; done += block_) {
    const std::int64_t length = std::min(block_, count - done);
    nan = std::min(nan, run_block(first + done, length, output, scratch));
  }
  return nan;
}

namespace {

/// Reads a block's words, with NaNs made canonical where that is asked for.
template <class Word, Word infinity, Word nan>
struct Canonical {
  Word operator()(Word word) const { return (word & (Word(-1) >> 1)) > infinity ? nan : word; }
};
using Canonical32 = Canonical<std::uint32_t, 0x7f800000, 0x7fc00000>;
using Canonical64 = Canonical<std::uint64_t, 0x7ff0000000000000, 0x7ff8000000000000>;
struct Unchanged {
  template <class Word>
  Word operator()(Word word) const {
    return word;
  }
};

template <class Word>
using Vector [[gnu::vector_size(64)]] = Word;

template <class Word, class Change>
void store_words(const void* from, void* to, std::int64_t count, Change change) {
  const auto* in = static_cast<const Word*>(from);
  auto* out = static_cast<Word*>(to);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) out[i] = change(in[i]);
}

/// Stores that bypass the caches save reading the output's lines first. `to` is aligned.
void stream_lines(const void* from, void* to, std::int64_t bytes) {
#if defined(__AVX512F__)
  using Line = long long __attribute__((vector_size(64)));
  const auto* in = static_cast<const Line*>(from);
  auto* out = static_cast<Line*>(to);
  for (std::int64_t i = 0; i < bytes / 64; ++i) __builtin_ia32_movntdq512(out + i, in[i]);
#elif defined(__AVX__)
  using Half = long long __attribute__((vector_size(32)));
  const auto* in = static_cast<const Half*>(from);
  auto* out = static_cast<Half*>(to);
  for (std::int64_t i = 0; i < bytes / 32; ++i) __builtin_ia32_movntdq256(out + i, in[i]);
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

void make_canonical(DType dtype, const void* from, void* to, std::int64_t count) {
  const std::int64_t words = is_complex(dtype) ? 2 * count : count;
  if (real_of(dtype) == DType::float32) {
    store_words<std::uint32_t>(from, to, words, Canonical32());
  } else {
    store_words<std::uint64_t>(from, to, words, Canonical64());
  }
}

}  // namespace

void store_block(DType dtype, const void* from, void* to, std::int64_t count, bool canonical,
                 bool streaming) {
  const std::int64_t bytes = count * size_of(dtype);
  if (!streaming || std::bit_cast<std::uintptr_t>(to) % 64 != 0) {
    if (canonical) {
      make_canonical(dtype, from, to, count);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
    return;
  }
  if (canonical) make_canonical(dtype, from, const_cast<void*>(from), count);
  const std::int64_t whole = bytes / 64 * 64;
  stream_lines(from, to, whole);
  std::memcpy(static_cast<char*>(to) + whole, static_cast<const char*>(from) + whole,
              static_cast<std::size_t>(bytes - whole));
}

void store_constant(const Constant& constant, void* value) {
  visit(constant.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* target = static_cast<T*>(value);
    if constexpr (std::is_integral_v<T>) {
      *target = static_cast<T>(constant.integer);
    } else if constexpr (std::is_floating_point_v<T>) {
      *target = static_cast<T>(constant.re);
    } else {
      using Part = typename T::value_type;
      *target = T(static_cast<Part>(constant.re), static_cast<Part>(constant.im));
    }
  });
}

}  // namespace tessera::kernels
