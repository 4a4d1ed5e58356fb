// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve_inputs.hpp"

#include <filesystem>

#include "graph/names.hpp"
#include "graph/paths.hpp"
#include "graph/reader.hpp"

namespace tessera::graph {
namespace {

using Kind = Value::Kind;

/// What the graph says of one input, before any file is looked at.
struct Written {
  std::string file;
  std::string dataset;
  Position file_position;
  Position dataset_position;
  Selection selection;
  Position selection_position;
  std::optional<std::int64_t> each;
  Position each_position;
};

Written read_short_form(const Value& value, const Reader& reader) {
  // The last ":/", because a file's name may hold one and a dataset's hardly does.
  const auto split = value.text.rfind(":/");
  if (split == std::string::npos || split == 0) {
    throw reader.refusal(value.position, "an input names a file and a dataset")
        .expected("FILE:/DATASET")
        .found(described(value));
  }
  Written written;
  written.file = value.text.substr(0, split);
  written.dataset = value.text.substr(split + 1);
  written.file_position = written.dataset_position = value.position;
  return written;
}

Written read_long_form(const Value& value, const Reader& reader) {
  reader.known_keys(value, {"file", "dataset", "select", "each"});
  Written written;
  const Value& file = reader.needed(value, "file").value;
  const Value& dataset = reader.needed(value, "dataset").value;
  written.file = reader.text(file, "\"file\"");
  written.dataset = reader.text(dataset, "\"dataset\"");
  written.file_position = file.position;
  written.dataset_position = dataset.position;
  if (written.file.empty()) {
    throw reader.refusal(file.position, "\"file\"").expected("the name of a file").found("\"\"");
  }
  if (const Member* select = value.find("select")) {
    written.selection_position = select->value.position;
    const std::string& text = reader.text(select->value, "\"select\"");
    try {
      written.selection = Selection::parse(text);
    } catch (const Error& error) {
      throw reader.refusal(select->value.position, error);
    }
  }
  if (const Member* each = value.find("each")) {
    written.each = reader.integer(each->value, "\"each\"");
    written.each_position = each->value.position;
  }
  return written;
}

Written read_input(const Value& value, const Reader& reader) {
  if (!value.is(Kind::text) && !value.is(Kind::object)) {
    throw reader.refusal(value.position, "an input names a file and a dataset")
        .expected("\"FILE:/DATASET\" or an object {...}")
        .found(described(value));
  }
  Written written =
      value.is(Kind::text) ? read_short_form(value, reader) : read_long_form(value, reader);
  if (const std::string fault = dataset_path_fault(written.dataset); !fault.empty()) {
    throw reader.refusal(written.dataset_position,
                         in_quotes(written.dataset) + " can't be a dataset: " + fault);
  }
  return written;
}

std::string text_of(const TensorInfo& info) {
  return std::string(name_of(info.dtype)) + " " + to_string(info.shape);
}

/// Looks into the files of one input.
class InputFiles {
 public:
  InputFiles(const Written& written, const ResolveOptions& options, const Reader& reader)
      : written_(written), options_(options), reader_(reader) {}

  void fill(Input& input) const {
    input.sources = sources();
    input.selection = written_.selection;
    for (int i = 0; i < static_cast<int>(input.sources.size()); ++i) add_source(input, i);
  }

 private:
  [[nodiscard]] std::vector<Source> sources() const {
    if (!is_pattern(written_.file))
      return {{path_in(options_.folder, written_.file), written_.dataset}};
    std::vector<Source> result;
    for (std::string& file : matching_files(options_.folder, written_.file)) {
      result.push_back({std::move(file), written_.dataset});
    }
    if (result.empty()) {
      throw reader_.refusal(
          written_.file_position,
          "no file matches " + in_quotes(path_in(options_.folder, written_.file)));
    }
    return result;
  }

