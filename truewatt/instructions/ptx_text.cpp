#include "truewatt/instructions/ptx_text.hpp"

#include <algorithm>

namespace truewatt::instructions {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// The text with blanks for comments.
std::string without_comments(std::string_view text) {
  std::string plain(text);
  for (std::size_t at = 0; at + 1 < plain.size(); ++at) {
    const std::string_view two = std::string_view(plain).substr(at, 2);
    if (two != "//" && two != "/*") continue;
    const bool line = two == "//";
    std::size_t end = line ? plain.find('\n', at) : plain.find("*/", at + 2);
    end = end == std::string::npos ? plain.size() : end + (line ? 0 : 2);
    std::fill(plain.begin() + static_cast<std::ptrdiff_t>(at),
              plain.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = end == 0 ? 0 : end - 1;
  }
  return plain;
}

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%';
}

void trim(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

std::string_view word_of(std::string_view text) {
  return text.substr(0, text.find_first_of(kBlank));
}

/// Removes a label, "LOOP:", from the front.
bool drop_label(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_of_name(text[end])) ++end;
  const bool label = end > 0 && end < text.size() && text[end] == ':' &&
                     (end + 1 == text.size() || text[end + 1] != ':');
  if (label) text.remove_prefix(end + 1);
  return label;
}

/// Removes what may stand before an instruction: braces of a block, labels, directives that end
/// with their line.
void drop_front(std::string_view& text) {
  for (;;) {
    trim(text);
    if (text.starts_with('{') || text.starts_with('}')) {
      text.remove_prefix(1);
    } else if (text.starts_with(".loc") || text.starts_with(".file")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (!drop_label(text)) {
      return;
    }
  }
}

/// The opcode of a statement; empty where it is none.
std::string_view opcode_of(std::string_view statement) {
  drop_front(statement);
  if (statement.starts_with('@')) {
    statement.remove_prefix(word_of(statement).size());
    trim(statement);
  }
  return statement.starts_with('.') ? std::string_view() : word_of(statement);
}

void count(Counts& counts, std::string_view opcode) {
  const auto found = std::find_if(counts.begin(), counts.end(),
                                  [&](const auto& one) { return one.first == opcode; });
  if (found != counts.end()) {
    found->second += 1;
  } else {
    counts.emplace_back(opcode, 1.0);
  }
}

/// From behind the opening brace to the one that closes it.
std::string_view body_of(std::string_view text) {
  int depth = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (depth == 0) return text.substr(0, at);
  }
  return text;
}

}  // namespace

std::vector<CountedKernel> kernels_of_ptx(std::string_view text) {
  constexpr std::string_view kEntry = ".entry";
  const std::string plain = without_comments(text);
  std::string_view rest = plain;
  std::vector<CountedKernel> kernels;
  for (std::size_t at = rest.find(kEntry); at != std::string_view::npos; at = rest.find(kEntry)) {
    rest.remove_prefix(at + kEntry.size());
    trim(rest);
    CountedKernel kernel;
    while (kernel.name.size() < rest.size() && is_of_name(rest[kernel.name.size()])) {
      kernel.name += rest[kernel.name.size()];
    }
    const std::size_t open = rest.find('{');
    if (open == std::string_view::npos) break;
    rest.remove_prefix(open + 1);
    std::string_view body = body_of(rest);
    rest.remove_prefix(body.size());
    for (std::size_t end = body.find(';'); end != std::string_view::npos; end = body.find(';')) {
      const std::string_view opcode = opcode_of(body.substr(0, end));
      if (!opcode.empty()) count(kernel.instructions, opcode);
      body.remove_prefix(end + 1);
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace truewatt::instructions
