// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Movement of bytes, groups and agreement; sums are in reduction_test.cpp.
#include "comm/each_communicator.hpp"

namespace tessera::test {

namespace {

using comm::AgreedError;
using comm::Message;

using CommunicatorTest = EachCommunicator;
INSTANTIATE_TEST_SUITE_P(Kinds, CommunicatorTest, every_kind(), kind_name);

TEST_P(CommunicatorTest, KnowsItsPlace) {
  EXPECT_EQ(rank(), test::world().rank());
  EXPECT_EQ(size(), test::world().size());
  EXPECT_EQ(world().node_size(), size()) << "tests run on one node";
  EXPECT_EQ(world().node_rank(), rank());
  if (session().uses_mpi() && size() > 1) {
    EXPECT_EQ(world().describe().substr(0, 5), "MPI (") << world().describe();
    EXPECT_EQ(world().describe().find("package"), std::string::npos) << world().describe();
  } else if (!session().uses_mpi()) {
    EXPECT_EQ(world().describe(), "self");
  }
  world().barrier();
}

TEST_P(CommunicatorTest, Broadcast) {
  for (const std::int64_t bytes : {0, 1, 6, 7, 8, 999, 1000, 1001, 54321}) {
    for (Rank root = 0; root < size(); ++root) {
      std::vector<std::uint8_t> data = stamped(rank(), bytes);
      world().broadcast(data.data(), bytes, root);
      EXPECT_EQ(data, stamped(root, bytes)) << bytes << " bytes from " << root;
    }
  }
  reached();
}

TEST_P(CommunicatorTest, AllGatherOfUnequalAndEmptyParts) {
  for (const std::int64_t unit : {0, 1, 5, 1000, 4099}) {
    std::vector<std::int64_t> bytes;
    std::vector<std::uint8_t> expected;
    for (Rank r = 0; r < size(); ++r) {
      bytes.push_back(r % 3 == 1 ? 0 : unit * (r + 1));
      for (std::int64_t i = 0; i < bytes.back(); ++i) expected.push_back(stamp(r, i));
    }
    const std::vector<std::uint8_t> mine = stamped(rank(), bytes[rank()]);
    std::vector<std::uint8_t> all(expected.size(), 255);
    world().all_gather(mine.data(), bytes, all.data());
    EXPECT_EQ(all, expected) << "unit " << unit;
    // The part may lie in its place already.
    const std::int64_t offset =
        std::accumulate(bytes.begin(), bytes.begin() + rank(), std::int64_t{0});
    std::vector<std::uint8_t> again(expected.size(), 255);
    std::copy(mine.begin(), mine.end(), again.begin() + offset);
    world().all_gather(again.data() + offset, bytes, again.data());
    EXPECT_EQ(again, expected) << "unit " << unit << " in place";
  }
}

TEST_P(CommunicatorTest, AllToAllOfUnequalAndEmptyParts) {
  // From a to b go (3a + 5b) % 11 * unit bytes, with gaps of one byte that must stay as they are.
  for (const std::int64_t unit : {1, 97, 1013}) {
    const auto length = [unit](Rank a, Rank b) {
      return std::int64_t{(3 * a + 5 * b) % 11} * unit;
    };
    std::vector<std::int64_t> send_bytes, send_offsets, receive_bytes, receive_offsets;
    std::vector<std::uint8_t> out;
    std::int64_t total = 0;
    for (Rank r = 0; r < size(); ++r) {
      send_bytes.push_back(length(rank(), r));
      send_offsets.push_back(static_cast<std::int64_t>(out.size()));
      for (std::int64_t i = 0; i < send_bytes.back(); ++i) out.push_back(stamp(rank() + r * 31, i));
      out.push_back(255);
      receive_bytes.push_back(length(r, rank()));
      receive_offsets.push_back(total);
      total += receive_bytes.back() + 1;
    }
    std::vector<std::uint8_t> in(static_cast<std::size_t>(total), 254);
    world().all_to_all(out.data(), send_bytes, send_offsets, in.data(), receive_bytes,
                       receive_offsets);
    for (Rank r = 0; r < size(); ++r) {
      const auto begin = in.begin() + receive_offsets[r];
      const std::vector<std::uint8_t> part(begin, begin + receive_bytes[r]);
      EXPECT_EQ(part, stamped(r + rank() * 31, receive_bytes[r])) << "from " << r;
      EXPECT_EQ(*(begin + receive_bytes[r]), 254);
    }
  }
}

TEST_P(CommunicatorTest, SendAndReceiveRoundTheRing) {
  const Rank right = (rank() + 1) % size();
  const Rank left = (rank() + size() - 1) % size();
  for (const std::int64_t bytes : {0, 1, 1000, 3001}) {
    const std::vector<std::uint8_t> mine = stamped(rank(), bytes);
    std::vector<std::uint8_t> theirs(static_cast<std::size_t>(bytes));
    if (rank() % 2 == 0) world().send(mine.data(), bytes, right, 3);
    world().receive(theirs.data(), bytes, left, 3);
    if (rank() % 2 == 1) world().send(mine.data(), bytes, right, 3);
    EXPECT_EQ(theirs, stamped(left, bytes));
  }
}

TEST_P(CommunicatorTest, ExchangesOnSeveralChannelsAreKeptApart) {
  // Three exchanges are under way at a time, finished in another order than started; each sends two
  // messages (one may be empty) to every rank, this one too.
  const std::vector<std::int64_t> first = {3, 0, 2500};
  const std::vector<std::int64_t> second = {1, 5000, 0};
  std::vector<std::vector<std::uint8_t>> out(3), in(3);
  std::vector<std::unique_ptr<comm::Request>> requests;
  for (int channel = 0; channel < 3; ++channel) {
    const std::int64_t a = first[channel];
    const std::int64_t b = second[channel];
    out[channel] = stamped(rank() * 3 + channel, a + b);
    in[channel].assign(static_cast<std::size_t>((a + b) * size()), 255);
    std::vector<Message> sends, receives;
    for (Rank r = 0; r < size(); ++r) {
      sends.push_back({r, out[channel].data(), a});
      sends.push_back({r, out[channel].data() + a, b});
      receives.push_back({r, in[channel].data() + r * (a + b), a});
      receives.push_back({r, in[channel].data() + r * (a + b) + a, b});
    }
    requests.push_back(world().exchange(sends, receives, channel * 500));
  }
  requests[2]->wait();
  while (!requests[0]->test()) {
  }
  requests[1]->wait();
  EXPECT_TRUE(requests[1]->test());
  for (int channel = 0; channel < 3; ++channel) {
    const std::int64_t bytes = first[channel] + second[channel];
    for (Rank r = 0; r < size(); ++r) {
      const auto begin = in[channel].begin() + r * bytes;
      EXPECT_EQ(std::vector<std::uint8_t>(begin, begin + bytes), stamped(r * 3 + channel, bytes))
          << "channel " << channel << " from " << r;
    }
  }
}

TEST_P(CommunicatorTest, ExchangeNeedsOnlyTheRanksThatAreNamed) {
  if (rank() == 0) {
    std::int64_t value = 17;
    const std::vector<Message> sends = {{size() - 1, &value, sizeof(value)}};
    std::vector<Message> receives;
    std::int64_t own = 0;
    if (size() == 1) receives.push_back({0, &own, sizeof(own)});
    world().exchange(sends, receives, 9)->wait();
  } else if (rank() == size() - 1) {
    std::int64_t value = 0;
    const std::vector<Message> receives = {{0, &value, sizeof(value)}};
    world().exchange({}, receives, 9)->wait();
    EXPECT_EQ(value, 17);
  }
  EXPECT_TRUE(world().exchange({}, {}, 5)->test());
}

TEST_P(CommunicatorTest, AnUnansweredReceiveIsGivenUpWhenAnExceptionPasses) {
  std::vector<std::uint8_t> buffer(100);
  const std::vector<Message> receives = {{(rank() + 1) % size(), buffer.data(), 100}};
  if (size() > 1) {
    EXPECT_THROW(
        {
          const auto request = world().exchange({}, receives, 11);
          throw Error(ErrorKind::io, "something else");
        },
        Error);
  }
  world().barrier();
}

TEST_P(CommunicatorTest, AMessageOfAnotherSizeIsNoticed) {
  std::vector<std::uint8_t> buffer(100);
  const std::vector<Message> sends = {{(rank() + 1) % size(), buffer.data(), 3}};
  std::vector<std::uint8_t> into(100);
  const std::vector<Message> receives = {{(rank() + size() - 1) % size(), into.data(), 5}};
  EXPECT_THROW(world().exchange(sends, receives, 4)->wait(), Error);
  world().barrier();
}

TEST_P(CommunicatorTest, GroupsAreCachedAndExchangeAmongThemselves) {
  std::vector<Rank> same_parity;
  for (Rank r = rank() % 2; r < size(); r += 2) same_parity.push_back(r);
  comm::Communicator& group = world().group(same_parity);
  EXPECT_EQ(&group, &world().group(same_parity));
  EXPECT_EQ(group.size(), static_cast<int>(same_parity.size()));
  EXPECT_EQ(same_parity[group.rank()], rank());
  const std::int64_t expected =
      std::accumulate(same_parity.begin(), same_parity.end(), std::int64_t{0});
  EXPECT_EQ(group.all_reduce<std::int64_t>(rank(), comm::ReduceOp::sum), expected);
  // Other members: another communicator.
  const std::vector<Rank> alone = {rank()};
  EXPECT_EQ(world().group(alone).all_reduce<double>(0.5, comm::ReduceOp::sum), 0.5);
  EXPECT_EQ(group.all_reduce<std::int32_t>(1, comm::ReduceOp::sum), group.size());
  const std::vector<Rank> foreign = {rank() + 1};
  EXPECT_THROW((void)world().group(foreign), Error);
}

TEST_P(CommunicatorTest, AgreeIsSilentWhenNobodyFailed) { EXPECT_NO_THROW(world().agree({})); }

TEST_P(CommunicatorTest, AllRanksThrowTheErrorOfTheLowestFailedRank) {
  // Every non-empty set of failing ranks.
  for (int set = 1; set < (1 << size()); ++set) {
    Rank lowest = 0;
    while ((set >> lowest & 1) == 0) ++lowest;
    std::optional<Error> mine;
    if ((set >> rank() & 1) != 0) {
      mine = Error(ErrorKind::io, "can't read x.h5").found("errno " + std::to_string(rank()));
    }
    const std::string suffix = size() > 1 ? " [rank " + std::to_string(lowest) + "]" : "";
    const std::string expected = "can't read x.h5: found errno " + std::to_string(lowest) + suffix;
    try {
      world().agree(mine);
      ADD_FAILURE() << "set " << set << " was not noticed";
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.text(), expected);
      EXPECT_EQ(error.kind(), ErrorKind::io);
      EXPECT_EQ(error.rank(), lowest);
      EXPECT_EQ(error.ranks(), size());
    }
    reached();
  }
}

TEST_P(CommunicatorTest, AGroupNamesRanksOfTheWorldAndNamesThemOnce) {
  if (size() < 2) return;
  std::vector<Rank> upper(static_cast<std::size_t>(size() - 1));
  std::iota(upper.begin(), upper.end(), 1);
  std::optional<Error> known;
  if (rank() > 0 && size() > 2) {
    try {
      world().group(upper).agree(Error(ErrorKind::numerical, "singular"));
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.text(), "singular [rank 1]");
      EXPECT_EQ(error.ranks(), size() - 1);
      known = error;
    }
  } else if (rank() > 0) {
    known = Error(ErrorKind::numerical, "singular");
  }
  try {
    world().agree(known);
    ADD_FAILURE() << "was not noticed";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.text(), "singular [rank 1]");
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
  }
}

TEST_P(CommunicatorTest, WrongPeersAndChannelsAreOurMistakes) {
  int value = 0;
  const std::vector<Message> wrong = {{size(), &value, sizeof(value)}};
  EXPECT_THROW((void)world().exchange(wrong, {}, 0), Error);
  EXPECT_THROW(world().send(&value, sizeof(value), -1, 0), Error);
  EXPECT_THROW(world().broadcast(&value, sizeof(value), size()), Error);
}

}  // namespace

}  // namespace tessera::test
