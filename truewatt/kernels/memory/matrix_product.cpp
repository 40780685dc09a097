#include "truewatt/kernels/memory/matrix_product.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace truewatt::kernels {
namespace {

constexpr unsigned kThreads = kTile * kTile;
constexpr std::size_t kProductResult = 8;
constexpr double kLanes = 32.0;
/// Sectors that a warp's row of 32 floats comes to, of a thread.
constexpr double kRowSectors = 4.0 / kLanes;
/// Floats of A that a warp's lanes load at once, all the same ones: two wavefronts (an H100 counted
/// 2.1).
constexpr unsigned kRowWords = 4;
constexpr double kSameSectors = 2 * kRowSectors;

constexpr std::string_view kProductHead = R"(.version 6.4
.target sm_50
.address_size 64

.shared .align 16 .b8 tile_a[4096];
.shared .align 16 .b8 tile_b[4096];

.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_iterations
) .maxntid 1024
{{
    .reg .pred %p_more;
    .reg .b32 %r_block, %r_blocks, %r_lane, %r_x, %r_y, %r_tile, %r_iterations, %r_row, %r_column;
    .reg .b32 %r_word, %r_a, %r_b, %r_put_a, %r_put_b, %r_step, %r_index;
    .reg .b64 %rd_in, %rd_out, %rd_a, %rd_b, %rd_c, %rd_wide;
    .reg .f32 %f_sum, %f_a<8>, %f_b<8>, %f_last;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_iterations, [param_iterations];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_blocks, %nctaid.x;
    mov.u32 %r_lane, %tid.x;
    and.b32 %r_x, %r_lane, 31;
    shr.u32 %r_y, %r_lane, 5;
    mad.lo.u32 %r_index, %r_block, 1024, %r_lane;
    mul.wide.u32 %rd_wide, %r_index, 8;
    add.u64 %rd_out, %rd_out, %rd_wide;
    mov.f32 %f_last, 0f00000000;
    shl.b32 %r_word, %r_y, 7;
    mov.u32 %r_a, tile_a;
    add.u32 %r_a, %r_a, %r_word;
    shl.b32 %r_put_b, %r_x, 2;
    mov.u32 %r_b, tile_b;
    add.u32 %r_put_a, %r_a, %r_put_b;
    add.u32 %r_b, %r_b, %r_put_b;
    add.u32 %r_put_b, %r_b, %r_word;
    rem.u32 %r_tile, %r_block, {tiles};
    setp.eq.u32 %p_more, %r_iterations, 0;
    @%p_more bra DONE;

LOOP:
    .pragma "nounroll";
    div.u32 %r_row, %r_tile, {across};
    rem.u32 %r_column, %r_tile, {across};
    shl.b32 %r_row, %r_row, 5;
    add.u32 %r_row, %r_row, %r_y;
    shl.b32 %r_column, %r_column, 5;
    add.u32 %r_column, %r_column, %r_x;
    mad.lo.u32 %r_word, %r_row, {size}, %r_x;
    mul.wide.u32 %rd_wide, %r_word, 4;
    add.u64 %rd_a, %rd_in, %rd_wide;
    mad.lo.u32 %r_word, %r_y, {size}, %r_column;
    mul.wide.u32 %rd_wide, %r_word, 4;
    add.u64 %rd_b, %rd_in, %rd_wide;
    add.u64 %rd_b, %rd_b, {matrix};
    mov.f32 %f_sum, 0f00000000;
    mov.u32 %r_step, {across};
{begin}
STEP:
    .pragma "nounroll";
)";

constexpr std::string_view kMove = R"(    ld.global.f32 %f_a0, [%rd_a];
    ld.global.f32 %f_b0, [%rd_b];
    st.shared.f32 [%r_put_a], %f_a0;
    st.shared.f32 [%r_put_b], %f_b0;
    add.u64 %rd_a, %rd_a, 128;
    add.u64 %rd_b, %rd_b, {rows};
    bar.sync 0;
)";

constexpr std::string_view kProductEnd = R"({again}    sub.u32 %r_step, %r_step, 1;
    setp.ne.u32 %p_more, %r_step, 0;
    @%p_more bra STEP;

