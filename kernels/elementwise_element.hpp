// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elementwise_convert.hpp"
#include "elementwise_ops.hpp"
#include "elementwise_view.hpp"

// A program run for one element, as GPU threads do it: the same functors as the vector loops.
namespace tessera::kernels {

/// Room for one element of any type.
struct alignas(16) Slot {
  std::uint64_t words[2];

  template <class T>
  KOKKOS_INLINE_FUNCTION T as() const {
    T value;
    std::memcpy(static_cast<void*>(&value), words, sizeof(T));
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION void set(const T& value) {
    std::memcpy(words, static_cast<const void*>(&value), sizeof(T));
  }
};

/// A program as one block of plain memory, which a kernel takes along.
struct PackedProgram {
  Instruction code[max_program_instructions];
  Slot constants[max_program_constants];
  InputView inputs[max_program_inputs];
  std::int32_t length = 0;
};

/// Calls `Body::template run<T>(slots...)` for the type of the name.
template <class Body, class... Slots>
KOKKOS_INLINE_FUNCTION void for_type(DType dtype, Slots&... slots) {
  switch (dtype) {
    case DType::uint8:
      return Body::template run<std::uint8_t>(slots...);
    case DType::int32:
      return Body::template run<std::int32_t>(slots...);
    case DType::int64:
      return Body::template run<std::int64_t>(slots...);
    case DType::float32:
      return Body::template run<float>(slots...);
    case DType::float64:
      return Body::template run<double>(slots...);
    case DType::complex64:
      return Body::template run<Kokkos::complex<float>>(slots...);
    case DType::complex128:
      return Body::template run<Kokkos::complex<double>>(slots...);
  }
}

template <class F, Types types>
struct UnaryElement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, Slot& out) {
    if constexpr (is_among<types, T>) out.set(F::of(a.as<T>()));
  }
};

template <class F, Types types>
struct BinaryElement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, const Slot& b, Slot& out) {
    if constexpr (is_among<types, T>) out.set(F::of(a.as<T>(), b.as<T>()));
  }
};

/// A complex number and a real one.
template <class F>
struct ByRealElement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, const Slot& b, Slot& out) {
    if constexpr (is_complex_element<T>) {
      out.set(F::of(a.as<T>(), b.as<element_ops::real_part_t<T>>()));
    }
  }
};

struct FmaElement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, const Slot& b, const Slot& c, Slot& out) {
    out.set(element_ops::Fma::of(a.as<element_ops::real_part_t<T>>(), b.as<T>(), c.as<T>()));
  }
};

struct SelectElement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, const Slot& b, const Slot& c, Slot& out) {
    out.set(element_ops::Select::of(a.as<std::uint8_t>(), b.as<T>(), c.as<T>()));
  }
};

struct PowerElement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, const std::int32_t& n, Slot& out) {
    out.set(element_ops::integer_power(a.as<T>(), n));
  }
};

template <class From>
struct ConvertElement {
  template <class To>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, Slot& out) {
    if constexpr (element_ops::is_convertible<From, To>) {
      out.set(element_ops::Convert<To>::of(a.as<From>()));
    }
  }
};
struct ConvertTo {
  template <class From>
  KOKKOS_INLINE_FUNCTION static void run(const Slot& a, const DType& to, Slot& out) {
    for_type<ConvertElement<From>>(to, a, out);
  }
};

/// Every NaN becomes the positive quiet NaN without payload: by its bits, as devices make NaNs of
/// their own in conversions.
KOKKOS_INLINE_FUNCTION void make_canonical(DType dtype, Slot& value) {
  if (real_of(dtype) == DType::float64) {
    for (std::uint64_t& word : value.words) {
      if ((word & ~math::sign_bit) > math::exponent_bits) word = 0x7ff8000000000000;
    }
  } else if (real_of(dtype) == DType::float32) {
    std::uint32_t parts[2];
    std::memcpy(parts, value.words, sizeof parts);
    for (std::uint32_t& part : parts) {
      if ((part & 0x7fffffff) > 0x7f800000) part = 0x7fc00000;
    }
    std::memcpy(value.words, parts, sizeof parts);
  }
}

