// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "data/blocks.hpp"
#include "data/dataset.hpp"
#include "data/difference.hpp"

namespace tessera::data {
namespace {

constexpr std::int64_t block_bytes = 4 << 20;

void keep_larger(Largest& largest, double value, std::int64_t at) {
  if (value > largest.value) largest = {value, at};
}

template <class T>
void compare_elements(const T* a, const T* b, std::int64_t count, std::int64_t first,
                      const CompareOptions& options, DatasetComparison& result) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (same_bits(a[i], b[i]) && !is_nan(a[i])) continue;
    const Difference found = difference(a[i], b[i]);
    keep_larger(result.absolute, found.absolute, first + i);
    keep_larger(result.relative, found.relative, first + i);
    keep_larger(result.ulp, found.ulp, first + i);
    if (same_element(a[i], b[i], found.absolute, options)) continue;
    ++result.different;
    if (is_nan(a[i]) && is_nan(b[i])) ++result.both_nan;
  }
}

void compare_values(const Dataset& a, const Dataset& b, const CompareOptions& options,
                    DatasetComparison& result) {
  const DType dtype = a.info().dtype;
  std::vector<char> left;
  std::vector<char> right;
  std::int64_t first = 0;
  for_each_block(result.shape, block_bytes / size_of(dtype), [&](const Box& box) {
    left.resize(static_cast<std::size_t>(box.elements() * size_of(dtype)));
    right.resize(left.size());
    a.read(box, left.data());
    b.read(box, right.data());
    visit(dtype, [&]<class T>(std::type_identity<T>) {
      compare_elements(reinterpret_cast<const T*>(left.data()),
                       reinterpret_cast<const T*>(right.data()), box.elements(), first, options,
                       result);
    });
    first += box.elements();
  });
}

/// The dataset, or why it can't be compared.
std::optional<Dataset> try_open(const InputFile& file, const std::string& path,
                                std::string& problem) {
  try {
    return file.open(path);
  } catch (const Error& error) {
    problem = error.text();
    return std::nullopt;
  }
}

DatasetComparison compare_dataset(const InputFile& a, const InputFile& b, const std::string& path,
                                  const CompareOptions& options) {
  DatasetComparison result;
  result.dataset = path;
  const auto left = try_open(a, path, result.problem);
  const auto right = left ? try_open(b, path, result.problem) : std::nullopt;
  if (!left || !right) return result;
  if (left->info().shape != right->info().shape) {
    result.problem = "shapes differ: " + to_string(left->info().shape) + " and " +
                     to_string(right->info().shape);
  } else if (left->info().dtype != right->info().dtype) {
    result.problem = fmt::format("types differ: {} and {}", name_of(left->info().dtype),
                                 name_of(right->info().dtype));
  } else {
    result.shape = left->info().shape;
    result.elements = element_count(result.shape);
    compare_values(*left, *right, options, result);
  }
  return result;
}

InputFile open_checked(const std::string& path) {
  try {
    return InputFile(path);
  } catch (const Error& error) {
    throw Error(ErrorKind::io, error.text());
  }
}

std::string at_index(std::int64_t flat, const Shape& shape) {
  Index index = Extents::filled(shape.size(), 0);
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return to_string(index);
}

std::string part(const char* name, const Largest& largest, const Shape& shape) {
  return fmt::format("{} {:.6g} at {}", name, largest.value, at_index(largest.at, shape));
}

}  // namespace

Comparison compare(const std::string& a, const std::string& b, const CompareOptions& options) {
  const InputFile left = open_checked(a);
  const InputFile right = open_checked(b);
  std::set<std::string> paths(options.datasets.begin(), options.datasets.end());
  if (paths.empty()) {
    for (const InputFile* file : {&left, &right}) {
      for (const std::string& path : file->datasets()) paths.insert(path);
    }
  }
  Comparison comparison;
  for (const std::string& path : paths)
    comparison.push_back(compare_dataset(left, right, path, options));
  return comparison;
}

bool same(const Comparison& comparison) {
  return std::all_of(comparison.begin(), comparison.end(),
                     [](const DatasetComparison& dataset) { return dataset.same(); });
}

std::string to_string(const DatasetComparison& c) {
  if (!c.problem.empty()) return c.dataset + ": " + c.problem;
  std::string text = c.dataset + ": ";
  text += c.different == 0 ? fmt::format("{} elements are the same", c.elements)
                           : fmt::format("{} of {} elements differ", c.different, c.elements);
  if (c.both_nan > 0)
    text += fmt::format(" ({} where both are NaN: --nan-equal accepts them)", c.both_nan);
  if (c.absolute.at >= 0) {
    text += "; largest " + part("absolute difference", c.absolute, c.shape) + ", " +
            part("relative", c.relative, c.shape) + ", " + part("ULP", c.ulp, c.shape);
  }
  return text;
}

}  // namespace tessera::data
