// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/hash.hpp"

#include <xxhash.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tessera::graph {
namespace {

/// Writes values so that different ones never give the same bytes: a letter for the type, lengths
/// before lists, integers as eight bytes with the lowest first.
class Canonical {
 public:
  void integer(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>((value >> (8 * byte)) & 0xFFU);
  }
  void real(double value) {
    // All NaNs are one.
    integer(std::bit_cast<std::uint64_t>(
        std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value));
  }
  void text(std::string_view value) {
    integer(value.size());
    bytes_ += value;
  }
  void texts(const std::vector<std::string>& values) {
    integer(values.size());
    for (const std::string& value : values) text(value);
  }
  void hash(const ContentHash& value) {
    integer(value.high);
    integer(value.low);
  }

  void value(bool flag) { tagged('b').integer(flag ? 1 : 0); }
  void value(std::int64_t number) { tagged('i').integer(static_cast<std::uint64_t>(number)); }
  void value(double number) { tagged('r').real(number); }
  void value(const std::string& word) { tagged('t').text(word); }
  void value(const std::vector<std::string>& words) { tagged('l').texts(words); }
  void value(const NumberArray& array) {
    tagged('a').integer(static_cast<std::uint64_t>(array.shape.size()));
    for (const std::int64_t extent : array.shape) integer(static_cast<std::uint64_t>(extent));
    for (const double number : array.values) real(number);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Canonical& tagged(char type) {
    bytes_ += type;
    return *this;
  }
  std::string bytes_;
};

}  // namespace

std::string to_string(const ContentHash& hash) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {hash.high, hash.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(half >> shift) & 0xFU];
  }
  return text;
}

ContentHash content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

ContentHash hash_of(const Node& node, Recipe recipe, const std::vector<ContentHash>& inputs) {
  Canonical canonical;
  canonical.text("tessera step 1");
  canonical.text(node.op);
  canonical.text(name_of(recipe));
  canonical.integer(node.params.all().size());
  for (const auto& [name, value] : node.params.all()) {
    canonical.text(name);
    std::visit([&](const auto& held) { canonical.value(held); }, value);
  }
  canonical.texts(node.input_names);
  for (const ContentHash& input : inputs) canonical.hash(input);
  return content_hash(canonical.bytes());
}

std::vector<ContentHash> tensor_hashes(const Graph& graph, const std::vector<ContentHash>& inputs) {
  require(inputs.size() == graph.inputs.size(), "every input of the graph has a hash");
  std::vector<ContentHash> hashes(graph.tensors.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    hashes[static_cast<std::size_t>(graph.inputs[i].tensor.value)] = inputs[i];
  }
  for (const Node& node : graph.nodes) {
    std::vector<ContentHash> taken;
    for (const TensorId input : node.inputs)
      taken.push_back(hashes[static_cast<std::size_t>(input.value)]);
    const ContentHash step = hash_of(node, graph.recipe, taken);
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      Canonical canonical;
      canonical.hash(step);
      canonical.integer(output);
      hashes[static_cast<std::size_t>(node.outputs[output].value)] =
          content_hash(canonical.bytes());
    }
  }
  return hashes;
}

}  // namespace tessera::graph
