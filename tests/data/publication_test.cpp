// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/publication.hpp"

#include <sys/mount.h>
#include <sys/wait.h>

#include <complex>
#include <cstring>
#include <numeric>

#include "data/dataset.hpp"
#include "data/temp_folder.hpp"
#include "data/verify.hpp"

namespace tessera::data {
namespace {

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.25);
  return values;
}

Checksum sum_of(const std::vector<double>& values) {
  Checksum sum;
  sum.append(values.data(), values.size() * sizeof(double));
  return sum;
}

OutputFile two_datasets(const std::string& target) {
  return {target,
          false,
          {{"/u", DType::float64, {100, 7}}, {"/group/deep/v", DType::float64, {30000}}},
          {{"title", "x"}}};
}

/// Writes with `writers` processes' worth of SlabWriters, each its part of every dataset.
void write_parts(const Publication& publication, int writers) {
  for (std::size_t i = 0; i < publication.slabs().size(); ++i) {
    const std::int64_t count = publication.slabs()[i].elements;
    const std::vector<double> values = numbers(count);
    for (int w = writers - 1; w >= 0; --w) {
      SlabWriter writer(publication.partial(), publication.slabs());
      const std::int64_t first = count * w / writers;
      const std::int64_t end = count * (w + 1) / writers;
      writer.write(i, first, end - first, values.data() + first);
      writer.sync();
    }
  }
}

std::vector<Checksum> sums_of(const Publication& publication) {
  std::vector<Checksum> sums;
  for (const Slab& slab : publication.slabs()) sums.push_back(sum_of(numbers(slab.elements)));
  return sums;
}

void publish(OutputFile output, int writers = 1) {
  Publication publication(std::move(output));
  publication.create();
  write_parts(publication, writers);
  publication.finish(sums_of(publication));
}

TEST(Publication, AppearsCompleteAndVerifies) {
  const TempFolder folder;
  Publication publication(two_datasets(folder / "out.h5"));
  publication.create();
  EXPECT_FALSE(std::filesystem::exists(folder / "out.h5"));
  write_parts(publication, 3);
  publication.finish(sums_of(publication),
                     {{"inputs", "abc"}, {"count", std::int64_t{3}}, {"pi", 3.14}});
  EXPECT_EQ(folder.entries(), 1u);
  const Verification found = verify(folder / "out.h5");
  EXPECT_EQ(found.datasets, (std::vector<std::string>{"/group/deep/v", "/u"}));
  EXPECT_TRUE(found.problems.empty()) << found.problems.front();
  std::vector<double> values(700);
  InputFile(folder / "out.h5").open("/u").read({{0, 0}, {100, 7}}, values.data());
  EXPECT_EQ(values, numbers(700));
}

TEST(Publication, BytesDoNotDependOnWriters) {
  const TempFolder folder;
  publish(two_datasets(folder / "one.h5"), 1);
  publish(two_datasets(folder / "five.h5"), 5);
  EXPECT_EQ(bytes_of(folder / "one.h5"), bytes_of(folder / "five.h5"));
}

TEST(Publication, ManyDatasetsAndLongAttributesAreDeterministic) {
  const TempFolder folder;
  const auto make = [&](const std::string& name) {
    OutputFile output{folder / name, false, {}, {{"graph", std::string(200000, 'g')}}};
    for (int i = 0; i < 300; ++i) {
      output.datasets.push_back(
          {"/g" + std::to_string(i % 7) + "/d" + std::to_string(i), DType::float64, {16}});
    }
    for (int i = 0; i < 20; ++i)
      output.provenance.push_back({"note" + std::to_string(i), std::string(50, 'a')});
    publish(std::move(output), 2);
  };
  make("a.h5");
  make("b.h5");
  EXPECT_EQ(bytes_of(folder / "a.h5"), bytes_of(folder / "b.h5"));
  EXPECT_TRUE(verify(folder / "a.h5").problems.empty());
}

