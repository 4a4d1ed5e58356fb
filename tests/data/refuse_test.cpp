// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <hdf5.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/dataset.hpp"
#include "data/temp_folder.hpp"

namespace tessera::data {
namespace {

void expect_refused(const std::string& file, const std::string& dataset, const std::string& words) {
  SCOPED_TRACE(file + ":" + dataset);
  expect_error(ErrorKind::graph, words, [&] { (void)probe(example(file), dataset); });
  expect_error(ErrorKind::graph, dataset, [&] { (void)probe(example(file), dataset); });
}

TEST(Refuse, FilesThatAreMissingOrNotHdf5) {
  expect_error(ErrorKind::graph, "there is no file", [] { InputFile file(example("tipes.h5")); });
  expect_error(ErrorKind::graph, "types.h5", [] { InputFile file(example("tipes.h5")); });
  expect_error(ErrorKind::graph, "no folder", [] { InputFile file(example("nowhere/x.h5")); });
  expect_error(ErrorKind::graph, "is a folder", [] { InputFile file(example(".")); });
  expect_error(ErrorKind::io, "isn't an HDF5 file", [] { InputFile file(example("text.h5")); });
  expect_error(ErrorKind::io, "the file is cut off", [] { InputFile file(example("short.h5")); });
}

TEST(Refuse, MissingDatasetsNamingWhatThereIs) {
  expect_refused("links.h5", "/hart", "again, bad, e, gone, group, hard, s in group \"/\"");
  expect_refused("links.h5", "/group/outside", "inside in group \"/group\"");
  expect_refused("links.h5", "/group", "a group with inside");
}

TEST(Refuse, DanglingLinksOfCaseA09) {
  expect_refused("links.h5", "/bad", "the link \"/bad\" points to \"/no\"");
  expect_refused("links.h5", "/gone", "points to \"/d\" of \"none.h5\"");
}

TEST(Refuse, ElementTypes) {
  expect_refused("types.h5", "/longdouble", "128-bit floating-point");
  expect_refused("types.h5", "/text", "strings");
  expect_refused("types.h5", "/fixed", "strings");
  expect_refused("types.h5", "/ref", "references");
  expect_refused("types.h5", "/compound", "a compound of 3 fields");
  expect_refused("types.h5", "/two", "a compound of 2 fields");
  expect_refused("types.h5", "/array", "small arrays");
  expect_refused("types.h5", "/vlen", "sequences of varying length");
  expect_refused("types.h5", "/opaque", "opaque");
  expect_refused("types.h5", "/nine_axes", "too many axes");
}

TEST(Refuse, NullDataspaceOfCaseA06) {
  expect_refused("types.h5", "/null", "dataset has no data (null dataspace)");
}

TEST(Refuse, MissingFilterOfCaseA07) { expect_refused("cases.h5", "/lzf", "filter 32000 (lzf)"); }

TEST(Refuse, RawDataInOtherFiles) { expect_refused("raw.h5", "/outside", "raw file"); }

TEST(Refuse, VirtualDatasetsWithMissingSources) {
  expect_refused("virtual.h5", "/hole", "\"v9.h5\"");
  expect_refused("virtual.h5", "/no_dataset", "\"nothing\"");
}

template <class T>
void read_all(const std::string& file, const std::string& dataset) {
  const Dataset opened = InputFile(example(file)).open(dataset);
  std::vector<T> values(static_cast<std::size_t>(element_count(opened.info().shape)));
  opened.read(Box::whole(opened.info().shape), values.data());
}

TEST(Refuse, ValuesThatDoNotFitAreNeverClamped) {
  expect_error(ErrorKind::graph, "9223372036854775808",
               [] { read_all<std::int64_t>("types.h5", "u8_over"); });
  expect_error(ErrorKind::graph, "neither true nor false",
               [] { read_all<std::uint8_t>("types.h5", "bool_bad"); });
}

TEST(Refuse, DamagedChunkOnlyWhereItIsRead) {
  const Dataset dataset = InputFile(example("cases.h5")).open("broken");
  std::vector<double> values(1000);
  dataset.read({{0}, {1000}}, values.data());
  expect_error(ErrorKind::io, "cases.h5:/broken", [&] {
    dataset.read({{2500}, {10}}, values.data());
  });
}

/// Holds a file open for writing in another process until it goes out of scope.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    if (::pipe(ready_) != 0 || ::pipe(done_) != 0) throw std::runtime_error("pipe failed");
    child_ = ::fork();
    if (child_ == 0) {
      char byte = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT) >= 0 ? 'y' : 'n';
      byte = ::write(ready_[1], &byte, 1) == 1 && ::read(done_[0], &byte, 1) == 1 ? 0 : 1;
      ::_exit(byte);
    }
    char answer = 0;
    held_ = ::read(ready_[0], &answer, 1) == 1 && answer == 'y';
  }
  ~Holder() {
    const char byte = 0;
    if (::write(done_[1], &byte, 1) == 1) ::waitpid(child_, nullptr, 0);
    for (const int end : {ready_[0], ready_[1], done_[0], done_[1]}) ::close(end);
  }
  [[nodiscard]] bool held() const { return held_; }

 private:
  int ready_[2]{};
  int done_[2]{};
  pid_t child_ = -1;
  bool held_ = false;
};

TEST(Refuse, FilesThatAreOpenForWritingElsewhereOfCaseH01) {
  const Holder holder(example("locked.h5"));
  ASSERT_TRUE(holder.held());
  expect_error(ErrorKind::io, "is open for writing elsewhere (errno 11)",
               [] { InputFile file(example("locked.h5")); });
  expect_refused("virtual.h5", "/waiting", "is open for writing elsewhere (errno 11)");
}

TEST(Refuse, TheMarkOfAKilledWriter) {
  expect_error(ErrorKind::io, "h5clear", [] { InputFile file(example("marked.h5")); });
}

TEST(Refuse, InputsAreNeverOpenedForWriting) {
  const std::string before = bytes_of(example("types.h5"));
  read_all<double>("types.h5", "f8");
  EXPECT_EQ(bytes_of(example("types.h5")), before);
  // A shared lock only: another reader may come.
  const InputFile first(example("types.h5"));
  const InputFile second(example("types.h5"));
}

}  // namespace
}  // namespace tessera::data
