// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5_type.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/hdf5_call.hpp"

namespace tessera::data {
namespace {

using h5::check;

/// The one table of element types: ours, in memory, in files.
struct TypeRow {
  DType dtype;
  hid_t memory;
  hid_t file;
};

TypeRow row_of(DType dtype) {
  // HDF5's names for types are variables, set when the library starts.
  switch (dtype) {
    case DType::uint8:
      return {dtype, H5T_NATIVE_UINT8, H5T_STD_U8LE};
    case DType::int32:
      return {dtype, H5T_NATIVE_INT32, H5T_STD_I32LE};
    case DType::int64:
      return {dtype, H5T_NATIVE_INT64, H5T_STD_I64LE};
    case DType::float32:
    case DType::complex64:
      return {dtype, H5T_NATIVE_FLOAT, H5T_IEEE_F32LE};
    case DType::float64:
    case DType::complex128:
      return {dtype, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE};
  }
  throw Error(ErrorKind::internal, "internal error: unknown element type");
}

Handle copy(hid_t type) { return {check(H5Tcopy(type), "H5Tcopy", "element type"), H5Tclose}; }

/// The names of the two parts of a complex number.
struct PartNames {
  std::string real = "r";
  std::string imaginary = "i";
};

Handle pair_of(hid_t part, const PartNames& names) {
  const std::size_t size = H5Tget_size(part);
  Handle pair{check(H5Tcreate(H5T_COMPOUND, 2 * size), "H5Tcreate", "complex type"), H5Tclose};
  check(H5Tinsert(pair.id(), names.real.c_str(), 0, part), "H5Tinsert", "complex type");
  check(H5Tinsert(pair.id(), names.imaginary.c_str(), size, part), "H5Tinsert", "complex type");
  return pair;
}

std::string order_text(hid_t type) {
  return H5Tget_size(type) > 1 && H5Tget_order(type) == H5T_ORDER_BE ? ", big-endian" : "";
}

/// A type that isn't one of ours: what to call it.
std::string foreign_name(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return "strings";
    case H5T_REFERENCE:
      return "references";
    case H5T_COMPOUND:
      return "a compound of " + std::to_string(H5Tget_nmembers(type)) + " fields";
    case H5T_OPAQUE:
      return "opaque bytes";
    case H5T_VLEN:
      return "sequences of varying length";
    case H5T_ARRAY:
      return "small arrays as elements";
    case H5T_TIME:
      return "HDF5's time type";
    case H5T_BITFIELD:
      return std::to_string(8 * H5Tget_size(type)) + "-bit fields";
    case H5T_INTEGER:
      return std::to_string(8 * H5Tget_size(type)) + "-bit integers";
    case H5T_FLOAT:
      return std::to_string(8 * H5Tget_size(type)) + "-bit floating-point numbers";
    default:
      return "an unknown type";
  }
}

[[noreturn]] void refuse(hid_t type, const std::string& subject) {
  throw Error(ErrorKind::graph, subject + " has elements that can't be computed with")
      .expected(
          "floating-point numbers of 16 to 64 bits, integers of 8 to 64 bits, or complex pairs (r, "
          "i)")
      .found(foreign_name(type))
      .advice("convert the dataset, for example with h5py");
}

struct FloatFormat {
  DType dtype = DType::float32;
  AfterRead after = AfterRead::nothing;
  std::string text;
};

/// Nothing for formats that would lose digits as float64 (long double).
std::optional<FloatFormat> float_format(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (size > 8) return std::nullopt;
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  check(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits),
        "H5Tget_fields", "element type");
  const bool plain = H5Tget_order(type) == H5T_ORDER_LE || H5Tget_order(type) == H5T_ORDER_BE;
  FloatFormat format;
  format.text = "float" + std::to_string(8 * size);
  if (plain && size == 2 && sign == 15 && exponent == 10 && exponent_bits == 5 &&
      mantissa_bits == 10) {
    format.after = AfterRead::widen_float16;
  } else if (plain && size == 2 && sign == 15 && exponent == 7 && exponent_bits == 8 &&
             mantissa_bits == 7) {
    format.after = AfterRead::widen_bfloat16;
    format.text = "bfloat16";
  }
  if (size > 4) format.dtype = DType::float64;
  format.text += order_text(type);
  return format;
}