  [[nodiscard]] TensorInfo look(const Source& source) const {
    StoredTensor stored;
    try {
      stored = options_.probe(source.file, source.dataset);
    } catch (const Error& error) {
      throw reader_.refusal(written_.file_position, error);
    }
    try {
      return {stored.dtype, written_.selection.resolve(stored.shape).shape};
    } catch (const Error& error) {
      throw reader_.refusal(written_.selection_position, error)
          .advice(source.file + ":" + source.dataset + " has shape " + to_string(stored.shape));
    }
  }

  /// The axis that items lie along, counted from the front.
  [[nodiscard]] int each_axis(const TensorInfo& info) const {
    const int axes = info.shape.size();
    const std::int64_t axis = *written_.each < 0 ? *written_.each + axes : *written_.each;
    if (axis < 0 || axis >= axes) {
      throw reader_
          .refusal(written_.each_position, "\"each\" names an axis that the dataset doesn't have")
          .expected(axes == 0 ? "no \"each\", for it is a scalar"
                              : "an axis from " + std::to_string(-axes) + " to " +
                                    std::to_string(axes - 1))
          .found(std::to_string(*written_.each));
    }
    return static_cast<int>(axis);
  }

  void add_source(Input& input, int source) const {
    TensorInfo info = look(input.sources[source]);
    if (written_.each) {
      const int axis = each_axis(info);
      const std::int64_t count = info.shape[axis];
      info.shape.erase(axis);
      input.each_axis = axis;
      for (std::int64_t i = 0; i < count; ++i) input.items.emplace_back(source, i);
    } else {
      input.items.emplace_back(source, -1);
    }
    if (source == 0) {
      input.info = info;
    } else if (info != input.info) {
      throw reader_
          .refusal(written_.file_position,
                   input.sources[source].file + " differs from " + input.sources.front().file)
          .expected(text_of(input.info) + (written_.each ? " per item" : ""))
          .found(text_of(info));
    }
  }

  const Written& written_;
  const ResolveOptions& options_;
  const Reader& reader_;
};

bool items_are_files(const Input& input) { return input.sources.size() > 1 && !input.each_axis; }

}  // namespace

std::vector<Input> resolve_inputs(const Document& document, const ResolveOptions& options) {
  std::vector<Input> inputs;
  const Member* section = document.root.find("inputs");
  if (section == nullptr) return inputs;
  for (const Member& member : Reader(document, "").object(section->value, "\"inputs\"").members) {
    const Reader reader(document, "input " + in_quotes(member.key));
    if (member.key.empty()) throw reader.refusal(member.position, "an input needs a name");
    const Written written = read_input(member.value, reader);
    Input& input = inputs.emplace_back();
    input.name = member.key;
    input.place = reader.place(member.position);
    input.tensor = TensorId{static_cast<std::int32_t>(inputs.size()) - 1};
    input.batched = is_pattern(written.file) || written.each.has_value();
    InputFiles(written, options, reader).fill(input);
  }
  return inputs;
}

Items resolve_items(const Document& document, const std::vector<Input>& inputs) {
  Items items;
  const Input* first = nullptr;
  const Input* named = nullptr;
  for (const Input& input : inputs) {
    if (!input.batched) continue;
    if (first == nullptr) {
      first = &input;
    } else if (input.items.size() != first->items.size()) {
      throw Reader(document, "")
          .refusal({input.place.line, input.place.column}, "inputs " + in_quotes(first->name) +
                                                               " and " + in_quotes(input.name) +
                                                               " have different numbers of items")
          .expected(std::to_string(first->items.size()) + " as in " + in_quotes(first->name))
          .found(std::to_string(input.items.size()));
    }
    if (named == nullptr && items_are_files(input)) named = &input;
  }
  if (first == nullptr) return items;
  items.batched = true;
  items.count = static_cast<std::int64_t>(first->items.size());
  for (std::int64_t i = 0; i < items.count; ++i) {
    items.names.push_back(named == nullptr
                              ? std::to_string(i)
                              : std::filesystem::path(named->sources[i].file).stem().string());
  }
  return items;
}

}  // namespace tessera::graph
