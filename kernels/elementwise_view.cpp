// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_view.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

namespace tessera::kernels {

InputView make_view(const Tile& input, const Shape& output) {
  InputView view;
  view.data = static_cast<const char*>(input.data);
  view.size = static_cast<std::int32_t>(size_of(input.dtype));
  const int missing = output.size() - input.extent().size();
  require(missing >= 0, "an element-wise input has no more axes than the output");
  for (int axis = 0; axis < output.size(); ++axis) {
    const std::int64_t extent = output[axis];
    if (extent == 1) continue;
    const int own = axis - missing;
    const bool repeats = own < 0 || input.extent()[own] == 1;
    require(repeats || input.extent()[own] == extent, "element-wise inputs broadcast");
    const std::int64_t stride = repeats ? 0 : input.strides[own];
    const int last = view.axes - 1;
    if (last >= 0 && view.stride[last] == stride * extent) {
      view.extent[last] *= extent;
      view.stride[last] = stride;
    } else {
      view.extent[view.axes] = extent;
      view.stride[view.axes++] = stride;
    }
  }
  return view;
}

namespace {

template <class Word>
void copy_row(const Word* from, std::int64_t stride, std::int64_t count, Word* to) {
  if (stride == 0) {
    std::fill_n(to, count, *from);
  } else if (stride == 1) {
    std::copy_n(from, count, to);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
  }
}

template <class Word>
void gather_words(const InputView& view, std::int64_t first, std::int64_t count, Word* out) {
  const auto* data = reinterpret_cast<const Word*>(view.data);
  const int inner = view.axes - 1;
  if (inner < 0) {
    std::fill_n(out, count, *data);
    return;
  }
  std::int64_t index[max_axes] = {};
  std::int64_t offset = 0;
  for (int axis = inner; axis >= 0; --axis) {
    index[axis] = first % view.extent[axis];
    first /= view.extent[axis];
    offset += index[axis] * view.stride[axis];
  }
  while (count > 0) {
    const std::int64_t length = std::min(count, view.extent[inner] - index[inner]);
    copy_row(data + offset, view.stride[inner], length, out);
    out += length;
    count -= length;
    offset -= index[inner] * view.stride[inner];
    index[inner] = 0;
    for (int axis = inner - 1; axis >= 0; --axis) {
      offset += view.stride[axis];
      if (++index[axis] < view.extent[axis]) break;
      offset -= view.stride[axis] * view.extent[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

void gather(const InputView& view, std::int64_t first, std::int64_t count, void* out) {
  switch (view.size) {
    case 1:
      return gather_words(view, first, count, static_cast<std::uint8_t*>(out));
    case 4:
      return gather_words(view, first, count, static_cast<std::uint32_t*>(out));
    case 8:
      return gather_words(view, first, count, static_cast<std::uint64_t*>(out));
    default:
      return gather_words(view, first, count, static_cast<std::complex<double>*>(out));
  }
}

}  // namespace tessera::kernels
