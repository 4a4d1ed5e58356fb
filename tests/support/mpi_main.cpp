// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>

#include "comm/watchdog.hpp"
#include "support/rank_test.hpp"

namespace tessera::test {

namespace {

comm::Session* the_session = nullptr;

/// Where this rank is, and the thread that ends the job when it stays in one test for too long.
class StuckTimer {
 public:
  StuckTimer(comm::Communicator& world, std::chrono::seconds limit)
      : world_(world), limit_(limit), thread_([this] { watch(); }) {}
  ~StuckTimer() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  StuckTimer(const StuckTimer&) = delete;
  StuckTimer& operator=(const StuckTimer&) = delete;

  void start(const std::string& test) {
    const std::lock_guard lock(mutex_);
    test_ = test;
    place_ = "before the first noted place";
    count_ = 0;
    deadline_ = std::chrono::steady_clock::now() + limit_;
    changed_.notify_all();
  }
  void note(const std::string& place) {
    const std::lock_guard lock(mutex_);
    place_ = place;
    ++count_;
  }
  /// Waiting for other ranks isn't a place that a test has noted.
  void wait_at_end() {
    const std::lock_guard lock(mutex_);
    place_ = "waiting at the end of the test, last " + place_;
  }
  std::int64_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      if (std::chrono::steady_clock::now() < deadline_) {
        changed_.wait_until(lock, deadline_);
        continue;
      }
      std::cerr << "[  STUCK   ] rank " + std::to_string(world_.rank()) + " in " + test_ +
                       " after " + std::to_string(limit_.count()) + " s: " + place_ + "\n"
                << std::flush;
      std::this_thread::sleep_for(std::chrono::seconds(2));  // the others speak too
      world_.abort(1);
    }
  }

  comm::Communicator& world_;
  std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::string test_ = "start-up";
  std::string place_;
  std::int64_t count_ = 0;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + limit_;
  std::thread thread_;  // last: it uses all the others
};

StuckTimer* the_timer = nullptr;

/// Every rank's text, in rank order, on every rank.
std::vector<std::string> gather(comm::Communicator& world, const std::string& mine) {
  const auto size = static_cast<std::size_t>(world.size());
  const std::vector<std::int64_t> one(size, sizeof(std::int64_t));
  const auto length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(size);
  world.all_gather(&length, one, lengths.data());
  std::string all(
      static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})),
      ' ');
  world.all_gather(mine.data(), lengths, all.data());
  std::vector<std::string> result;
  std::size_t begin = 0;
  for (const std::int64_t bytes : lengths) {
    result.push_back(all.substr(begin, static_cast<std::size_t>(bytes)));
    begin += static_cast<std::size_t>(bytes);
  }
  return result;
}

/// Collects this rank's failures and shows every other rank's on rank 0 at the end of each test.
class RankListener final : public testing::EmptyTestEventListener {
 public:
  explicit RankListener(comm::Communicator& control) : control_(control) {}
  [[nodiscard]] bool any_rank_failed() const { return any_failed_; }

 private:
  void OnTestStart(const testing::TestInfo& info) override {
    failures_.clear();
    the_timer->start(std::string(info.test_suite_name()) + "." + info.name());
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::ostringstream text;
    text << (result.file_name() != nullptr ? result.file_name() : "unknown file") << ":"
         << result.line_number() << ": Failure\n"
         << result.message() << "\n";
    failures_ += text.str();
  }
  void OnTestEnd(const testing::TestInfo& info) override {
    const std::int64_t count = the_timer->count();
    the_timer->wait_at_end();
    const std::vector<std::string> failures = gather(control_, failures_);
    const std::vector<std::string> counts = gather(control_, std::to_string(count));
    for (std::size_t r = 0; r < failures.size(); ++r) {
      if (!failures[r].empty()) any_failed_ = true;
      if (r > 0) report(r, info, failures[r]);
      if (counts[r] != counts[0]) {
        any_failed_ = true;
        report(r, info, "reached " + counts[r] + " noted places, rank 0 " + counts[0] + "\n");
      }
    }
  }
  void report(std::size_t rank, const testing::TestInfo& info, const std::string& text) const {
    if (text.empty() || control_.rank() != 0) return;
    std::cout << "[  RANK " << rank << "  ] " << info.test_suite_name() << "." << info.name()
              << "\n"
              << text << std::flush;
  }

  comm::Communicator& control_;
  std::string failures_;
  bool any_failed_ = false;
};

int run_tests() {
  comm::Communicator& world = the_session->world();
  std::vector<Rank> everyone(static_cast<std::size_t>(world.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  // Messages of the tests and about the tests don't meet.
  comm::Communicator& control = world.group(everyone);
  const char* seconds = std::getenv("TESSERA_TEST_SECONDS");
  StuckTimer timer(world, std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 60));
  the_timer = &timer;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world.rank() != 0) delete listeners.Release(listeners.default_result_printer());
  auto* listener = new RankListener(control);  // owned by GoogleTest
  listeners.Append(listener);
  const bool failed = RUN_ALL_TESTS() != 0 || listener->any_rank_failed();
  the_timer->start("the end of the program");
  const auto any = control.all_reduce<std::int32_t>(failed ? 1 : 0, comm::ReduceOp::max);
  if (any != 0 && world.rank() == 0)
    std::cout << "[  FAILED  ] on at least one rank\n" << std::flush;
  delete listeners.Release(listener);
  return any;
}

}  // namespace

comm::Session& session() { return *the_session; }

void reached(const std::source_location& where) {
  the_timer->note(std::string(where.file_name()) + ":" + std::to_string(where.line()));
}

}  // namespace tessera::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    tessera::comm::Session session;
    tessera::test::the_session = &session;
    try {
      const int failed = tessera::test::run_tests();
      session.finish();
      return failed;
    } catch (const tessera::Error& error) {
      return tessera::comm::fail(session.world(), error);
    }
  } catch (const tessera::Error& error) {
    std::cerr << error.text() << "\n";
    return tessera::exit_code(error.kind());
  }
}
