// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "data/attribute.hpp"
#include "data/digest.hpp"
#include "data/hdf5_call.hpp"

namespace tessera::data::h5 {
namespace {

Handle own(std::int64_t id, const char* call, Handle::Closer closer, const std::string& subject) {
  return {check(id, call, subject), closer};
}

Handle create(const Handle& object, const std::string& name, hid_t type, hid_t space,
              const std::string& subject) {
  return own(H5Acreate2(object.id(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
             "H5Acreate", H5Aclose, subject);
}

void store(Handle& attribute, hid_t memory_type, const void* value, const std::string& subject) {
  check(H5Awrite(attribute.id(), memory_type, value), "H5Awrite", subject);
  close(attribute, subject);
}

Handle open_at(const Handle& object, std::int64_t index, const std::string& subject) {
  return own(H5Aopen_by_idx(object.id(), ".", H5_INDEX_NAME, H5_ITER_INC,
                            static_cast<hsize_t>(index), H5P_DEFAULT, H5P_DEFAULT),
             "H5Aopen_by_idx", H5Aclose, subject);
}

std::string name_of(const Handle& attribute, const std::string& subject) {
  const std::int64_t length =
      check(H5Aget_name(attribute.id(), 0, nullptr), "H5Aget_name", subject);
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  check(H5Aget_name(attribute.id(), name.size(), name.data()), "H5Aget_name", subject);
  name.pop_back();
  return name;
}

/// An attribute that is open: name, type, space and its values as they are stored.
struct Opened {
  Handle attribute;
  std::string name;
  Handle type;
  Handle space;
  std::int64_t elements = 0;
  std::vector<char> values;

  Opened(const Handle& object, std::int64_t index, const std::string& subject)
      : attribute(open_at(object, index, subject)),
        name(name_of(attribute, subject)),
        type(own(H5Aget_type(attribute.id()), "H5Aget_type", H5Tclose, subject)),
        space(own(H5Aget_space(attribute.id()), "H5Aget_space", H5Sclose, subject)),
        elements(H5Sget_simple_extent_npoints(space.id())) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    // Gives back what HDF5 allocated for strings of varying length.
    if (!values.empty()) (void)H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, values.data());
  }

  void read(const std::string& subject) {
    std::vector<char> buffer(static_cast<std::size_t>(elements) * H5Tget_size(type.id()));
    if (elements > 0) check(H5Aread(attribute.id(), type.id(), buffer.data()), "H5Aread", subject);
    values = std::move(buffer);
  }
};

Handle string_type(const std::string& subject) {
  Handle type = own(H5Tcopy(H5T_C_S1), "H5Tcopy", H5Tclose, subject);
  check(H5Tset_size(type.id(), H5T_VARIABLE), "H5Tset_size", subject);
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "H5Tset_cset", subject);
  return type;
}

/// Nothing where the attribute isn't one text, int64 or float64.
std::optional<Attribute> as_ours(Opened& opened, const std::string& subject) {
  if (opened.elements != 1) return std::nullopt;
  const hid_t type = opened.type.id();
  const bool text = H5Tis_variable_str(type) > 0;
  const bool whole = H5Tequal(type, H5T_STD_I64LE) > 0;
  const bool real = H5Tequal(type, H5T_IEEE_F64LE) > 0;
  if (!text && !whole && !real) return std::nullopt;
  opened.read(subject);
  const auto value_as = [&]<class T>(T value) {
    std::memcpy(&value, opened.values.data(), sizeof(value));
    return value;
  };
  Attribute attribute{opened.name, {}};
  if (text) {
    const char* characters = value_as(static_cast<const char*>(nullptr));
    attribute.value = std::string(characters == nullptr ? "" : characters);
  } else if (whole) {
    attribute.value = value_as(std::int64_t{});
  } else {
    attribute.value = value_as(double{});
  }
  return attribute;
}

bool is_carried(const Opened& opened) {
  static constexpr std::array<const char*, 5> others = {"CLASS", "NAME", "DIMENSION_LIST",
                                                        "REFERENCE_LIST", checksum_attribute};
  return std::find(others.begin(), others.end(), opened.name) == others.end() &&
         H5Tdetect_class(opened.type.id(), H5T_REFERENCE) <= 0;
}

std::int64_t attribute_count(const Handle& object, const std::string& subject) {
  return check(H5Aget_num_attrs(object.id()), "H5Aget_num_attrs", subject);
}

}  // namespace

void write_attribute(const Handle& object, const Attribute& attribute, const std::string& subject) {
  const Handle scalar = space({}, subject);
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    const Handle type = string_type(subject);
    const char* characters = text->c_str();
    Handle created = create(object, attribute.name, type.id(), scalar.id(), subject);
    store(created, type.id(), &characters, subject);
  } else if (const auto* whole = std::get_if<std::int64_t>(&attribute.value)) {
    Handle created = create(object, attribute.name, H5T_STD_I64LE, scalar.id(), subject);
    store(created, H5T_NATIVE_INT64, whole, subject);
  } else {
    Handle created = create(object, attribute.name, H5T_IEEE_F64LE, scalar.id(), subject);
    store(created, H5T_NATIVE_DOUBLE, std::get_if<double>(&attribute.value), subject);
  }
}

std::vector<Attribute> read_attributes(const Handle& object, const std::string& subject) {
  std::vector<Attribute> attributes;
  for (std::int64_t i = 0; i < attribute_count(object, subject); ++i) {
    Opened opened(object, i, subject);
    if (auto attribute = as_ours(opened, subject)) attributes.push_back(std::move(*attribute));
  }
  return attributes;
}

void write_checksum(const Handle& object, const std::string& name, std::uint32_t value,
                    const std::string& subject) {
  const bool exists = check(H5Aexists(object.id(), name.c_str()), "H5Aexists", subject) > 0;
  Handle attribute =
      exists ? own(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "H5Aopen", H5Aclose, subject)
             : create(object, name, H5T_STD_U32LE, space({}, subject).id(), subject);
  store(attribute, H5T_NATIVE_UINT32, &value, subject);
}

std::optional<std::uint32_t> read_checksum(const Handle& object, const std::string& name,
                                           const std::string& subject) {
  if (check(H5Aexists(object.id(), name.c_str()), "H5Aexists", subject) == 0) return std::nullopt;
  const Handle attribute =
      own(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "H5Aopen", H5Aclose, subject);
  const Handle type = own(H5Aget_type(attribute.id()), "H5Aget_type", H5Tclose, subject);
  if (H5Tequal(type.id(), H5T_STD_U32LE) <= 0) return std::nullopt;
  std::uint32_t value = 0;
  check(H5Aread(attribute.id(), H5T_NATIVE_UINT32, &value), "H5Aread", subject);
  return value;
}

void copy_attributes(const Handle& from, const Handle& to, const std::string& subject) {
  for (std::int64_t i = 0; i < attribute_count(from, subject); ++i) {
    Opened opened(from, i, subject);
    if (!is_carried(opened)) continue;
    opened.read(subject);
    const Handle type = own(H5Tcopy(opened.type.id()), "H5Tcopy", H5Tclose, subject);
    Handle copy = create(to, opened.name, type.id(), opened.space.id(), subject);
    if (opened.elements > 0) {
      store(copy, type.id(), opened.values.data(), subject);
    } else {
      close(copy, subject);
    }
  }
}

}  // namespace tessera::data::h5