KOKKOS_INLINE_FUNCTION void run_arithmetic(const Instruction& i, const Slot& a, const Slot& b,
                                           const Slot& c, Slot& out) {
  using namespace element_ops;
  switch (i.op) {
    case ElementOp::negate:
      return for_type<UnaryElement<Negate, Types::all>>(i.type, a, out);
    case ElementOp::add:
      return for_type<BinaryElement<Add, Types::all>>(i.type, a, b, out);
    case ElementOp::subtract:
      return for_type<BinaryElement<Subtract, Types::all>>(i.type, a, b, out);
    case ElementOp::multiply:
      return for_type<BinaryElement<Multiply, Types::all>>(i.type, a, b, out);
    case ElementOp::divide:
      return for_type<BinaryElement<Divide, Types::floating>>(i.type, a, b, out);
    case ElementOp::scale:
      return for_type<ByRealElement<Scale>>(i.type, a, b, out);
    case ElementOp::unscale:
      return for_type<ByRealElement<Unscale>>(i.type, a, b, out);
    case ElementOp::fma:
      return for_type<FmaElement>(i.type, a, b, c, out);
    case ElementOp::square:
      return for_type<UnaryElement<Square, Types::all>>(i.type, a, out);
    case ElementOp::norm:
      return for_type<UnaryElement<Norm, Types::complex>>(i.type, a, out);
    case ElementOp::abs:
      return for_type<UnaryElement<Abs, Types::all>>(i.type, a, out);
    case ElementOp::real:
      return for_type<UnaryElement<Real, Types::complex>>(i.type, a, out);
    case ElementOp::imag:
      return for_type<UnaryElement<Imag, Types::complex>>(i.type, a, out);
    case ElementOp::conj:
      return for_type<UnaryElement<Conj, Types::complex>>(i.type, a, out);
    case ElementOp::convert:
      return for_type<ConvertTo>(i.type, a, i.to, out);
    default:
      return;
  }
}

KOKKOS_INLINE_FUNCTION void run_logic(const Instruction& i, const Slot& a, const Slot& b,
                                      const Slot& c, Slot& out) {
  using namespace element_ops;
  switch (i.op) {
    case ElementOp::equal:
      return for_type<BinaryElement<Equal, Types::all>>(i.type, a, b, out);
    case ElementOp::not_equal:
      return for_type<BinaryElement<NotEqual, Types::all>>(i.type, a, b, out);
    case ElementOp::less:
      return for_type<BinaryElement<Less, Types::real>>(i.type, a, b, out);
    case ElementOp::less_equal:
      return for_type<BinaryElement<LessEqual, Types::real>>(i.type, a, b, out);
    case ElementOp::truth:
      return for_type<UnaryElement<Truth, Types::all>>(i.type, a, out);
    case ElementOp::logical_not:
      return out.set(LogicalNot::of(a.as<std::uint8_t>()));
    case ElementOp::logical_and:
      return out.set(LogicalAnd::of(a.as<std::uint8_t>(), b.as<std::uint8_t>()));
    case ElementOp::logical_or:
      return out.set(LogicalOr::of(a.as<std::uint8_t>(), b.as<std::uint8_t>()));
    case ElementOp::is_nan:
      return for_type<UnaryElement<IsNan, Types::all>>(i.type, a, out);
    case ElementOp::is_finite:
      return for_type<UnaryElement<IsFinite, Types::all>>(i.type, a, out);
    case ElementOp::select:
      return for_type<SelectElement>(i.type, a, b, c, out);
    case ElementOp::min:
      return for_type<BinaryElement<Min, Types::real>>(i.type, a, b, out);
    case ElementOp::max:
      return for_type<BinaryElement<Max, Types::real>>(i.type, a, b, out);
    case ElementOp::sign:
      return for_type<UnaryElement<Sign, Types::real>>(i.type, a, out);
    default:
      return;
  }
}

