// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <numeric>
#include <thread>

#include "comm/fold.hpp"
#include "comm/mailbox.hpp"
#include "comm/mpi_call.hpp"
#include "comm/watchdog.hpp"
#include "layout/layout.hpp"

namespace tessera::comm {

namespace {

constexpr int last_channel = 1024;                // 0..1023 are the caller's, 1024 the watchdog's
constexpr int own_channel = last_channel + 1;     // of our all-to-all
constexpr std::int64_t gathered_bytes = 1 << 15;  // up to here gathering all parts beats two rounds
constexpr std::int64_t scratch_bytes = 1 << 24;   // of a fold: bounds what all_reduce allocates

std::byte* at(void* data, std::int64_t offset) { return static_cast<std::byte*>(data) + offset; }
std::byte* at(const void* data, std::int64_t offset) {
  return static_cast<std::byte*>(const_cast<void*>(data)) +
         offset;  // Message is shared by both directions
}

class MpiRequest final : public Request {
 public:
  explicit MpiRequest(mpi::Requests requests) : requests_(std::move(requests)) {}
  MpiRequest(const MpiRequest&) = delete;
  MpiRequest& operator=(const MpiRequest&) = delete;
  ~MpiRequest() override {
    if (requests_.empty()) return;
    if (std::uncaught_exceptions() > exceptions_) {
      requests_.give_up();
      return;
    }
    std::fputs("tessera: warning: messages were dropped while under way; waiting for them\n",
               stderr);
    try {
      requests_.wait_all();
    } catch (const Error& error) {
      std::fprintf(stderr, "tessera: warning: %s\n", error.text().c_str());
    }
  }
  void wait() override { requests_.wait_all(); }
  bool test() override { return requests_.test_all(); }

 private:
  mpi::Requests requests_;
  int exceptions_ = std::uncaught_exceptions();
};

class MpiCommunicator final : public Communicator {
 public:
  /// `names` are the members' numbers in the job.
  MpiCommunicator(mpi::Comm comm, std::vector<Rank> names, std::int64_t chunk_bytes)
      : comm_(std::move(comm)),
        exchange_(comm_.duplicate()),
        names_(std::move(names)),
        chunk_bytes_(chunk_bytes),
        rank_(comm_.rank()),
        size_(comm_.size()),
        largest_tag_(comm_.largest_tag()) {
    require(chunk_bytes_ > 0 && chunk_bytes_ <= INT32_MAX, "a chunk's size fits a 32-bit count");
    const mpi::Comm node = comm_.split_by_node();
    node_size_ = node.size();
    node_rank_ = node.rank();
  }

  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int node_size() const override { return node_size_; }
  [[nodiscard]] int node_rank() const override { return node_rank_; }
  [[nodiscard]] std::string describe() const override {
    return "MPI (" + mpi::library_version() + ")";
  }

  void barrier() override { comm_.barrier(); }
  void broadcast(void* data, std::int64_t bytes, Rank root) override;
  void all_reduce(void* data, std::int64_t count, DType dtype, ReduceOp op) override;
  void all_gather(const void* mine, std::span<const std::int64_t> bytes, void* into) override;
  void reduce_scatter(const void* data, std::span<const std::int64_t> counts, DType dtype,
                      ReduceOp op, void* mine) override;
  void all_to_all(const void* send, std::span<const std::int64_t> send_bytes,
                  std::span<const std::int64_t> send_offsets, void* receive,
                  std::span<const std::int64_t> receive_bytes,
                  std::span<const std::int64_t> receive_offsets) override;
  void send(const void* data, std::int64_t bytes, Rank to, int tag) override;
  void receive(void* data, std::int64_t bytes, Rank from, int tag) override;
  std::unique_ptr<Request> exchange(std::span<const Message> sends,
                                    std::span<const Message> receives, int channel) override;
  Communicator& group(std::span<const Rank> members) override;
  void agree(const std::optional<Error>& mine) override;
  [[noreturn]] void abort(int exit_code) override;

