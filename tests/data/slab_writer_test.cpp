// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/slab_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "data/temp_folder.hpp"

namespace tessera::data {
namespace {

struct SlabWriterTest : testing::Test {
  TempFolder folder;
  std::string path = folder / "file";
  std::vector<Slab> slabs = {{"/a", DType::int32, 100, 16}, {"/none", DType::int32, 0, -1}};
  std::vector<std::int32_t> values = std::vector<std::int32_t>(100, 0x01020304);

  void SetUp() override { std::ofstream(path) << std::string(500, '\0'); }

  /// Fails with `error` after `good` calls.
  static SlabWriter::WriteCall failing(int good, int error) {
    return [=](int fd, const void* data, std::size_t bytes, off_t offset) mutable -> ssize_t {
      if (good-- > 0) return ::pwrite(fd, data, std::min<std::size_t>(bytes, 10), offset);
      errno = error;
      return -1;
    };
  }
};

TEST_F(SlabWriterTest, WritesWhereTheDatasetLies) {
  SlabWriter writer(path, slabs);
  writer.write(0, 90, 10, values.data());
  writer.write(1, 0, 0, nullptr);
  writer.sync();
  const std::string bytes = bytes_of(path);
  EXPECT_EQ(bytes.size(), 500u);
  EXPECT_EQ(bytes[16 + 360], 4);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 460);
  Checksum expected;
  expected.append(values.data(), 40);
  EXPECT_EQ(writer.reread(0, 90, 10), expected);
  EXPECT_NE(writer.reread(0, 89, 10), expected);
}

TEST_F(SlabWriterTest, ShortAndInterruptedWritesGoOn) {
  int calls = 0;
  SlabWriter writer(path, slabs,
                    [&](int fd, const void* data, std::size_t bytes, off_t offset) -> ssize_t {
                      if (++calls % 2 == 0) {
                        errno = EINTR;
                        return -1;
                      }
                      return ::pwrite(fd, data, std::min<std::size_t>(bytes, 7), offset);
                    });
  writer.write(0, 0, 100, values.data());
  Checksum expected;
  expected.append(values.data(), 400);
  EXPECT_EQ(writer.reread(0, 0, 100), expected);
  EXPECT_GT(calls, 100);
}

TEST_F(SlabWriterTest, FailuresNameFileDatasetAndRemedy) {
  const struct {
    int error;
    const char* words;
  } failures[] = {
      {ENOSPC, "the disk is full"}, {EDQUOT, "quota"}, {EIO, "the disk or the file server failed"}};
  for (const auto& failure : failures) {
    SlabWriter writer(path, slabs, failing(3, failure.error));
    expect_error(ErrorKind::io, failure.words, [&] { writer.write(0, 0, 100, values.data()); });
    expect_error(ErrorKind::io, "can't write dataset \"/a\"",
                 [&] { writer.write(0, 0, 100, values.data()); });
    expect_error(ErrorKind::io, path, [&] { writer.write(0, 0, 100, values.data()); });
  }
}

TEST_F(SlabWriterTest, NeverLeavesItsDataset) {
  SlabWriter writer(path, slabs);
  expect_error(ErrorKind::internal, "inside its dataset",
               [&] { writer.write(0, 91, 10, values.data()); });
  expect_error(ErrorKind::internal, "inside its dataset",
               [&] { writer.write(0, -1, 1, values.data()); });
  expect_error(ErrorKind::internal, "has storage", [&] { writer.write(1, 0, 1, values.data()); });
  expect_error(ErrorKind::internal, "below their count",
               [&] { writer.write(2, 0, 1, values.data()); });
}

TEST_F(SlabWriterTest, AFileThatIsMissingOrEndsEarly) {
  expect_error(ErrorKind::io, "No such file", [&] { SlabWriter writer(folder / "none", slabs); });
  std::filesystem::resize_file(path, 100);
  const SlabWriter writer(path, slabs);
  expect_error(ErrorKind::io, "the file ends", [&] { (void)writer.reread(0, 0, 100); });
}

}  // namespace
}  // namespace tessera::data