KOKKOS_INLINE_FUNCTION void run_function(const Instruction& i, const Slot& a, const Slot& b,
                                         Slot& out) {
  using namespace element_ops;
  switch (i.op) {
    case ElementOp::power_integer:
      return for_type<PowerElement>(i.type, a, i.immediate, out);
    case ElementOp::power:
      return for_type<BinaryElement<Power, Types::real_floating>>(i.type, a, b, out);
    case ElementOp::floor:
      return for_type<UnaryElement<Floor, Types::real_floating>>(i.type, a, out);
    case ElementOp::ceil:
      return for_type<UnaryElement<Ceil, Types::real_floating>>(i.type, a, out);
    case ElementOp::round:
      return for_type<UnaryElement<Round, Types::real_floating>>(i.type, a, out);
    case ElementOp::exp:
      return for_type<UnaryElement<Exp, Types::real_floating>>(i.type, a, out);
    case ElementOp::log:
      return for_type<UnaryElement<Log, Types::real_floating>>(i.type, a, out);
    case ElementOp::sqrt:
      return for_type<UnaryElement<Sqrt, Types::real_floating>>(i.type, a, out);
    case ElementOp::sin:
      return for_type<UnaryElement<Sin, Types::real_floating>>(i.type, a, out);
    case ElementOp::cos:
      return for_type<UnaryElement<Cos, Types::real_floating>>(i.type, a, out);
    case ElementOp::tanh:
      return for_type<UnaryElement<Tanh, Types::real_floating>>(i.type, a, out);
    default:
      return;
  }
}

KOKKOS_INLINE_FUNCTION void run_instruction(const Instruction& i, const Slot& a, const Slot& b,
                                            const Slot& c, Slot& out) {
  if (i.op <= ElementOp::conj && i.op != ElementOp::power_integer && i.op != ElementOp::power) {
    run_arithmetic(i, a, b, c, out);
  } else if (i.op >= ElementOp::equal && i.op <= ElementOp::sign) {
    run_logic(i, a, b, c, out);
  } else if (i.op == ElementOp::convert) {
    run_arithmetic(i, a, b, c, out);
  } else {
    run_function(i, a, b, out);
  }
}

/// The input's element for element `index` of the output.
KOKKOS_INLINE_FUNCTION Slot load_input(const InputView& view, std::int64_t index) {
  std::int64_t offset = 0;
  for (int axis = view.axes - 1; axis > 0; --axis) {
    offset += index % view.extent[axis] * view.stride[axis];
    index /= view.extent[axis];
  }
  if (view.axes > 0) offset += index * view.stride[0];
  const char* at = view.data + offset * view.size;
  Slot slot;
  if (view.size == 1) {
    slot.set(*reinterpret_cast<const std::uint8_t*>(at));
  } else if (view.size == 4) {
    slot.set(*reinterpret_cast<const std::uint32_t*>(at));
  } else if (view.size == 8) {
    slot.set(*reinterpret_cast<const std::uint64_t*>(at));
  } else {
    slot = *reinterpret_cast<const Slot*>(at);
  }
  return slot;
}

KOKKOS_INLINE_FUNCTION Slot operand_value(const PackedProgram& program, const Slot* registers,
                                          Operand from, std::int64_t index) {
  if (from.kind == Operand::Kind::reg) return registers[from.index];
  if (from.kind == Operand::Kind::constant) return program.constants[from.index];
  if (from.kind == Operand::Kind::input) return load_input(program.inputs[from.index], index);
  return Slot{};
}

/// Runs the program for element `index`; true when a NaN was refused.
KOKKOS_INLINE_FUNCTION bool run_element(const PackedProgram& program, std::int64_t index,
                                        Slot& result) {
  Slot registers[max_program_registers];
  bool nan = false;
  const auto operand = [&](Operand from) { return operand_value(program, registers, from, index); };
  for (std::int32_t k = 0; k < program.length; ++k) {
    const Instruction& i = program.code[k];
    const Slot a = operand(i.a);
    if (i.op == ElementOp::refuse_nan) {
      nan = nan || (i.type == DType::float32 ? a.as<float>() != a.as<float>()
                                             : a.as<double>() != a.as<double>());
      continue;
    }
    run_instruction(i, a, operand(i.b), operand(i.c), result);
    registers[i.target] = result;
  }
  return nan;
}

}  // namespace tessera::kernels
