#include "truewatt/kernels/copy.hpp"

#include <fmt/format.h>

#include <cstring>

#include "truewatt/kernels/random_bytes.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::size_t kPieceBytes = 16;
/// The thread's last piece, as it is in the copy, and how many threads there were.
constexpr std::size_t kCopyResultBytes = 32;
constexpr unsigned kThreadsOfBlock = 1024;

constexpr std::string_view kCopyPrologue = R"(.version 6.0
.target sm_30
.address_size 64

.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_passes
) .maxntid {threads}
{{
    .reg .pred %p_more;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_all, %r_row, %r_at, %r_place, %r_passes;
    .reg .b32 %x<{words}>;
    .reg .b64 %rd_in, %rd_copy, %rd_out, %rd_offset, %rd_to<{copies}>;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_passes, [param_passes];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    add.u64 %rd_copy, %rd_in, {copied};
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mov.u32 %r_all, %nctaid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.lo.u32 %r_all, %r_all, %r_width;
    shl.b32 %r_row, %r_all, 4;
    shl.b32 %r_at, %r_index, 4;
    mul.wide.u32 %rd_offset, %r_index, {result};
    add.u64 %rd_out, %rd_out, %rd_offset;
    mov.u32 %x0, 0;
    mov.u32 %x1, 0;
    mov.u32 %x2, 0;
    mov.u32 %x3, 0;
    setp.eq.u32 %p_more, %r_passes, 0;
    @%p_more bra $done;

$pass:
    .pragma "nounroll";
)";

constexpr std::string_view kLoadPiece = R"(    and.b32 %r_place, %r_at, {mask};
    cvt.u64.u32 %rd_offset, %r_place;
    add.u64 %rd_to{i}, %rd_copy, %rd_offset;
    add.u64 %rd_offset, %rd_in, %rd_offset;
    ld.global.v4.u32 {{%x{a}, %x{b}, %x{c}, %x{d}}}, [%rd_offset];
    add.u32 %r_at, %r_at, %r_row;
)";

constexpr std::string_view kStorePiece =
    "    st.global.v4.u32 [%rd_to{i}], {{%x{a}, %x{b}, %x{c}, %x{d}}};\n";

/// Volatile: from memory, whatever the assembler knows of it.
constexpr std::string_view kCopyEpilogue = R"(    sub.u32 %r_passes, %r_passes, 1;
    setp.ne.u32 %p_more, %r_passes, 0;
    @%p_more bra $pass;

    ld.volatile.global.v4.u32 {{%x0, %x1, %x2, %x3}}, [%rd_to{last}];

$done:
    st.global.v4.u32 [%rd_out], {{%x0, %x1, %x2, %x3}};
    st.global.u32 [%rd_out+16], %r_all;
    ret;
}}
)";

std::string of_piece(std::string_view text, unsigned i) {
  return fmt::format(fmt::runtime(text), fmt::arg("i", i), fmt::arg("mask", kCopiedBytes - 1),
                     fmt::arg("a", 4 * i), fmt::arg("b", 4 * i + 1), fmt::arg("c", 4 * i + 2),
                     fmt::arg("d", 4 * i + 3));
}

std::string copy_ptx() {
  std::string text = fmt::format(
      kCopyPrologue, fmt::arg("entry", kCopyEntry), fmt::arg("threads", kThreadsOfBlock),
      fmt::arg("words", 4 * kCopiesPerPass), fmt::arg("copies", kCopiesPerPass),
      fmt::arg("copied", kCopiedBytes), fmt::arg("result", kCopyResultBytes));
  for (unsigned i = 0; i < kCopiesPerPass; ++i) text += of_piece(kLoadPiece, i);
  for (unsigned i = 0; i < kCopiesPerPass; ++i) text += of_piece(kStorePiece, i);
  return text + fmt::format(kCopyEpilogue, fmt::arg("last", kCopiesPerPass - 1));
}

class Copy final : public Kernel {
 public:
  std::string_view name() const override { return "copy"; }
  Grid grid() const override { return Grid::block_per_multiprocessor; }
  unsigned threads_per_block() const override { return kThreadsOfBlock; }

  Result<KernelSource> text(int /*sm*/) const override {
    return KernelSource{.ptx = copy_ptx(),
                        .entry = std::string(kCopyEntry),
                        .array_bytes = 2 * kCopiedBytes,
                        .result_bytes = kCopyResultBytes};
  }

  std::vector<std::byte> operands(std::size_t /*threads*/) const override {
    std::vector<std::byte> bytes(2 * kCopiedBytes);
    fill_randomly(std::span(bytes).first(kCopiedBytes));
    return bytes;
  }

  std::optional<std::string> check(std::uint32_t iterations, std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    if (iterations == 0) return std::nullopt;
    const std::uint64_t last = std::uint64_t{iterations} * kCopiesPerPass - 1;
    for (std::size_t thread = 0; thread < results.size() / kCopyResultBytes; ++thread) {
      const auto found = results.subspan(thread * kCopyResultBytes, kCopyResultBytes);
      std::uint32_t threads = 0;
      std::memcpy(&threads, found.data() + kPieceBytes, sizeof threads);
      const std::uint64_t at = (thread + last * threads) * kPieceBytes % kCopiedBytes;
      if (at + kPieceBytes > operands.size()) continue;
      if (std::memcmp(found.data(), operands.data() + at, kPieceBytes) == 0) continue;
      return fmt::format("another copy of the 16 bytes at {} in thread {}", at, thread);
    }
    return std::nullopt;
  }

  std::vector<Executed> iteration() const override {
    return {{"and.b32", kCopiesPerPass},
            {"add.u32", kCopiesPerPass},
            {"add.u64", 2.0 * kCopiesPerPass}};
  }

  std::vector<MemoryAccess> memory() const override {
    constexpr double kSector = 32.0;
    const MemoryAccess load{.accesses = kCopiesPerPass,
                            .sectors = kCopiesPerPass * kPieceBytes / kSector,
                            .bytes = kCopiedBytes};
    MemoryAccess store = load;
    store.operation = MemoryOperation::store;
    return {load, store};
  }
};

}  // namespace

std::shared_ptr<const Kernel> copy() {
  static const auto kernel = std::make_shared<const Copy>();
  return kernel;
}

}  // namespace truewatt::kernels