TEST(Publication, ScalarsEmptyDatasetsAndEveryType) {
  const TempFolder folder;
  OutputFile output{folder / "out.h5",
                    false,
                    {{"/scalar", DType::float64, {}}, {"/empty", DType::complex128, {0, 4}}}};
  for (const DType dtype : all_dtypes)
    output.datasets.push_back({"/" + std::string(name_of(dtype)), dtype, {3}});
  Publication publication(output);
  publication.create();
  SlabWriter writer(publication.partial(), publication.slabs());
  EXPECT_EQ(publication.slabs()[1].offset, -1);
  const std::vector<char> bytes(64, 1);
  std::vector<Checksum> sums;
  for (std::size_t i = 0; i < output.datasets.size(); ++i) {
    writer.write(i, 0, publication.slabs()[i].elements, bytes.data());
    Checksum sum;
    sum.append(bytes.data(), static_cast<std::size_t>(publication.slabs()[i].elements *
                                                      size_of(output.datasets[i].dtype)));
    EXPECT_EQ(writer.reread(i, 0, publication.slabs()[i].elements), sum);
    sums.push_back(sum);
  }
  publication.finish(sums);
  EXPECT_TRUE(verify(folder / "out.h5").problems.empty());
  for (const DType dtype : all_dtypes) {
    EXPECT_EQ(probe(folder / "out.h5", "/" + std::string(name_of(dtype))).dtype, dtype);
  }
  EXPECT_EQ(probe(folder / "out.h5", "/scalar").shape, Shape{});
  EXPECT_EQ(probe(folder / "out.h5", "/empty").shape, (Shape{0, 4}));
}

TEST(Publication, RefusesTargetsThatCannotBeWritten) {
  const TempFolder folder;
  publish(two_datasets(folder / "out.h5"));
  const std::string before = bytes_of(folder / "out.h5");
  expect_error(ErrorKind::io, "--overwrite", [&] { publish(two_datasets(folder / "out.h5")); });
  EXPECT_EQ(bytes_of(folder / "out.h5"), before);
  OutputFile again = two_datasets(folder / "out.h5");
  again.overwrite = true;
  again.provenance = {};
  publish(again);
  EXPECT_NE(bytes_of(folder / "out.h5"), before);
  expect_error(ErrorKind::io, "No such file",
               [&] { publish(two_datasets(folder / "none/out.h5")); });
  expect_error(ErrorKind::io, "Not a directory",
               [&] { publish(two_datasets(folder / "out.h5/out.h5")); });
  expect_error(ErrorKind::io, "Is a directory", [&] { publish(two_datasets(folder.path())); });
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Publication, RefusesPathsThatCollide) {
  const auto refuse = [](const std::vector<std::string>& paths, const std::string& words) {
    OutputFile output{"out.h5", false, {}};
    for (const std::string& path : paths) output.datasets.push_back({path, DType::float64, {2}});
    expect_error(ErrorKind::graph, words, [&] { Publication(output).check(); });
  };
  refuse({"/a", "/b", "/a"}, "two outputs \"/a\"");
  refuse({"/a/b", "/a"}, "\"/a/b\" can't lie below \"/a\"");
  refuse({"/a/b/c", "/a", "/a-b"}, "\"/a/b/c\" can't lie below \"/a\"");
  refuse({"a"}, "absolute");
  refuse({"/a//b"}, "absolute");
  refuse({"/a/"}, "absolute");
  refuse({"/"}, "absolute");
  refuse({"/a/../b"}, "absolute");
}