{put}    mov.f32 %f_last, %f_sum;
    mov.u32 %r_index, %r_tile;
    add.u32 %r_tile, %r_tile, %r_blocks;
    rem.u32 %r_tile, %r_tile, {tiles};
    sub.u32 %r_iterations, %r_iterations, 1;
    setp.ne.u32 %p_more, %r_iterations, 0;
    @%p_more bra LOOP;

DONE:
    st.global.f32 [%rd_out], %f_last;
    st.global.u32 [%rd_out+4], %r_index;
    ret;
}}
)";

constexpr std::string_view kPut = R"(    mad.lo.u32 %r_word, %r_row, {size}, %r_column;
    mul.wide.u32 %rd_wide, %r_word, 4;
    add.u64 %rd_c, %rd_in, %rd_wide;
    add.u64 %rd_c, %rd_c, {both};
    st.global.f32 [%rd_c], %f_sum;
)";

std::uint64_t matrix_bytes(const MatrixProduct& product) {
  return std::uint64_t{4} * product.size * product.size;
}

/// Eight factors of each matrix in registers, for multiply-adds that load nothing.
std::string registers() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += fmt::format(
        "    ld.global.f32 %f_a{0}, [%rd_a+{1}];\n    ld.global.f32 %f_b{0}, "
        "[%rd_b+{1}];\n",
        i, 4 * i);
  }
  return text;
}

std::string product_text(const MatrixProduct& product) {
  const unsigned across = product.size / kTile;
  const std::uint64_t matrix = matrix_bytes(product);
  const std::string begin = product.without ? registers() : "";
  std::string text = fmt::format(fmt::runtime(kProductHead), fmt::arg("entry", kMatrixProductEntry),
                                 fmt::arg("tiles", across * across), fmt::arg("across", across),
                                 fmt::arg("size", product.size), fmt::arg("matrix", matrix),
                                 fmt::arg("begin", begin));
  if (!product.without) {
    text += fmt::format(fmt::runtime(kMove), fmt::arg("rows", std::uint64_t{128} * product.size));
  }
  for (unsigned k = 0; k < kTile; ++k) {
    if (product.without) {
      text +=
          fmt::format("    fma.rn.f32 %f_sum, %f_a{}, %f_b{}, %f_sum;\n", k % 8, (k / 8 + k) % 8);
      continue;
    }
    if (k % kRowWords == 0) {
      text += fmt::format("    ld.shared.v4.f32 {{%f_a{}, %f_a{}, %f_a{}, %f_a{}}}, [%r_a+{}];\n",
                          k % 8, k % 8 + 1, k % 8 + 2, k % 8 + 3, 4 * k);
    }
    text += fmt::format("    ld.shared.f32 %f_b{}, [%r_b+{}];\n", k % 8, 128 * k);
    text += fmt::format("    fma.rn.f32 %f_sum, %f_a{0}, %f_b{0}, %f_sum;\n", k % 8);
  }
  const std::string put = product.without
                              ? ""
                              : fmt::format(fmt::runtime(kPut), fmt::arg("size", product.size),
                                            fmt::arg("both", 2 * matrix));
  text += fmt::format(fmt::runtime(kProductEnd),
                      fmt::arg("again", product.without ? "" : "    bar.sync 0;\n"),
                      fmt::arg("put", put), fmt::arg("tiles", across * across));
  return text;
}

class Product final : public Kernel {
 public:
  explicit Product(const MatrixProduct& product)
      : product_(product),
        name_(fmt::format("product of matrices of {0} x {0}{1}", product.size,
                          product.without ? ", nothing moved" : "")) {}

  std::string_view name() const override { return name_; }
  unsigned threads_per_block() const override { return kThreads; }

  Result<KernelSource> text(int /*sm*/) const override {
    return KernelSource{.ptx = product_text(product_),
                        .entry = std::string(kMatrixProductEntry),
                        .array_bytes = 3 * matrix_bytes(product_),
                        .result_bytes = kProductResult};
  }

