// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// A program that fails in the way its argument says; run by failure_test.py under mpirun.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "comm/fingerprint.hpp"
#include "comm/session.hpp"
#include "comm/watchdog.hpp"

namespace {

using namespace tessera;

/// Waits for messages that the last rank never sends.
void wait_for_the_last(comm::Communicator& world) {
  std::vector<char> buffer(100000);
  const comm::Message missing{world.size() - 1, buffer.data(), 100000};
  world.exchange({}, {&missing, 1}, 1)->wait();
}

void misbehave(comm::Communicator& world, const std::string& how) {
  const bool last = world.rank() == world.size() - 1;
  if (how == "throw") {
    // An exchange of its own is under way when it throws.
    std::vector<char> buffer(100);
    const comm::Message never{0, buffer.data(), 100};
    const auto request = world.exchange({}, {&never, last && world.size() > 1 ? 1U : 0U}, 2);
    if (last) throw Error(ErrorKind::io, "can't read x.h5").advice("look at the disk");
    wait_for_the_last(world);
  } else if (how == "throw-in-collective") {
    if (last) throw Error(ErrorKind::numerical, "singular");
    world.all_reduce<double>(1.0, comm::ReduceOp::sum);
  } else if (how == "all-throw") {
    throw Error(ErrorKind::does_not_fit, "too large");
  } else if (how == "kill") {
    if (last) (void)raise(SIGKILL);
    wait_for_the_last(world);
  } else if (how == "agree") {
    world.agree(last ? std::optional(Error(ErrorKind::graph, "unknown step")) : std::nullopt);
  } else if (how == "group-agree" && world.size() > 2) {
    const std::vector<Rank> pair{world.size() - 2, world.size() - 1};
    if (world.rank() >= pair[0]) {
      world.group(pair).agree(last ? std::optional(Error(ErrorKind::io, "no such file"))
                                   : std::nullopt);
    }
    wait_for_the_last(world);
  } else if (how == "mixed-build") {
    require_same(world, comm::Fingerprint::of_process(last ? "new" : "old", "ordered"));
  } else if (how == "slow") {
    if (last) std::this_thread::sleep_for(std::chrono::seconds(12));
    world.barrier();
  }
}

}  // namespace

int main(int argc, char** argv) {
  comm::Session session;
  int code = 0;
  try {
    misbehave(session.world(), argc > 1 ? argv[1] : "");
  } catch (const Error& error) {
    code = comm::fail(session.world(), error);
  }
  session.finish();
  return code;
}