TEST(Publication, LeavesNothingBehindWhenAbandoned) {
  const TempFolder folder;
  {
    Publication publication(two_datasets(folder / "out.h5"));
    publication.create();
    EXPECT_GT(folder.entries(), 0u);
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Publication, RefusesWrongChecksumsWithoutAResult) {
  const TempFolder folder;
  Publication publication(two_datasets(folder / "out.h5"));
  publication.create();
  std::vector<Checksum> sums = sums_of(publication);
  sums[0].bytes -= 8;
  EXPECT_TRUE(error_of([&] { publication.finish(sums); }));
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Publication, OneOfTwoWritersWinsOfCaseH05) {
  const TempFolder folder;
  Publication first(two_datasets(folder / "out.h5"));
  first.create();
  expect_error(ErrorKind::io,
               "is being written by another run: found process " + std::to_string(::getpid()),
               [&] { publish(two_datasets(folder / "out.h5")); });
  write_parts(first, 2);
  first.finish(sums_of(first));
  EXPECT_TRUE(verify(folder / "out.h5").problems.empty());
}

/// A whole run in another process; exit code 0 when it published, 5 when it was refused.
pid_t start_run(const std::string& target) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const auto error = error_of([&] { publish(two_datasets(target), 3); });
  ::_exit(error ? exit_code(error->kind()) : 0);
}

TEST(Publication, OfManyRunsAtOnceExactlyOneWins) {
  for (int round = 0; round < 10; ++round) {
    const TempFolder folder;
    std::vector<pid_t> runs;
    for (int i = 0; i < 6; ++i) runs.push_back(start_run(folder / "out.h5"));
    int published = 0;
    for (const pid_t run : runs) {
      int status = 0;
      ASSERT_EQ(::waitpid(run, &status, 0), run);
      ASSERT_TRUE(WIFEXITED(status));
      const int code = WEXITSTATUS(status);
      EXPECT_TRUE(code == 0 || code == 5) << code;
      published += code == 0 ? 1 : 0;
    }
    EXPECT_EQ(published, 1);
    EXPECT_EQ(folder.entries(), 1u);
    EXPECT_TRUE(verify(folder / "out.h5").problems.empty());
  }
}

TEST(Publication, ATargetThatAppearsMeanwhileIsKept) {
  const TempFolder folder;
  Publication publication(two_datasets(folder / "out.h5"));
  publication.create();
  write_parts(publication, 1);
  std::ofstream(folder / "out.h5") << "somebody else's";
  expect_error(ErrorKind::io, "exists", [&] { publication.finish(sums_of(publication)); });
  EXPECT_EQ(bytes_of(folder / "out.h5"), "somebody else's");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Publication, ReplacesThePartialFileOfAKilledRun) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    Publication publication(two_datasets(folder / "out.h5"));
    publication.create();
    ::_exit(0);  // as if killed: nothing is cleaned up
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(folder.entries(), 2u);
  expect_error(ErrorKind::io, "never completed", [&] { (void)verify(folder / "out.h5.partial"); });
  publish(two_datasets(folder / "out.h5"));
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_TRUE(verify(folder / "out.h5").problems.empty());
}

OutputFile compressed_output(const std::string& target, const Shape& chunk) {
  return {target,
          false,
          {{"/plain", DType::float64, {50}},
           {"/a", DType::float64, {10, 5}, {}, Compression{4, chunk}},
           {"/b", DType::float64, {4000, 100}, {}, Compression{1, {}}},
           {"/none", DType::float64, {0, 5}, {}, Compression{}},
           {"/scalar", DType::float64, {}, {}, Compression{}}}};
}

/// Rows in pieces of `piece`.
void publish_compressed(OutputFile output, std::int64_t piece) {
  Publication publication(std::move(output));
  publication.create();
  SlabWriter writer(publication.partial(), publication.slabs());
  writer.write(0, 0, 50, numbers(50).data());
  const auto write_rows = [&](std::size_t dataset, std::int64_t rows, std::int64_t columns) {
    const std::vector<double> values = numbers(rows * columns);
    for (std::int64_t row = 0; row < rows; row += piece) {
      publication.write_rows(dataset, row, std::min(piece, rows - row),
                             values.data() + row * columns);
    }
  };
  write_rows(1, 10, 5);
  write_rows(2, 4000, 100);
  writer.write(4, 0, 1, numbers(1).data());
  writer.sync();
  publication.finish({sum_of(numbers(50)),
                      publication.written(1),
                      publication.written(2),
                      {},
                      sum_of(numbers(1))});
}