 private:
  std::unique_ptr<Request> start(std::span<const Message> sends, std::span<const Message> receives,
                                 int tag);
  void all_reduce_gathered(void* data, std::int64_t count, DType dtype, ReduceOp op);
  void all_reduce_scattered(void* data, std::int64_t count, DType dtype, ReduceOp op);
  void require_peer(Rank peer) const {
    require(peer >= 0 && peer < size_, "a peer is a rank of the communicator");
  }
  /// The i-th partner: everybody starts with another one, so that no rank is flooded.
  [[nodiscard]] Rank partner(int i) const { return (rank_ + i) % size_; }

  mpi::Comm comm_;      // collectives, send, receive
  mpi::Comm exchange_;  // of its own, so that channels and tags can't meet
  std::vector<Rank> names_;
  std::int64_t chunk_bytes_;
  Rank rank_;
  int size_;
  int largest_tag_;
  int node_size_ = 1;
  int node_rank_ = 0;
  Mailbox mailbox_;
  std::map<std::vector<Rank>, std::unique_ptr<Communicator>> groups_;
};

void MpiCommunicator::broadcast(void* data, std::int64_t bytes, Rank root) {
  require_peer(root);
  for (const Chunk& chunk : chunks(bytes, chunk_bytes_)) {
    comm_.broadcast(at(data, chunk.begin), static_cast<int>(chunk.size), root);
  }
}

void MpiCommunicator::all_reduce(void* data, std::int64_t count, DType dtype, ReduceOp op) {
  check_op(dtype, op);
  const std::int64_t width = size_of(dtype);
  if (size_ == 1 || count == 0) return;
  if (is_integer(dtype)) {
    for (const Chunk& chunk : chunks(count, chunk_elements(chunk_bytes_, width))) {
      comm_.all_reduce(at(data, chunk.begin * width), static_cast<int>(chunk.size), dtype, op);
    }
  } else if (count * width <= gathered_bytes) {
    all_reduce_gathered(data, count, dtype, op);
  } else {
    all_reduce_scattered(data, count, dtype, op);
  }
}

void MpiCommunicator::all_reduce_gathered(void* data, std::int64_t count, DType dtype,
                                          ReduceOp op) {
  const std::int64_t bytes = count * size_of(dtype);
  std::vector<std::byte> parts(static_cast<std::size_t>(bytes * size_));
  const std::vector<std::int64_t> equal(static_cast<std::size_t>(size_), bytes);
  all_gather(data, equal, parts.data());
  for (Rank r = 1; r < size_; ++r) fold(parts.data(), parts.data() + r * bytes, count, dtype, op);
  std::memcpy(data, parts.data(), static_cast<std::size_t>(bytes));
}

void MpiCommunicator::all_reduce_scattered(void* data, std::int64_t count, DType dtype,
                                           ReduceOp op) {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> bytes;
  for (Rank r = 0; r < size_; ++r) {
    counts.push_back(layout::balanced_begin(count, size_, r + 1) -
                     layout::balanced_begin(count, size_, r));
    bytes.push_back(counts.back() * size_of(dtype));
  }
  std::byte* mine = at(data, layout::balanced_begin(count, size_, rank_) * size_of(dtype));
  reduce_scatter(data, counts, dtype, op, mine);
  all_gather(mine, bytes, data);
}

void MpiCommunicator::all_gather(const void* mine, std::span<const std::int64_t> bytes,
                                 void* into) {
  require(static_cast<int>(bytes.size()) == size_, "one count per rank");
  std::vector<std::int64_t> offsets(bytes.size());
  std::exclusive_scan(bytes.begin(), bytes.end(), offsets.begin(), std::int64_t{0});
  if (offsets.back() + bytes.back() <= chunk_bytes_) {
    if (bytes[rank_] > 0)
      std::memmove(at(into, offsets[rank_]), mine, static_cast<std::size_t>(bytes[rank_]));
    const std::vector<int> short_bytes(bytes.begin(), bytes.end());
    const std::vector<int> short_offsets(offsets.begin(), offsets.end());
    comm_.all_gather(into, short_bytes, short_offsets);
    return;
  }
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int i = 0; i < size_; ++i) {
    const Rank peer = partner(i);
    sends.push_back({peer, at(mine, 0), bytes[rank_]});
    receives.push_back({peer, at(into, offsets[peer]), bytes[peer]});
  }
  start(sends, receives, own_channel)->wait();
}

void MpiCommunicator::reduce_scatter(const void* data, std::span<const std::int64_t> counts,
                                     DType dtype, ReduceOp op, void* mine) {
  check_op(dtype, op);
  require(static_cast<int>(counts.size()) == size_, "one count per rank");
  const std::int64_t width = size_of(dtype);
  std::vector<std::int64_t> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), std::int64_t{0});
  const std::int64_t longest = *std::max_element(counts.begin(), counts.end());
  const std::int64_t segment = chunk_elements(scratch_bytes, width * size_);
  std::vector<std::byte> parts(
      static_cast<std::size_t>(std::min(segment, counts[rank_]) * width * size_));
  for (const Chunk& round : chunks(longest, segment)) {
    const auto share = [&](Rank r) {
      return std::clamp<std::int64_t>(counts[r] - round.begin, 0, segment);
    };
    const std::int64_t part_bytes = share(rank_) * width;
    std::vector<Message> sends;
    std::vector<Message> receives;
    for (int i = 0; i < size_; ++i) {
      const Rank peer = partner(i);
      sends.push_back({peer, at(data, (offsets[peer] + round.begin) * width), share(peer) * width});
      receives.push_back({peer, parts.data() + peer * part_bytes, part_bytes});
    }
    start(sends, receives, own_channel)->wait();
    if (part_bytes == 0) continue;
    for (Rank r = 1; r < size_; ++r) {
      fold(parts.data(), parts.data() + r * part_bytes, share(rank_), dtype, op);
    }
    std::memcpy(at(mine, round.begin * width), parts.data(), static_cast<std::size_t>(part_bytes));
  }
}

