// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "data/digest.hpp"
#include "data/hdf5_scale.hpp"
#include "data/publication.hpp"

namespace tessera::data {

/// Makes the groups on the way to a dataset that aren't there yet.
void create_groups(const Handle& file, const std::string& dataset, const std::string& subject);

/// Takes attributes and dimension scales of input datasets over into an output file. A scale that
/// several outputs share is copied once; it keeps its path, with a number behind it where the name
/// is taken. Scales that aren't numbers stay behind.
class Carry {
 public:
  /// `taken`: the paths of the outputs themselves.
  Carry(const Handle& file, std::string file_name, std::set<std::string> taken);

  /// Does nothing when the origin hasn't the output's shape.
  void apply(const OutputDataset& output, const Handle& dataset);
  /// Closes the scales that were copied, checked.
  void close();
  /// The scales that were copied, with their checksums.
  [[nodiscard]] const std::vector<DatasetSummary>& scales() const { return summaries_; }

 private:
  const InputFile& source(const std::string& path);
  /// The copy in the output file; a closed handle for a scale that stays behind.
  const Handle& copy_of(const InputFile& from, const h5::Scale& scale);
  Handle copy(const InputFile& from, const h5::Scale& scale);
  [[nodiscard]] std::string free_path(const std::string& wanted);

  const Handle& file_;
  std::string file_name_;
  std::set<std::string> taken_;
  std::map<std::string, InputFile> sources_;
  std::map<std::pair<std::string, std::string>, Handle> copies_;
  std::vector<DatasetSummary> summaries_;
};

}  // namespace tessera::data
