// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/verify.hpp"

#include <fmt/format.h>

#include <optional>

#include "data/dataset.hpp"
#include "data/digest.hpp"
#include "data/hdf5_call.hpp"
#include "data/stored_checksum.hpp"

namespace tessera::data {
namespace {

/// What the file says of a dataset, after a look at the data; nothing when it says nothing.
std::optional<DatasetSummary> check_dataset(const InputFile& file, const std::string& path,
                                            std::vector<std::string>& problems) {
  const std::string subject = h5::subject(file.path(), path);
  try {
    const Dataset dataset = file.open(path);
    const auto noted = h5::read_checksum(dataset.handle(), checksum_attribute, subject);
    if (!noted) {
      problems.push_back(subject + " has no checksum: it wasn't written with the file");
      return std::nullopt;
    }
    const std::uint32_t found = stored_checksum(dataset).value;
    if (found != *noted) {
      problems.push_back(fmt::format("{} is damaged: its checksum is {:08x}, expected {:08x}",
                                     subject, found, *noted));
    }
    return DatasetSummary{path, dataset.info().dtype, dataset.info().shape, *noted};
  } catch (const Error& error) {
    problems.emplace_back(error.text());
    return std::nullopt;
  }
}

/// An input that is refused is a file that fails the check.
InputFile open_checked(const std::string& file) {
  if (file.ends_with(".partial")) {
    throw Error(ErrorKind::io, h5::subject(file) + " is an output that was never completed")
        .advice("run again; the next run to that target replaces it");
  }
  try {
    return InputFile(file);
  } catch (const Error& error) {
    throw Error(ErrorKind::io, error.text());
  }
}

}  // namespace

Verification verify(const std::string& path) {
  const InputFile file = open_checked(path);
  const std::string subject = h5::subject(path);
  const Handle root = file.root();
  const auto noted = h5::read_checksum(root, digest_attribute, subject);
  if (!noted) {
    throw Error(ErrorKind::io, subject + " carries no checksums")
        .expected("a file that tessera wrote");
  }
  Verification result;
  result.datasets = file.datasets();
  std::vector<DatasetSummary> summaries;
  for (const std::string& dataset : result.datasets) {
    if (const auto summary = check_dataset(file, dataset, result.problems))
      summaries.push_back(*summary);
  }
  const bool complete = summaries.size() == result.datasets.size();
  const std::uint32_t digest =
      digest_of(description(h5::read_attributes(root, subject), summaries));
  if (complete && digest != *noted) {
    result.problems.push_back(
        fmt::format("{}: the list of datasets or an attribute was changed: the digest is {:08x}, "
                    "expected {:08x}",
                    subject, digest, *noted));
  }
  return result;
}

}  // namespace tessera::data