void MpiCommunicator::all_to_all(const void* send, std::span<const std::int64_t> send_bytes,
                                 std::span<const std::int64_t> send_offsets, void* receive,
                                 std::span<const std::int64_t> receive_bytes,
                                 std::span<const std::int64_t> receive_offsets) {
  const auto ranks = static_cast<std::size_t>(size_);
  require(send_bytes.size() == ranks && send_offsets.size() == ranks &&
              receive_bytes.size() == ranks && receive_offsets.size() == ranks,
          "one count and one offset per rank");
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int i = 0; i < size_; ++i) {
    const Rank to = partner(i);
    const Rank from = partner(size_ - i);
    sends.push_back({to, at(send, send_offsets[to]), send_bytes[to]});
    receives.push_back({from, at(receive, receive_offsets[from]), receive_bytes[from]});
  }
  start(sends, receives, own_channel)->wait();
}

void MpiCommunicator::send(const void* data, std::int64_t bytes, Rank to, int tag) {
  require_peer(to);
  require(tag >= 0 && tag <= largest_tag_, "a tag is one that MPI can carry");
  if (to == rank_) return mailbox_.put(data, bytes, tag);
  for (const Chunk& chunk : chunks(bytes, chunk_bytes_)) {
    comm_.send(at(data, chunk.begin), static_cast<int>(chunk.size), to, tag);
  }
}

void MpiCommunicator::receive(void* data, std::int64_t bytes, Rank from, int tag) {
  require_peer(from);
  require(tag >= 0 && tag <= largest_tag_, "a tag is one that MPI can carry");
  if (from == rank_) return mailbox_.take(data, bytes, tag);
  for (const Chunk& chunk : chunks(bytes, chunk_bytes_)) {
    comm_.receive(at(data, chunk.begin), static_cast<int>(chunk.size), from, tag);
  }
}

