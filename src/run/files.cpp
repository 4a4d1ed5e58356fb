// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "run/files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "graph/needed.hpp"

namespace tessera::run {

namespace {

/// Runs `work`, then lets all ranks of the group learn whether any failed.
template <class Work>
void together(comm::Communicator& group, Work work) {
  std::optional<Error> failure;
  try {
    work();
  } catch (const Error& error) {
    failure = error;
  } catch (const std::exception& error) {
    failure = Error(ErrorKind::internal, error.what());
  }
  group.agree(failure);
}

/// Files kept open at once by one rank: far below the usual limit of 1024 descriptors.
constexpr std::size_t most_open_files = 64;

/// The input that a tensor keeps the shape of: found by following first inputs while the shape
/// stays.
const graph::Input* origin_of(const graph::Graph& graph, TensorId tensor) {
  const graph::Tensor* current = &graph.tensors[static_cast<std::size_t>(tensor.value)];
  const Shape shape = current->info.shape;
  while (current->input < 0) {
    const graph::Node& node = graph.nodes[static_cast<std::size_t>(current->producer.value)];
    if (node.inputs.empty()) return nullptr;
    current = &graph.tensors[static_cast<std::size_t>(node.inputs.front().value)];
    if (current->info.shape != shape) return nullptr;
  }
  return &graph.inputs[static_cast<std::size_t>(current->input)];
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

Inputs::Inputs(const graph::Graph& graph) : graph_(graph), checksums_(graph.inputs.size()) {}

data::Dataset& Inputs::open(const graph::Source& source) {
  const auto key = std::make_pair(source.file, source.dataset);
  if (const auto found = datasets_.find(key); found != datasets_.end()) return found->second;
  if (datasets_.size() >= most_open_files) {
    datasets_.clear();
    files_.clear();
  }
  auto& file = files_[source.file];
  if (!file) file = std::make_unique<data::InputFile>(source.file);
  return datasets_.emplace(key, file->open(source.dataset)).first->second;
}

void Inputs::read(int input, std::int64_t item, const Box& box, std::byte* into) {
  const graph::Input& wanted = graph_.inputs[static_cast<std::size_t>(input)];
  auto [source, index] = std::pair<int, std::int64_t>{0, -1};
  if (!wanted.items.empty()) {
    std::tie(source, index) = wanted.items.size() == 1
                                  ? wanted.items.front()
                                  : wanted.items[static_cast<std::size_t>(item)];
  }
  data::Dataset& dataset = open(wanted.sources[static_cast<std::size_t>(source)]);
  const Selection::Resolved selection = wanted.selection.everything()
                                            ? data::everything(dataset.info().shape)
                                            : wanted.selection.resolve(dataset.info().shape);
  Box part = box;
  if (wanted.each_axis && index >= 0) {
    part.origin.insert(*wanted.each_axis, index);
    part.extent.insert(*wanted.each_axis, 1);
  }
  dataset.read(part, selection, into);
}

void Inputs::note(int input, const std::byte* data, std::int64_t bytes) {
  checksums_[static_cast<std::size_t>(input)].append(data, static_cast<std::size_t>(bytes));
}

void Inputs::begin_item() {
  for (std::size_t i = 0; i < checksums_.size(); ++i) {
    if (graph_.inputs[i].items.size() > 1) checksums_[i] = {};
  }
}

std::string item_target(const graph::Graph& graph, std::int64_t item) {
  std::string target = graph.output_file;
  if (item < 0) return target;
  replace_all(target, "{name}", graph.item_names.at(static_cast<std::size_t>(item)));
  const auto digits = std::to_string(std::max<std::int64_t>(graph.items - 1, 0)).size();
  replace_all(target, "{index}", fmt::format("{:0{}}", item, digits));
  return target;
}

OutputSet::OutputSet(const graph::Graph& graph, OutputOptions options, comm::Communicator& group,
                     std::int64_t item)
    : graph_(graph),
      options_(std::move(options)),
      group_(group),
      target_(item_target(graph, item)),
      item_(item),
      ranges_(graph.outputs.size()) {}

data::OutputFile OutputSet::description() const {
  data::OutputFile file;
  file.target = target_;
  file.overwrite = options_.overwrite;
  for (const graph::Output& output : graph_.outputs) {
    data::OutputDataset dataset;
    dataset.path = output.dataset;
    dataset.dtype = output.info.dtype;
    dataset.shape = output.info.shape;
    const bool stacked = graph_.batched && item_ < 0;
    if (stacked) dataset.shape.insert(0, graph_.items);
    // Attributes and dimension scales describe a whole dataset: a part of it, or one item, loses
    // them.
    const graph::Input* origin = origin_of(graph_, output.tensor);
    if (!graph_.batched && origin != nullptr && origin->selection.everything()) {
      dataset.carry =
          data::DatasetName{origin->sources.front().file, origin->sources.front().dataset};
    }
    file.datasets.push_back(std::move(dataset));
  }
  nlohmann::json params = nlohmann::json::object();
  for (const auto& [name, value] : graph_.params) params[name] = value;
  file.provenance = {{"tessera_version", options_.version},
                     {"tessera_recipe", std::string(name_of(graph_.recipe))},
                     {"tessera_graph", graph_.text},
                     {"tessera_params", params.dump()}};
  if (item_ >= 0)
    file.provenance.push_back({"tessera_item", graph_.item_names[static_cast<std::size_t>(item_)]});
  // Results of the other recipes depend on how many ranks made them, so that belongs to their
  // provenance.
  if (graph_.recipe != Recipe::bitexact && !graph_.batched) {
    file.provenance.push_back({"tessera_ranks", std::int64_t{group_.size()}});
  }
  return file;
}

void OutputSet::create() {
  together(group_, [&] {
    if (group_.rank() != 0) return;
    publication_ = std::make_unique<data::Publication>(description());
    publication_->create();
  });
  share_slabs();
  together(group_, [&] {
    if (writes_here()) {
      std::vector<data::Slab> slabs;
      const std::string partial = target_ + ".partial";
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        data::Slab slab = publication_ ? publication_->slabs()[i] : data::Slab{};
        if (!publication_) {
          const graph::Output& output = graph_.outputs[i];
          slab = {output.dataset, output.info.dtype, all_ranges_[i].elements, all_ranges_[i].first};
        }
        slabs.push_back(std::move(slab));
      }
      writer_ = std::make_unique<data::SlabWriter>(publication_ ? publication_->partial() : partial,
                                                   std::move(slabs));
    }
  });
  all_ranges_.clear();
}

void OutputSet::share_slabs() {
  // `first` carries the file offset and `elements` the size while they travel.
  all_ranges_.assign(ranges_.size(), {});
  if (publication_) {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      all_ranges_[i] = {publication_->slabs()[i].offset, publication_->slabs()[i].elements, 0};
    }
  }
  group_.broadcast(all_ranges_.data(),
                   static_cast<std::int64_t>(all_ranges_.size() * sizeof(Range)), 0);
}

bool OutputSet::writes_here() const {
  return options_.io == plan::IoMode::parallel || group_.rank() == 0;
}

void OutputSet::write(int output, std::int64_t first, const std::byte* data, std::int64_t bytes) {
  const auto index = static_cast<std::size_t>(output);
  writer_->write(index, first, bytes / size_of(graph_.outputs[index].info.dtype), data);
}

void OutputSet::note(int output, std::int64_t first, const std::byte* data, std::int64_t bytes) {
  const auto index = static_cast<std::size_t>(output);
  Range& range = ranges_[index];
  const std::int64_t element_bytes = size_of(graph_.outputs[index].info.dtype);
  if (range.elements == 0) range.first = first;
  require(range.first + range.elements == first, "a rank makes one range of an output, in order");
  Checksum sum{range.crc, range.elements * element_bytes};
  sum.append(data, static_cast<std::size_t>(bytes));
  range.elements += bytes / element_bytes;
  range.crc = sum.value;
}

void OutputSet::sync() {
  together(group_, [&] {
    if (writer_) writer_->sync();
  });
}

void OutputSet::verify() {
  const std::size_t outputs = ranges_.size();
  const auto ranks = static_cast<std::size_t>(group_.size());
  all_ranges_.assign(outputs * ranks, {});
  const std::vector<std::int64_t> sizes(ranks, static_cast<std::int64_t>(outputs * sizeof(Range)));
  group_.all_gather(ranges_.data(), sizes, all_ranges_.data());
  together(group_, [&] {
    if (!writer_) return;
    const bool alone = options_.io == plan::IoMode::funnel;  // only rank 0 has the file open
    const std::size_t self = static_cast<std::size_t>(group_.rank());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (!alone && rank != (self + 1) % ranks) continue;
      const auto begin = all_ranges_.begin() + static_cast<std::ptrdiff_t>(rank * outputs);
      check_ranges({begin, begin + static_cast<std::ptrdiff_t>(outputs)});
    }
  });
}

