// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// The operation that src/README.md adds as an example compiles as it stands there and fits the
// vocabulary.
#include <gtest/gtest.h>

#include "ops/operation.hpp"

namespace tessera::ops {

Operation negate_operation();

namespace {

TEST(ReadmeExample, InfersTypeAndShape) {
  const Operation operation = negate_operation();
  const graph::Params params;
  const std::vector<graph::TensorInfo> inputs = {{DType::float32, {3, 5}}};
  const graph::InferContext context{inputs, params, Recipe::ordered, {"x"}};
  const std::vector<graph::TensorInfo> result = operation.signature.infer(context);
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].dtype, DType::float32);
  EXPECT_EQ(result[0].shape, Shape({3, 5}));
}

TEST(ReadmeExample, FillsItsPage) {
  const Operation operation = negate_operation();
  EXPECT_EQ(operation.signature.name, "negate");
  for (const std::string* text :
       {&operation.summary, &operation.types, &operation.error_bound, &operation.rounding,
        &operation.distributed, &operation.example}) {
    EXPECT_FALSE(text->empty());
  }
}

}  // namespace
}  // namespace tessera::ops
