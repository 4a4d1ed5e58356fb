// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_device.hpp"

#include "elementwise_block.hpp"
#include "elementwise_element.hpp"

namespace tessera::kernels {

namespace {

PackedProgram pack(const Program& program, const std::vector<InputView>& inputs) {
  require(program.code.size() <= max_program_instructions &&
              program.constants.size() <= max_program_constants &&
              inputs.size() <= max_program_inputs && program.registers <= max_program_registers,
          "element-wise programs stay within their limits");
  PackedProgram packed;
  for (const Instruction& instruction : program.code) packed.code[packed.length++] = instruction;
  for (std::size_t k = 0; k < program.constants.size(); ++k) {
    store_constant(program.constants[k], packed.constants[k].words);
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) packed.inputs[k] = inputs[k];
  return packed;
}

KOKKOS_INLINE_FUNCTION void store_element(const Slot& value, std::int32_t size, char* at) {
  if (size == 1) {
    *reinterpret_cast<std::uint8_t*>(at) = value.as<std::uint8_t>();
  } else if (size == 4) {
    *reinterpret_cast<std::uint32_t*>(at) = value.as<std::uint32_t>();
  } else if (size == 8) {
    *reinterpret_cast<std::uint64_t*>(at) = value.words[0];
  } else {
    *reinterpret_cast<Slot*>(at) = value;
  }
}

template <class Space>
void run_elements(const Space& space, const PackedProgram& packed, const Tile& output,
                  bool canonical, std::int64_t* first_nan) {
  auto* out = static_cast<char*>(output.data);
  const DType dtype = output.dtype;
  const auto size = static_cast<std::int32_t>(size_of(dtype));
  Kokkos::parallel_for(
      "tessera::evaluate", range(space, output.elements()), KOKKOS_LAMBDA(const std::int64_t i) {
        Slot result{};
        const bool nan = run_element(packed, i, result);
        if (canonical) make_canonical(dtype, result);
        store_element(result, size, out + i * size);
        if (nan) Kokkos::atomic_fetch_min(first_nan, i);
      });
}

template <class Space>
void reset_first_nan(const Space& space, std::int64_t* first_nan) {
  Kokkos::parallel_for(
      "tessera::no_nan", range(space, 1),
      KOKKOS_LAMBDA(const std::int64_t i) { first_nan[i] = no_nan; });
}

}  // namespace

void evaluate_by_element(const device::Stream& stream, Recipe recipe, const Program& program,
                         const std::vector<InputView>& inputs, const Tile& output,
                         std::int64_t* first_nan) {
  const PackedProgram packed = pack(program, inputs);
  on_space(stream, [&](const auto& space) {
    if (first_nan != nullptr) reset_first_nan(space, first_nan);
    run_elements(space, packed, output, recipe == Recipe::bitexact, first_nan);
  });
}

}  // namespace tessera::kernels
