// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "record/logs.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"

namespace tessera::record {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities and no NaN: they are written as words.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

Json span_json(int rank, const Span& span) {
  Json line;
  line["rank"] = rank;
  line["phase"] = name_of(span.phase);
  if (!span.step.empty()) line["step"] = span.step;
  line["label"] = span.label;
  if (!span.algorithm.empty()) line["algorithm"] = span.algorithm;
  line["start"] = span.start;
  line["end"] = span.end;
  if (span.count != 1) line["count"] = span.count;
  if (span.turns >= 0) line["turns"] = span.turns;
  line["seconds"] = span.busy;
  if (span.bytes > 0) {
    line["bytes"] = number(span.bytes);
    if (span.busy > 0) line["bytes_per_second"] = number(span.bytes / span.busy);
  }
  if (span.flops > 0) {
    line["flops"] = number(span.flops);
    if (span.busy > 0) line["flops_per_second"] = number(span.flops / span.busy);
  }
  line["predicted"] = number(span.predicted);
  return line;
}

Phase phase_named(const std::string& name) {
  for (const Phase phase :
       {Phase::startup, Phase::read, Phase::upload, Phase::compute, Phase::communicate,
        Phase::download, Phase::write, Phase::wait, Phase::report}) {
    if (name == name_of(phase)) return phase;
  }
  throw Error(ErrorKind::io, "unknown phase in a timing log").found("\"" + name + "\"");
}

Span span_from(const Json& line) {
  Span span;
  span.phase = phase_named(line.at("phase").get<std::string>());
  span.step = line.value("step", "");
  span.label = line.value("label", "");
  span.algorithm = line.value("algorithm", "");
  span.start = line.at("start").get<double>();
  span.end = line.at("end").get<double>();
  span.count = line.value("count", std::int64_t{1});
  span.turns = line.value("turns", std::int64_t{-1});
  span.busy = line.value("seconds", span.end - span.start);
  const auto real = [&](const char* key) {
    return line.contains(key) && line[key].is_number() ? line[key].get<double>() : 0.0;
  };
  span.bytes = real("bytes");
  span.flops = real("flops");
  span.predicted = real("predicted");
  return span;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) {
    throw Error(ErrorKind::io, std::string("can't write a log: ") + std::strerror(errno))
        .at({path.string()});
  }
}

}  // namespace

std::string to_json_lines(const RankLog& log, const Limits& limits) {
  Json header;
  header["rank"] = log.rank;
  header["origin"] = log.origin;
  header["wall"] = log.wall;
  header["planned_bytes"] = log.planned_bytes;
  header["measured_bytes"] = log.measured_bytes;
  header["limits"] = {{"copy_bytes_per_second", limits.copy_bytes_per_second}};
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const Span& span : log.spans) {
    text += span_json(log.rank, span).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

std::vector<RankLog> from_json_lines(const std::string& text, Limits* limits) {
  std::vector<RankLog> ranks;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      const Json entry = Json::parse(line);
      const int rank = entry.at("rank").get<int>();
      if (entry.contains("wall")) {
        RankLog log;
        log.rank = rank;
        log.origin = entry.at("origin").get<double>();
        log.wall = entry.at("wall").get<double>();
        log.planned_bytes = entry.value("planned_bytes", std::int64_t{0});
        log.measured_bytes = entry.value("measured_bytes", std::int64_t{0});
        if (limits != nullptr && entry.contains("limits")) {
          limits->copy_bytes_per_second = entry["limits"].value("copy_bytes_per_second", 0.0);
        }
        ranks.push_back(std::move(log));
      } else if (ranks.empty() || ranks.back().rank != rank) {
        throw Error(ErrorKind::io, "a span stands before its rank's header");
      } else {
        ranks.back().spans.push_back(span_from(entry));
      }
    } catch (const std::exception& error) {
      throw Error(ErrorKind::io, std::string("can't read a timing log: ") + error.what())
          .at({"timing.jsonl", number});
    }
  }
  return ranks;
}

std::string trace_json(const std::vector<RankLog>& ranks) {
  double first = ranks.empty() ? 0 : ranks.front().origin;
  for (const RankLog& log : ranks) first = std::min(first, log.origin);
  Json events = Json::array();
  for (const RankLog& log : ranks) {
    events.push_back({{"ph", "M"},
                      {"pid", log.rank},
                      {"name", "process_name"},
                      {"args", {{"name", "rank " + std::to_string(log.rank)}}}});
    for (const Span& span : log.spans) {
      Json event = {{"ph", "X"},
                    {"pid", log.rank},
                    {"tid", name_of(span.phase)},
                    {"name", span.step.empty() ? span.label : span.step + ": " + span.label},
                    {"cat", name_of(span.phase)},
                    {"ts", (log.origin - first + span.start) * 1e6},
                    {"dur", (span.end - span.start) * 1e6}};
      event["args"] = {
          {"bytes", number(span.bytes)}, {"flops", number(span.flops)}, {"count", span.count}};
      if (span.turns >= 0) event["args"]["turns"] = span.turns;
      events.push_back(std::move(event));
    }
  }
  return Json({{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_logs(const std::string& folder, const std::vector<RankLog>& ranks, const Limits& limits,
                const Facts& facts) {
  const std::filesystem::path base(folder);
  std::error_code code;
  std::filesystem::create_directories(base, code);
  if (code) {
    throw Error(ErrorKind::io, "can't make the folder for logs: " + code.message()).at({folder});
  }
  std::string lines;
  for (const RankLog& log : ranks) lines += to_json_lines(log, limits);
  write_file(base / "timing.jsonl", lines);
  write_file(base / "trace.json", trace_json(ranks));
  write_file(base / "summary.txt", summary(ranks, limits));
  Json run;
  for (const auto& [name, value] : facts) {
    const bool nested = !value.empty() && (value[0] == '{' || value[0] == '[');
    const Json parsed = nested ? Json::parse(value, nullptr, false) : Json();
    run[name] = nested && !parsed.is_discarded() ? parsed : Json(value);
  }
  for (const RankLog& log : ranks) {
    run["ranks"].push_back({{"rank", log.rank},
                            {"wall_seconds", log.wall},
                            {"planned_bytes", log.planned_bytes},
                            {"measured_peak_bytes", log.measured_bytes}});
  }
  run["coverage"] = coverage(ranks);
  write_file(base / "run.json", run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace tessera::record
