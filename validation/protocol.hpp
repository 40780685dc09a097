#pragma once

#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace workload {

/// A stretch of work, ns of CLOCK_MONOTONIC.
struct Interval {
  long long begin_ns = 0;
  long long end_ns = 0;
};

/// Does that many iterations back to back and returns once the device has finished them.
using Run = std::function<Interval(long long iterations)>;

/// Now, ns of CLOCK_MONOTONIC: the clock on which truewatt stamps its readings.
inline long long monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// The driver's end of standard output. Whatever else is printed from here on, by libraries too,
/// goes to standard error: a stray line would be read as an answer.
class Answers {
 public:
  Answers() : out_(dup(STDOUT_FILENO)) { dup2(STDERR_FILENO, STDOUT_FILENO); }
  ~Answers() { close(out_); }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  /// Writes one line; line breaks in `text` become blanks.
  void say(std::string text) const {
    for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
    print(text);
  }
  /// Writes `text`, which may have several lines, and a line break.
  void print(const std::string& text) const { dprintf(out_, "%s\n", text.c_str()); }

 private:
  int out_;
};

/// The N of `run N`, at least 1. Throws what is wrong with any other line.
inline long long parse_run(std::string_view line) {
  constexpr std::string_view kVerb = "run ";
  const std::string_view number =
      line.substr(0, kVerb.size()) == kVerb ? line.substr(kVerb.size()) : std::string_view();
  const char* end = number.data() + number.size();
  long long iterations = 0;
  const auto [rest, failure] = std::from_chars(number.data(), end, iterations);
  if (failure != std::errc() || rest != end || iterations < 1)
    throw std::runtime_error("'" + std::string(line) + "' is neither 'run N' (N >= 1) nor 'quit'");
  return iterations;
}

/// Answers lines until `quit` or the end of `in`.
inline void answer_lines(std::istream& in, const Answers& answers, const Run& run) {
  for (std::string line; std::getline(in, line) && line != "quit";) {
    const Interval done = run(parse_run(line));
    answers.say("done " + std::to_string(done.begin_ns) + " " + std::to_string(done.end_ns));
  }
}

/// What the command line asks for.
struct Options {
  bool help = false;
  std::string device;  ///< UUID, empty for the first visible
};

/// Throws on an argument it does not know.
inline Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help") {
      options.help = true;
    } else if (argument == "--device" && i + 1 < argc) {
      options.device = argv[++i];
    } else {
      throw std::runtime_error("unknown argument '" + std::string(argument) +
                               "': there are --help and --device UUID");
    }
  }
  return options;
}

/// A workload's main: reads the command line, calls `prepare` (allocate, fill, warm up, check),
/// says `ready NAME` and answers. Everything that fails is thrown and ends here as an `error` line
/// and exit status 1. `validation/README.md` has the protocol.
inline int serve(int argc, char** argv, const std::string& name, const std::string& help,
                 const std::function<Run()>& prepare) {
  const Answers answers;
  try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
      answers.print(help);
      return 0;
    }
    // The driver finds a device by its UUID itself, MIG instances too, if told before the first
    // CUDA call.
    if (!options.device.empty()) setenv("CUDA_VISIBLE_DEVICES", options.device.c_str(), 1);
    const Run run = prepare();
    answers.say("ready " + name);
    answer_lines(std::cin, answers, run);
    return 0;
  } catch (const std::exception& failure) {
    answers.say(std::string("error ") + failure.what());
    return 1;
  }
}

}  // namespace workload
