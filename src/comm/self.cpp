// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "comm/fold.hpp"
#include "comm/mailbox.hpp"

namespace tessera::comm {

namespace {

class Done final : public Request {
 public:
  void wait() override {}
  bool test() override { return true; }
};

void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

class SelfCommunicator final : public Communicator {
 public:
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] int node_size() const override { return 1; }
  [[nodiscard]] int node_rank() const override { return 0; }
  [[nodiscard]] std::string describe() const override { return "self"; }

  void barrier() override {}
  void broadcast(void*, std::int64_t, Rank root) override { require_self(root); }
  void all_reduce(void*, std::int64_t, DType dtype, ReduceOp op) override { check_op(dtype, op); }
  void all_gather(const void* mine, std::span<const std::int64_t> bytes, void* into) override {
    require(bytes.size() == 1, "one count per rank");
    copy_bytes(into, mine, bytes[0]);
  }
  void reduce_scatter(const void* data, std::span<const std::int64_t> counts, DType dtype,
                      ReduceOp op, void* mine) override {
    check_op(dtype, op);
    require(counts.size() == 1, "one count per rank");
    copy_bytes(mine, data, counts[0] * size_of(dtype));
  }
  void all_to_all(const void* send, std::span<const std::int64_t> send_bytes,
                  std::span<const std::int64_t> send_offsets, void* receive,
                  std::span<const std::int64_t> receive_bytes,
                  std::span<const std::int64_t> receive_offsets) override {
    require(send_bytes.size() == 1 && send_offsets.size() == 1 && receive_bytes.size() == 1 &&
                receive_offsets.size() == 1,
            "one count and one offset per rank");
    require(send_bytes[0] == receive_bytes[0],
            "a message is received with the size it was sent with");
    copy_bytes(static_cast<std::byte*>(receive) + receive_offsets[0],
               static_cast<const std::byte*>(send) + send_offsets[0], send_bytes[0]);
  }
  void send(const void* data, std::int64_t bytes, Rank to, int tag) override {
    require_self(to);
    mailbox_.put(data, bytes, tag);
  }
  void receive(void* data, std::int64_t bytes, Rank from, int tag) override {
    require_self(from);
    mailbox_.take(data, bytes, tag);
  }
  std::unique_ptr<Request> exchange(std::span<const Message> sends,
                                    std::span<const Message> receives, int) override {
    for (const Message& message : sends) require_self(message.peer);
    for (const Message& message : receives) require_self(message.peer);
    copy_own(sends, receives, 0);
    return std::make_unique<Done>();
  }
  Communicator& group(std::span<const Rank> members) override {
    require(members.size() == 1 && members[0] == 0, "a group's ranks ascend and contain this one");
    return *this;
  }
  void agree(const std::optional<Error>& mine) override {
    if (mine) throw AgreedError(mine->kind(), mine->text(), 0, 1);
  }
  [[noreturn]] void abort(int exit_code) override {
    std::fflush(nullptr);
    std::_Exit(exit_code);
  }

 private:
  static void require_self(Rank peer) {
    require(peer == 0, "a peer is a rank of the communicator");
  }

  Mailbox mailbox_;
};

}  // namespace

std::unique_ptr<Communicator> make_self() { return std::make_unique<SelfCommunicator>(); }

}  // namespace tessera::comm