std::unique_ptr<Request> MpiCommunicator::exchange(std::span<const Message> sends,
                                                   std::span<const Message> receives, int channel) {
  require(channel >= 0 && channel <= last_channel, "a channel is one of 0..1023");
  return start(sends, receives, channel);
}

std::unique_ptr<Request> MpiCommunicator::start(std::span<const Message> sends,
                                                std::span<const Message> receives, int tag) {
  // MPI matches messages of one pair and tag in the order in which they were started: chunks need
  // no number. Receives come first, so that what arrives early finds its place.
  auto requests = mpi::Requests();
  for (const Message& message : receives) {
    require_peer(message.peer);
    if (message.peer == rank_) continue;
    for (const Chunk& chunk : chunks(message.bytes, chunk_bytes_)) {
      exchange_.start_receive(at(message.data, chunk.begin), static_cast<int>(chunk.size),
                              message.peer, tag, requests);
    }
  }
  for (const Message& message : sends) {
    require_peer(message.peer);
    if (message.peer == rank_) continue;
    for (const Chunk& chunk : chunks(message.bytes, chunk_bytes_)) {
      exchange_.start_send(at(message.data, chunk.begin), static_cast<int>(chunk.size),
                           message.peer, tag, requests);
    }
  }
  auto request = std::make_unique<MpiRequest>(std::move(requests));
  copy_own(sends, receives, rank_);
  return request;
}

Communicator& MpiCommunicator::group(std::span<const Rank> members) {
  const std::vector<Rank> key(members.begin(), members.end());
  require(std::adjacent_find(key.begin(), key.end(), std::greater_equal<>()) == key.end() &&
              std::binary_search(key.begin(), key.end(), rank_) && key.front() >= 0 &&
              key.back() < size_,
          "a group's ranks ascend and contain this one");
  std::unique_ptr<Communicator>& entry = groups_[key];
  if (!entry && key.size() == 1) entry = make_self();
  if (!entry) {
    std::vector<Rank> names;
    for (const Rank member : key) names.push_back(names_[member]);
    entry =
        std::make_unique<MpiCommunicator>(comm_.create_group(key), std::move(names), chunk_bytes_);
  }
  return *entry;
}

void MpiCommunicator::agree(const std::optional<Error>& mine) {
  const auto failed = Communicator::all_reduce<std::int32_t>(mine ? rank_ : size_, ReduceOp::min);
  if (failed == size_) return;
  std::string text = mine ? mine->text() : "";
  if (mine && size_ > 1) text = with_rank(text, names_[rank_]);
  std::array<std::int64_t, 2> head{mine ? static_cast<std::int64_t>(mine->kind()) : 0,
                                   static_cast<std::int64_t>(text.size())};
  broadcast(head.data(), sizeof(head), failed);
  text.resize(static_cast<std::size_t>(head[1]));
  broadcast(text.data(), head[1], failed);
  throw AgreedError(static_cast<ErrorKind>(head[0]), text, failed, size_);
}

void MpiCommunicator::abort(int exit_code) {
  std::fflush(nullptr);
  // Should MPI itself be stuck, the process ends all the same, and its launcher ends the others.
  std::thread([exit_code] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(exit_code);
  }).detach();
  comm_.abort(exit_code);
  std::_Exit(exit_code);
}

}  // namespace

std::unique_ptr<Communicator> make_mpi(std::int64_t chunk_bytes) {
  mpi::Comm comm = mpi::Comm::borrow_world().duplicate();
  std::vector<Rank> names(static_cast<std::size_t>(comm.size()));
  std::iota(names.begin(), names.end(), 0);
  return std::make_unique<MpiCommunicator>(std::move(comm), std::move(names), chunk_bytes);
}

}  // namespace tessera::comm
