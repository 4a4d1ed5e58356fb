// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/watchdog.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace tessera::comm {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int notice_channel = 1024;
constexpr auto notice_grace = std::chrono::milliseconds(300);  // a message takes far less
constexpr auto abort_grace = std::chrono::seconds(5);

void print(const std::string& text) {
  const std::string line = "tessera: " + text + "\n";  // one write, not torn by other ranks
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

/// Tells the ranks above that this one has failed; true if a rank below says that it has failed
/// too.
bool lower_rank_failed(Communicator& world) {
  static char mine = 1;
  static char theirs = 0;
  std::vector<Message> sends;
  for (Rank r = world.rank() + 1; r < world.size(); ++r) sends.push_back({r, &mine, 1});
  // Most of these are never received: the job is about to end, so nobody waits for them.
  (void)world.exchange(sends, {}, notice_channel).release();
  std::vector<Request*> notices;
  for (Rank r = 0; r < world.rank(); ++r) {
    const Message notice{r, &theirs, 1};
    notices.push_back(world.exchange({}, {&notice, 1}, notice_channel).release());
  }
  if (notices.empty()) return false;
  for (const auto end = Clock::now() + notice_grace; Clock::now() < end;) {
    for (Request* notice : notices) {
      if (notice->test()) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

std::string with_rank(const std::string& text, Rank rank) {
  if (text.find(" [rank ") != std::string::npos) return text;
  return text + " [rank " + std::to_string(rank) + "]";
}

int fail(Communicator& world, const Error& error) {
  const int code = exit_code(error.kind());
  if (world.size() == 1) {
    print(error.text());
    return code;
  }
  const auto* agreed = dynamic_cast<const AgreedError*>(&error);
  if (agreed != nullptr && agreed->ranks() == world.size()) {
    if (agreed->rank() == world.rank()) print(error.text());
    return code;
  }
  bool silent = false;
  try {
    silent = lower_rank_failed(world);
  } catch (const Error&) {
    // Messages don't work any more: better twice than never.
  }
  if (silent) {
    std::this_thread::sleep_for(abort_grace);  // the lower rank's abort ends this process first
  } else {
    print(with_rank(error.text(), world.rank()));
  }
  world.abort(code);
  return code;  // never reached; compilers don't see that a virtual function can't return
}

}  // namespace tessera::comm
