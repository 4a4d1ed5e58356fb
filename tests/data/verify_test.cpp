// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/verify.hpp"

#include <hdf5.h>

#include <numeric>

#include "data/publication.hpp"
#include "data/temp_folder.hpp"

namespace tessera::data {
namespace {

struct VerifyTest : testing::Test {
  TempFolder folder;
  std::string path = folder / "out.h5";
  std::vector<Slab> slabs;

  void SetUp() override {
    Publication publication({path,
                             false,
                             {{"/a", DType::int64, {1000}}, {"/b", DType::int64, {8, 9}}},
                             {{"title", "t"}}});
    publication.create();
    slabs = publication.slabs();
    SlabWriter writer(publication.partial(), slabs);
    std::vector<std::int64_t> values(1000);
    std::iota(values.begin(), values.end(), 0);
    std::vector<Checksum> sums(2);
    for (std::size_t i = 0; i < 2; ++i) {
      writer.write(i, 0, slabs[i].elements, values.data());
      sums[i].append(values.data(), static_cast<std::size_t>(8 * slabs[i].elements));
    }
    publication.finish(sums);
  }

  void flip(std::int64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(offset);
    file.put(byte);
  }

  /// Changes the file as another program would.
  void change(const std::function<void(hid_t)>& work) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    work(file);
    H5Fclose(file);
  }

  std::string only_problem() {
    const Verification found = verify(path);
    EXPECT_EQ(found.problems.size(), 1u);
    return found.problems.empty() ? "" : found.problems.front();
  }
};

TEST_F(VerifyTest, FindsEveryFlippedByteOfTheData) {
  EXPECT_TRUE(verify(path).problems.empty());
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{571}}) {
    flip(slabs[1].offset + at);
    EXPECT_NE(only_problem().find("out.h5:/b\" is damaged"), std::string::npos);
    flip(slabs[1].offset + at);
  }
  EXPECT_TRUE(verify(path).problems.empty());
}

TEST_F(VerifyTest, FindsChangedAttributes) {
  change([](hid_t file) { H5Adelete(file, "title"); });
  EXPECT_NE(only_problem().find("attribute was changed"), std::string::npos);
}

TEST_F(VerifyTest, FindsRemovedRenamedAndAddedDatasets) {
  change([](hid_t file) { H5Lmove(file, "/b", file, "/c", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_NE(only_problem().find("the list of datasets"), std::string::npos);
  change([](hid_t file) { H5Ldelete(file, "/c", H5P_DEFAULT); });
  EXPECT_NE(only_problem().find("the list of datasets"), std::string::npos);
  change([](hid_t file) {
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(
        H5Dcreate2(file, "/new", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  EXPECT_NE(only_problem().find("/new\" has no checksum"), std::string::npos);
}

TEST_F(VerifyTest, DamagedMetadataIsAProblemNotACrash) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "HDF5 itself leaks memory when metadata are damaged";
#endif
  int noticed = 0;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  for (std::int64_t at = 0; at < size; at += at < 2048 ? 1 : 97) {
    flip(at);
    const auto error = error_of([&] { noticed += verify(path).problems.empty() ? 0 : 1; });
    if (error) {
      ++noticed;
      EXPECT_EQ(error->kind(), ErrorKind::io) << error->text();
    }
    flip(at);
  }
  EXPECT_GT(noticed, 700);  // the others are gaps
  EXPECT_TRUE(verify(path).problems.empty());
}

TEST_F(VerifyTest, RefusesOtherFiles) {
  expect_error(ErrorKind::io, "carries no checksums", [] { (void)verify(example("types.h5")); });
  expect_error(ErrorKind::io, "there is no file", [&] { (void)verify(folder / "none.h5"); });
  expect_error(ErrorKind::io, "isn't an HDF5 file", [] { (void)verify(example("text.h5")); });
}

}  // namespace
}  // namespace tessera::data
