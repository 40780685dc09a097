#include "truewatt/instructions/kernel_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "truewatt/instructions/table_file.hpp"
#include "truewatt/machine_code/cubin.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/store/text_file.hpp"

namespace truewatt::instructions {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Unexpected name_one(std::string_view kernel, std::vector<std::string> names,
                    std::string_view origin) {
  constexpr std::size_t kShown = 12;
  if (names.size() > kShown) {
    const std::size_t more = names.size() - kShown;
    names.resize(kShown);
    names.push_back(fmt::format("{} more", more));
  }
  const std::string what = kernel.empty() ? fmt::format("{} has several kernels", origin)
                                          : fmt::format("{} has no kernel {}", origin, kernel);
  return {Errc::invalid_argument,
          fmt::format("{}; name one of them with --kernel: {}", what, fmt::join(names, ", "))};
}

/// The name that is meant among those that there are.
Result<std::string> chosen(std::string_view kernel, const std::vector<std::string>& names,
                           std::string_view origin) {
  if (names.empty()) return Unexpected(Errc::parse, fmt::format("{} has no kernel", origin));
  if (kernel.empty() && names.size() == 1) return names.front();
  const bool there = std::find(names.begin(), names.end(), kernel) != names.end();
  if (!there) return name_one(kernel, names, origin);
  return std::string(kernel);
}

Result<CountedKernel> kernel_of_cubin(std::string_view bytes, std::string_view kernel,
                                      std::string_view origin) {
  const auto name = chosen(kernel, machine_code::kernel_names(bytes_of(bytes)), origin);
  if (!name) return Unexpected(name.error());
  const auto code = machine_code::kernel_code(bytes_of(bytes), *name);
  if (!code) {
    return Unexpected(code.error().code, fmt::format("{}: {}", origin, code.error().message));
  }
  CountedKernel text{.name = *name, .instructions = {}, .sm = code->sm};
  for (const auto& one : machine_code::opcode_counts(*code)) {
    text.instructions.emplace_back(one.opcode, one.count);
  }
  return text;
}

Result<CountedKernel> kernel_of_ptx(std::string_view bytes, std::string_view kernel,
                                    std::string_view origin) {
  std::vector<CountedKernel> all = kernels_of_ptx(bytes);
  std::vector<std::string> names;
  for (const CountedKernel& one : all) names.push_back(one.name);
  const auto name = chosen(kernel, names, origin);
  if (!name) return Unexpected(name.error());
  return *std::find_if(all.begin(), all.end(),
                       [&](const CountedKernel& one) { return one.name == *name; });
}

/// The instruction of the code that a counted name means: itself, or without its last modifiers.
const std::string* meant_by(std::string_view counted, const CountedKernel& kernel) {
  for (;;) {
    for (const auto& [name, count] : kernel.instructions) {
      if (name == counted) return &name;
    }
    const std::size_t dot = counted.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    counted = counted.substr(0, dot);
  }
}

}  // namespace

KernelFileKind kind_of_kernel_file(std::string_view bytes) {
  if (machine_code::is_cubin(bytes_of(bytes))) return KernelFileKind::machine_code;
  const bool ptx = bytes.find(".version") != std::string_view::npos &&
                   bytes.find(".target") != std::string_view::npos;
  return ptx ? KernelFileKind::ptx : KernelFileKind::neither;
}

Result<CountedKernel> kernel_of(std::string_view bytes, std::string_view kernel,
                                std::string_view origin) {
  switch (kind_of_kernel_file(bytes)) {
    case KernelFileKind::machine_code:
      return kernel_of_cubin(bytes, kernel, origin);
    case KernelFileKind::ptx:
      return kernel_of_ptx(bytes, kernel, origin);
    case KernelFileKind::neither:
      break;
  }
  return Unexpected(
      Errc::parse,
      fmt::format("{} is neither PTX nor a cubin; `cuobjdump -xelf all PROGRAM` takes the cubins "
                  "out of a program, `nvcc -cubin` and `nvcc -ptx` make them",
                  origin));
}

Result<KernelCounts> match_counts(const CountedKernel& kernel, const Counts& executed) {
  KernelCounts matched{.kernel = kernel.name, .sm = kernel.sm};
  for (const auto& [name, count] : executed) {
    const std::string* meant = meant_by(name, kernel);
    if (meant == nullptr) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("the code of {} has no {}: are the counts another kernel's, "
                                    "or of PTX where the code is SASS?",
                                    kernel.name, name));
    }
    matched.counts.emplace_back(*meant, count);
  }
  for (const auto& stands : kernel.instructions) {
    const bool counted = std::any_of(matched.counts.begin(), matched.counts.end(),
                                     [&](const auto& one) { return one.first == stands.first; });
    if (!counted) matched.uncounted.push_back(stands.first);
  }
  return matched;
}

Result<KernelCounts> read_kernel_counts(const std::filesystem::path& file,
                                        const std::filesystem::path& counts,
                                        std::string_view kernel) {
  const auto bytes = store::read_text_file(file);
  if (!bytes) return Unexpected(bytes.error());
  const bool alone = counts.empty() && kernel.empty();
  if (alone && kind_of_kernel_file(*bytes) == KernelFileKind::neither) {
    auto executed = read_counts(file);
    if (!executed) return Unexpected(executed.error());
    return KernelCounts{.counts = *std::move(executed)};
  }
  auto found = kernel_of(*bytes, kernel, file.string());
  if (!found) return Unexpected(found.error());
  if (counts.empty()) {
    return KernelCounts{.kernel = std::move(found->name),
                        .sm = found->sm,
                        .one_thread = true,
                        .counts = std::move(found->instructions)};
  }
  const auto executed = read_counts(counts);
  if (!executed) return Unexpected(executed.error());
  return match_counts(*found, *executed);
}

}  // namespace truewatt::instructions
