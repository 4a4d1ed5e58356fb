// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Writes the file that python_test.py reads with h5py. Usage: write_example FOLDER
#include <complex>
#include <cstdio>
#include <vector>

#include "data/publication.hpp"

namespace {

using tessera::data::Publication;

template <class T>
std::vector<T> counted(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      values[static_cast<std::size_t>(i)] = static_cast<T>(i);
    } else {
      using Part = typename T::value_type;
      values[static_cast<std::size_t>(i)] = T(static_cast<Part>(i), static_cast<Part>(-i));
    }
  }
  return values;
}

void write(const std::string& folder) {
  tessera::data::OutputFile output{folder + "/example.h5",
                                   true,
                                   {},
                                   {{"recipe", "bitexact"},
                                    {"step", std::int64_t{-7}},
                                    {"alpha", 0.1},
                                    {"naïve", "Ångström\n"}}};
  for (const tessera::DType dtype : tessera::all_dtypes) {
    output.datasets.push_back({"/types/" + std::string(name_of(dtype)), dtype, {3, 5}});
  }
  output.datasets.push_back({"/scalar", tessera::DType::float64, {}});
  output.datasets.push_back({"/empty", tessera::DType::complex64, {0, 3}});
  output.datasets.push_back(
      {"/packed", tessera::DType::float32, {100, 30}, {}, tessera::data::Compression{6, {16, 8}}});
  output.datasets.push_back({"/carried",
                             tessera::DType::float64,
                             {3, 4},
                             tessera::data::DatasetName{folder + "/carry.h5", "/fields/u"}});
  Publication publication(output);
  publication.create();
  tessera::data::SlabWriter writer(publication.partial(), publication.slabs());
  std::vector<tessera::Checksum> sums;
  for (std::size_t i = 0; i < output.datasets.size(); ++i) {
    const std::int64_t count = tessera::element_count(output.datasets[i].shape);
    tessera::visit(output.datasets[i].dtype, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> values = counted<T>(count);
      if (output.datasets[i].compression) {
        publication.write_rows(i, 0, 100, values.data());
      } else {
        writer.write(i, 0, count, values.data());
      }
      sums.emplace_back();
      sums.back().append(values.data(), values.size() * sizeof(T));
    });
  }
  writer.sync();
  publication.finish(sums, {{"later", "known at the end"}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    write(argv[1]);
  } catch (const tessera::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return tessera::exit_code(error.kind());
  }
  return 0;
}