TEST(Publication, CompressedDatasetsOfCaseH07) {
  const TempFolder folder;
  publish_compressed(compressed_output(folder / "1.h5", {4, 5}), 1);
  publish_compressed(compressed_output(folder / "3.h5", {4, 5}), 3);
  publish_compressed(compressed_output(folder / "all.h5", {4, 5}), 4000);
  EXPECT_EQ(bytes_of(folder / "1.h5"), bytes_of(folder / "3.h5"));
  EXPECT_EQ(bytes_of(folder / "1.h5"), bytes_of(folder / "all.h5"));
  EXPECT_TRUE(verify(folder / "1.h5").problems.empty());
  EXPECT_EQ(probe(folder / "1.h5", "/a").storage, "chunked [4, 5], shuffle, deflate");
  std::vector<double> values(400000);
  InputFile(folder / "1.h5").open("/b").read({{0, 0}, {4000, 100}}, values.data());
  EXPECT_EQ(values, numbers(400000));
}

TEST(Publication, CarriesAttributesAndDimensionScales) {
  const TempFolder folder;
  const auto make = [&](const std::string& name) {
    OutputFile output = two_datasets(folder / name);
    const std::string file = example("carry.h5");
    output.datasets = {{"/fields/u", DType::float64, {3, 4}, DatasetName{file, "/fields/u"}},
                       {"/y", DType::float64, {3, 2}, DatasetName{file, "/fields/v"}},
                       {"/other", DType::float64, {5}, DatasetName{file, "/fields/u"}}};
    publish(output);
  };
  make("a.h5");
  make("b.h5");
  EXPECT_EQ(bytes_of(folder / "a.h5"), bytes_of(folder / "b.h5"));
  const Verification found = verify(folder / "a.h5");
  EXPECT_TRUE(found.problems.empty()) << found.problems.front();
  // The scale "y" gives way to the output of that name; the one of labels isn't numbers.
  EXPECT_EQ(found.datasets, (std::vector<std::string>{"/fields/u", "/other", "/x", "/y", "/y_2"}));
}

/// A file system of 1 MiB; not there without the right to mount.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount(path_.c_str());
  }
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

TEST(Publication, RefusesAFullDiskOfCaseH02) {
  const TempFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a tmpfs";
  OutputFile output = two_datasets(folder / "disk/out.h5");
  output.datasets[0].shape = {1000, 1000};
  expect_error(ErrorKind::io, "needs 7.86 MiB, 1.00 MiB free", [&] { publish(output); });
  EXPECT_TRUE(std::filesystem::is_empty(folder / "disk"));
}

TEST(Publication, RefusesADiskThatFillsUpMeanwhile) {
  const TempFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a tmpfs";
  OutputFile output{folder / "disk/out.h5",
                    false,
                    {{"/a", DType::float64, {100000}, {}, Compression{1, {1000}}},
                     {"/b", DType::float64, {40000}}}};
  Publication publication(output);
  publication.create();
  // The room of /b is reserved; that of the compressed /a can't be.
  std::ofstream(folder / "disk/filler") << std::string(1 << 20, 'x');
  SlabWriter writer(publication.partial(), publication.slabs());
  writer.write(1, 0, 40000, numbers(40000).data());
  writer.sync();
  const auto error = error_of([&] {
    publication.write_rows(0, 0, 100000, numbers(100000).data());
    publication.finish({publication.written(0), sum_of(numbers(40000))});
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
  EXPECT_NE(error->text().find("the disk is full"), std::string::npos) << error->text();
  publication.abandon();
  EXPECT_FALSE(std::filesystem::exists(folder / "disk/out.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "disk/out.h5.partial"));
}

}  // namespace
}  // namespace tessera::data