/// The HDF5 type in memory of a real number that is stored as `type`.
Handle memory_of(hid_t type, const FloatFormat& format) {
  if (format.after == AfterRead::nothing) return copy(row_of(format.dtype).memory);
  Handle raw = copy(type);
  check(H5Tset_order(raw.id(), H5Tget_order(H5T_NATIVE_INT)), "H5Tset_order", "element type");
  return raw;
}

void describe_float(StoredType& result, const std::string& subject) {
  const auto format = float_format(result.stored.id());
  if (!format) refuse(result.stored.id(), subject);
  result.dtype = format->dtype;
  result.after = format->after;
  result.text = format->text;
  result.memory = memory_of(result.stored.id(), *format);
}

void describe_integer(StoredType& result, hid_t type, const std::string& subject) {
  const std::size_t size = H5Tget_size(type);
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (size != 1 && size != 2 && size != 4 && size != 8) refuse(type, subject);
  result.dtype = size == 8 || (size == 4 && !is_signed) ? DType::int64
                 : size == 1 && !is_signed              ? DType::uint8
                                                        : DType::int32;
  result.text = (is_signed ? "int" : "uint") + std::to_string(8 * size) + order_text(type);
  result.memory = copy(row_of(result.dtype).memory);
  if (size == 8 && !is_signed) {
    result.memory = copy(H5T_NATIVE_UINT64);
    result.after = AfterRead::check_below_2_63;
  }
}

std::string member_name(hid_t type, unsigned index) {
  char* name = H5Tget_member_name(type, index);
  std::string text = name == nullptr ? "" : name;
  H5free_memory(name);
  return text;
}

bool is_boolean(hid_t type) {
  return H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1 && member_name(type, 0) == "FALSE" &&
         member_name(type, 1) == "TRUE";
}

void describe_enumeration(StoredType& result, const std::string& subject) {
  const hid_t type = result.stored.id();
  const Handle base{check(H5Tget_super(type), "H5Tget_super", subject), H5Tclose};
  describe_integer(result, base.id(), subject);
  if (is_boolean(type)) {
    result.dtype = DType::uint8;
    result.memory = copy(row_of(DType::uint8).memory);
    result.after = AfterRead::check_boolean;
    result.text = "boolean";
  } else {
    result.text = "enumeration, " + result.text;
  }
}

void describe_complex(StoredType& result, const std::string& subject) {
  const hid_t type = result.stored.id();
  if (H5Tget_nmembers(type) != 2) refuse(type, subject);
  const PartNames names{member_name(type, 0), member_name(type, 1)};
  const Handle real{check(H5Tget_member_type(type, 0), "H5Tget_member_type", subject), H5Tclose};
  const Handle imaginary{check(H5Tget_member_type(type, 1), "H5Tget_member_type", subject),
                         H5Tclose};
  const bool named = (names.real == "r" && names.imaginary == "i") ||
                     (names.real == "real" && names.imaginary == "imag");
  if (!named || H5Tget_class(real.id()) != H5T_FLOAT || H5Tequal(real.id(), imaginary.id()) <= 0)
    refuse(type, subject);
  const auto format = float_format(real.id());
  if (!format) refuse(type, subject);
  result.dtype = complex_of(format->dtype);
  result.after = format->after;
  result.text = "complex pair of " + format->text;
  result.memory = pair_of(memory_of(real.id(), *format).id(), names);
}

}  // namespace

Handle file_type(DType dtype) {
  const TypeRow row = row_of(dtype);
  return is_complex(dtype) ? pair_of(row.file, {}) : copy(row.file);
}

Handle memory_type(DType dtype) {
  const TypeRow row = row_of(dtype);
  return is_complex(dtype) ? pair_of(row.memory, {}) : copy(row.memory);
}

StoredType stored_type(Handle type, const std::string& subject) {
  StoredType result;
  result.stored = std::move(type);
  result.bytes = static_cast<std::int64_t>(H5Tget_size(result.stored.id()));
  switch (H5Tget_class(result.stored.id())) {
    case H5T_FLOAT:
      describe_float(result, subject);
      break;
    case H5T_INTEGER:
      describe_integer(result, result.stored.id(), subject);
      break;
    case H5T_ENUM:
      describe_enumeration(result, subject);
      break;
    case H5T_COMPOUND:
      describe_complex(result, subject);
      break;
    case H5T_BITFIELD:
      if (result.bytes != 1) refuse(result.stored.id(), subject);
      result.dtype = DType::uint8;
      result.text = "8-bit field";
      result.memory = copy(H5T_NATIVE_B8);
      break;
    default:
      refuse(result.stored.id(), subject);
  }
  return result;
}

}  // namespace tessera::data