  /// Values below 1 on a grid of 2^-16.
  std::vector<std::byte> operands(std::size_t /*threads*/) const override {
    std::vector<std::byte> bytes(3 * matrix_bytes(product_));
    std::uint32_t state = 1;
    for (std::size_t at = 0; at < 2 * matrix_bytes(product_); at += sizeof(float)) {
      state = 1664525U * state + 1013904223U;  // Numerical Recipes' generator
      const float value = static_cast<float>(static_cast<int>(state >> 15U) - 65536) / 65536.0F;
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    return bytes;
  }
  std::string operands_name() const override {
    return fmt::format("matrices of {0} x {0}", product_.size);
  }

  std::optional<std::string> check(std::uint32_t iterations, std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    if (product_.without || iterations == 0) return std::nullopt;
    for (std::size_t thread = 0; thread < results.size() / kProductResult; ++thread) {
      float found = 0.0F;
      std::uint32_t tile = 0;
      std::memcpy(&found, results.data() + thread * kProductResult, sizeof found);
      std::memcpy(&tile, results.data() + thread * kProductResult + 4, sizeof tile);
      const auto right = element(thread % kThreads, tile, operands);
      if (!right || found == *right) continue;
      return fmt::format("{} instead of {} in thread {} of tile {}", found, *right, thread, tile);
    }
    return std::nullopt;
  }

  std::vector<Executed> iteration() const override {
    const double steps = static_cast<double>(product_.size) / kTile;
    std::vector<Executed> all{{"fma.rn.f32", static_cast<double>(product_.size)},
                              {"add.u32", steps},
                              {"setp.ne.u32", steps},
                              {"bra", steps / 4}};
    if (!product_.without) {
      all.push_back({"add.u64", 2 * steps});
      all.push_back({"bar.sync", 2 * steps});
    }
    return all;
  }

  std::vector<MemoryAccess> memory() const override {
    if (product_.without) return {};
    const auto size = static_cast<double>(product_.size);
    const double steps = size / kTile;
    const auto matrix = static_cast<double>(matrix_bytes(product_));
    // A block reads nothing twice before it begins another tile of C, so L1 has none of it. Blocks
    // of a row of tiles read the same rows of A together; B is read through from row to row of
    // tiles.
    const double rows = matrix / steps;
    return {
        {.space = MemorySpace::shared, .accesses = size, .sectors = size * kRowSectors},
        {.space = MemorySpace::shared,
         .accesses = size / kRowWords,
         .sectors = size / kRowWords * kSameSectors},
        {.space = MemorySpace::shared,
         .operation = MemoryOperation::store,
         .accesses = 2 * steps,
         .sectors = 2 * steps * kRowSectors},
        {.through_l1 = false,
         .accesses = steps,
         .sectors = steps * kRowSectors,
         .bytes = rows,
         .of_block = true,
         .same = true},
        {.through_l1 = false, .accesses = steps, .sectors = steps * kRowSectors, .bytes = matrix},
        {.operation = MemoryOperation::store,
         .through_l1 = false,
         .accesses = 1.0,
         .sectors = kRowSectors,
         .bytes = matrix}};
  }

 private:
  /// An element of C, by the same multiply-adds; nothing where the factors are not at hand.
  std::optional<float> element(std::size_t lane, std::uint32_t tile,
                               std::span<const std::byte> matrices) const {
    if (matrices.size() < 2 * matrix_bytes(product_)) return std::nullopt;
    const std::size_t across = product_.size / kTile;
    const std::size_t row = tile / across * kTile + lane / kTile;
    const std::size_t column = tile % across * kTile + lane % kTile;
    const auto value = [&](std::size_t index) {
      float one = 0.0F;
      std::memcpy(&one, matrices.data() + sizeof(float) * index, sizeof one);
      return one;
    };
    const std::size_t size = product_.size;
    float sum = 0.0F;
    for (std::size_t k = 0; k < size; ++k) {
      sum = std::fma(value(row * size + k), value(size * size + k * size + column), sum);
    }
    return sum;
  }

  MatrixProduct product_;
  std::string name_;
};

}  // namespace

double tiles_of(const MatrixProduct& product) {
  const double across = static_cast<double>(product.size) / kTile;
  return across * across;
}

std::shared_ptr<const Kernel> make_matrix_product(const MatrixProduct& product) {
  return std::make_shared<const Product>(product);
}

}  // namespace truewatt::kernels
