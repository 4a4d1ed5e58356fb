// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi_call.hpp"

#include <algorithm>
#include <array>
#include <source_location>
#include <utility>

namespace tessera::comm::mpi {

namespace {

void check(int result, const char* call,
           const std::source_location& where = std::source_location::current()) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(result, text.data(), &length) != MPI_SUCCESS) length = 0;
  const std::string file = where.file_name();
  throw Error(
      ErrorKind::communicator,
      std::string(call) + " failed: " + std::string(text.data(), static_cast<std::size_t>(length)))
      .at({.file = file.substr(file.rfind('/') + 1),
           .line = static_cast<int>(where.line()),
           .step = {},
           .dataset = {}});
}

MPI_Datatype mpi_type(DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return MPI_UINT8_T;
    case DType::int32:
      return MPI_INT32_T;
    case DType::int64:
      return MPI_INT64_T;
    default:
      break;
  }
  throw Error(ErrorKind::internal, "internal error: MPI reduces integers only");
}

MPI_Op mpi_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return MPI_SUM;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
    case ReduceOp::bit_or:
      return MPI_BOR;
  }
  return MPI_OP_NULL;
}

}  // namespace

void initialize() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  if (provided < MPI_THREAD_FUNNELED) {
    throw Error(ErrorKind::communicator, "this MPI library can't be used by a program with threads")
        .expected("MPI_THREAD_FUNNELED or better");
  }
}

void finalize() { check(MPI_Finalize(), "MPI_Finalize"); }

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  // "Open MPI v4.1.4, package: ..." or "MPICH Version:      4.0.2\n...".
  std::string version(text.data(), static_cast<std::size_t>(length));
  version = version.substr(0, version.find_first_of(",\n"));
  if (const auto v = version.find(" v"); v != std::string::npos) version.erase(v + 1, 1);
  if (const auto word = version.find(" Version:"); word != std::string::npos) {
    version.erase(word, version.find_first_not_of(" \t", word + 9) - word - 1);
  }
  return version;
}

void Requests::check_statuses(int result, const char* call) {
  if (result == MPI_ERR_IN_STATUS) {
    for (const MPI_Status& status : statuses_) {
      if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING) {
        check(status.MPI_ERROR, call);
      }
    }
  }
  check(result, call);
}

void Requests::check_sizes() const {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (expected_[i] < 0) continue;
    int arrived = 0;
    check(MPI_Get_count(&statuses_[i], MPI_BYTE, &arrived), "MPI_Get_count");
    require(arrived == expected_[i], "a message is received with the size it was sent with");
  }
}

void Requests::wait_all() {
  if (requests_.empty()) return;
  statuses_.resize(requests_.size());
  check_statuses(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data()),
      "MPI_Waitall");
  requests_.clear();
  check_sizes();
  expected_.clear();
}

bool Requests::test_all() {
  if (requests_.empty()) return true;
  statuses_.resize(requests_.size());
  int done = 0;
  check_statuses(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses_.data()),
      "MPI_Testall");
  if (done == 0) return false;
  requests_.clear();
  check_sizes();
  expected_.clear();
  return true;
}

void Requests::give_up() noexcept {
  // Nothing here can be repaired: the results are ignored.
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    // So that nothing is written into freed memory.
    if (expected_[i] >= 0) (void)MPI_Cancel(&requests_[i]);
    (void)MPI_Request_free(&requests_[i]);
  }
  requests_.clear();
  expected_.clear();
}

Comm::Comm(MPI_Comm comm, Ownership ownership) : comm_(comm), ownership_(ownership) {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Comm::Comm(Comm&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), ownership_(other.ownership_) {}

Comm::~Comm() {
  if (ownership_ == Ownership::owner && comm_ != MPI_COMM_NULL) (void)MPI_Comm_free(&comm_);
}

Comm Comm::borrow_world() { return {MPI_COMM_WORLD, Ownership::borrower}; }

Comm Comm::duplicate() const {
  MPI_Comm result = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm_, &result), "MPI_Comm_dup");
  return {result, Ownership::owner};
}

Comm Comm::split_by_node() const {
  MPI_Comm result = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &result),
        "MPI_Comm_split_type");
  return {result, Ownership::owner};
}

Comm Comm::create_group(std::span<const Rank> members) const {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group chosen = MPI_GROUP_NULL;
  MPI_Comm result = MPI_COMM_NULL;
  check(MPI_Comm_group(comm_, &all), "MPI_Comm_group");
  check(MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &chosen),
        "MPI_Group_incl");
  check(MPI_Comm_create_group(comm_, chosen, 0, &result), "MPI_Comm_create_group");
  check(MPI_Group_free(&chosen), "MPI_Group_free");
  check(MPI_Group_free(&all), "MPI_Group_free");
  return {result, Ownership::owner};
}

Rank Comm::rank() const {
  int result = 0;
  check(MPI_Comm_rank(comm_, &result), "MPI_Comm_rank");
  return result;
}

int Comm::size() const {
  int result = 0;
  check(MPI_Comm_size(comm_, &result), "MPI_Comm_size");
  return result;
}

int Comm::largest_tag() const {
  void* value = nullptr;
  int found = 0;
  // The attribute is defined on the world communicator; others need not carry it.
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &found),
        "MPI_Comm_get_attr");
  return found != 0 ? *static_cast<int*>(value) : 32767;  // the least that the standard promises
}

void Comm::barrier() const { check(MPI_Barrier(comm_), "MPI_Barrier"); }

void Comm::broadcast(void* data, int bytes, Rank root) const {
  check(MPI_Bcast(data, bytes, MPI_BYTE, root, comm_), "MPI_Bcast");
}

void Comm::all_reduce(void* data, int count, DType dtype, ReduceOp op) const {
  check(MPI_Allreduce(MPI_IN_PLACE, data, count, mpi_type(dtype), mpi_op(op), comm_),
        "MPI_Allreduce");
}

void Comm::all_gather(void* into, std::span<const int> bytes, std::span<const int> offsets) const {
  check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into, bytes.data(), offsets.data(),
                       MPI_BYTE, comm_),
        "MPI_Allgatherv");
}

void Comm::send(const void* data, int bytes, Rank to, int tag) const {
  check(MPI_Send(data, bytes, MPI_BYTE, to, tag, comm_), "MPI_Send");
}

void Comm::receive(void* data, int bytes, Rank from, int tag) const {
  MPI_Status status;
  check(MPI_Recv(data, bytes, MPI_BYTE, from, tag, comm_, &status), "MPI_Recv");
  int arrived = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &arrived), "MPI_Get_count");
  require(arrived == bytes, "a message is received with the size it was sent with");
}

void Comm::start_send(const void* data, int bytes, Rank to, int tag, Requests& requests) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(data, bytes, MPI_BYTE, to, tag, comm_, &request), "MPI_Isend");
  requests.requests_.push_back(request);
  requests.expected_.push_back(-1);
}

void Comm::start_receive(void* data, int bytes, Rank from, int tag, Requests& requests) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(data, bytes, MPI_BYTE, from, tag, comm_, &request), "MPI_Irecv");
  requests.requests_.push_back(request);
  requests.expected_.push_back(bytes);
}

void Comm::abort(int exit_code) const noexcept {
  // Of the world, whatever group this is: every process of the job ends.
  (void)MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace tessera::comm::mpi