void OutputSet::check_ranges(const std::vector<Range>& ranges) const {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].elements == 0) continue;
    const Checksum found = writer_->reread(i, ranges[i].first, ranges[i].elements);
    if (found.value == ranges[i].crc) continue;
    throw Error(ErrorKind::io, "what was written reads back differently")
        .expected(fmt::format("CRC-32 {:08x} of elements {} to {}", ranges[i].crc, ranges[i].first,
                              ranges[i].first + ranges[i].elements - 1))
        .found(fmt::format("{:08x}", found.value))
        .advice("check the disk or the file server; nothing was published")
        .at({target_ + ".partial", 0, 0, "", graph_.outputs[i].dataset});
  }
}

void OutputSet::publish(const std::vector<Checksum>& inputs) {
  const auto ranks = static_cast<std::size_t>(group_.size());
  std::vector<Checksum> everyone(inputs.size() * ranks);
  const std::vector<std::int64_t> sizes(
      ranks, static_cast<std::int64_t>(inputs.size() * sizeof(Checksum)));
  group_.all_gather(inputs.data(), sizes, everyone.data());
  writer_.reset();
  together(group_, [&] {
    if (!publication_) return;
    std::vector<Checksum> sums(ranges_.size());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        const Range& range = all_ranges_[rank * ranges_.size() + i];
        sums[i].append(Checksum{range.crc, range.elements * size_of(graph_.outputs[i].info.dtype)});
      }
    }
    nlohmann::json sources = nlohmann::json::object();
    const std::vector<bool> read = graph::needed_tensors(graph_);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const graph::Input& input = graph_.inputs[i];
      if (!read[static_cast<std::size_t>(input.tensor.value)]) continue;
      // What every rank read whole counts once.
      const bool shared = input.info.shape.empty() || (graph_.batched && input.items.size() <= 1);
      Checksum sum;
      for (std::size_t rank = 0; rank < (shared ? 1 : ranks); ++rank) {
        sum.append(everyone[rank * inputs.size() + i]);
      }
      sources[input.name] = {{"dataset", input.sources.front().dataset},
                             {"crc32", fmt::format("{:08x}", sum.value)},
                             {"bytes", sum.bytes}};
    }
    publication_->finish(sums, {{"tessera_inputs", sources.dump()}});
    publication_.reset();
  });
}

}  // namespace tessera::run
