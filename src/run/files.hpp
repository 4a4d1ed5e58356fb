// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "comm/communicator.hpp"
#include "data/dataset.hpp"
#include "data/publication.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace tessera::run {

/// The graph's input files as one rank sees them: opened at first use, the last few kept open.
class Inputs {
 public:
  explicit Inputs(const graph::Graph& graph);

  /// Reads a box of one item's tensor, dense and row-major.
  void read(int input, std::int64_t item, const Box& box, std::byte* into);
  /// Adds bytes to the content checksum of an input.
  void note(int input, const std::byte* data, std::int64_t bytes);
  [[nodiscard]] const std::vector<Checksum>& checksums() const { return checksums_; }
  /// Forgets the checksums of the inputs that differ from item to item.
  void begin_item();

 private:
  data::Dataset& open(const graph::Source& source);

  const graph::Graph& graph_;
  std::map<std::string, std::unique_ptr<data::InputFile>> files_;
  std::map<std::pair<std::string, std::string>, data::Dataset> datasets_;
  std::vector<Checksum> checksums_;
};

/// How output files are made.
struct OutputOptions {
  bool overwrite = false;
  plan::IoMode io = plan::IoMode::parallel;
  std::string version;  ///< of the program, for provenance
};

/// One output file that a group of ranks writes together, from its creation to its publication.
/// Every function but `write` and `note` is collective over the group; failures of one rank reach
/// all.
class OutputSet {
 public:
  /// `item` is the item's number for a file of one item, -1 otherwise.
  OutputSet(const graph::Graph& graph, OutputOptions options, comm::Communicator& group,
            std::int64_t item);

  void create();
  /// `first` is an element of the dataset in the file.
  void write(int output, std::int64_t first, const std::byte* data, std::int64_t bytes);
  /// Adds a range that this rank made (whoever writes it) to the checksums. Ranges come in
  /// ascending order.
  void note(int output, std::int64_t first, const std::byte* data, std::int64_t bytes);
  void sync();
  /// Re-reads what was written, another rank's part where there is one, against the checksums.
  void verify();
  void publish(const std::vector<Checksum>& inputs);
  [[nodiscard]] const std::string& target() const { return target_; }

 private:
  /// A range of one dataset that one rank made.
  struct Range {
    std::int64_t first = 0;
    std::int64_t elements = 0;
    std::uint32_t crc = 0;
  };

  [[nodiscard]] data::OutputFile description() const;
  void share_slabs();
  [[nodiscard]] bool writes_here() const;
  void check_ranges(const std::vector<Range>& ranges) const;

  const graph::Graph& graph_;
  OutputOptions options_;
  comm::Communicator& group_;
  std::string target_;
  std::int64_t item_;
  std::unique_ptr<data::Publication> publication_;  ///< on the group's rank 0
  std::unique_ptr<data::SlabWriter> writer_;
  std::vector<Range> ranges_;      ///< per output: this rank's
  std::vector<Range> all_ranges_;  ///< per rank and output, from `verify` on
};

/// "{name}" and "{index}" filled in.
[[nodiscard]] std::string item_target(const graph::Graph& graph, std::int64_t item);

}  // namespace tessera::run
