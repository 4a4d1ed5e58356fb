// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace tessera::data {

/// A folder of its own for each test, removed afterwards.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

/// A file that make_files.py wrote.
inline std::string example(const std::string& name) {
  const char* folder = std::getenv("TESSERA_TEST_FILES");
  return std::string(folder == nullptr ? "." : folder) + "/" + name;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The error that `work` ends with; nothing when it succeeds.
inline std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Expects an error of this kind whose one line contains the words.
inline void expect_error(ErrorKind kind, const std::string& words,
                         const std::function<void()>& work) {
  const auto error = error_of(work);
  ASSERT_TRUE(error) << "no error; expected: " << words;
  EXPECT_EQ(exit_code(error->kind()), exit_code(kind)) << error->text();
  EXPECT_NE(error->text().find(words), std::string::npos)
      << error->text() << "\nexpected: " << words;
  EXPECT_EQ(error->text().find('\n'), std::string::npos) << error->text();
}

}  // namespace tessera::data
