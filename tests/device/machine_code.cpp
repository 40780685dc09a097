// The rows of the instruction table on a machine with NVIDIA's toolkit; machine_code.py builds and
// drives it. machine_code ptx FOLDER writes every row's kernels, machine_code names CUBIN... prints
// our names of their instructions, machine_code results runs every row on GPU 0 and checks what it
// computes.

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/machine_code/opcode.hpp"
#include "truewatt/machine_code/survival.hpp"

namespace {

using namespace truewatt;
using kernels::Instruction;
using kernels::Operands;
using kernels::Optimization;

constexpr std::array kOptimizations = {Optimization::O0, Optimization::O3};

int level_of(Optimization optimization) { return optimization == Optimization::O0 ? 0 : 3; }

void write_texts(const std::string& folder) {
  std::size_t number = 0;
  for (const Instruction& row : kernels::instructions()) {
    for (const Optimization optimization : kOptimizations) {
      const auto kernel = kernels::instruction_kernel(row, row.lowest, 8, optimization);
      std::ofstream(fmt::format("{}/{:03}_O{}.ptx", folder, number, level_of(optimization)))
          << kernel->ptx;
    }
    fmt::print("{:03} {} {} {}\n", number++, row.key, row.lowest.sm, row.lowest.arch_specific);
  }
}

void print_names(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string cubin((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto code =
      machine_code::kernel_code(std::as_bytes(std::span(cubin)), kernels::kInstructionEntry);
  fmt::print("{}", path);
  for (const auto& word : code->words) fmt::print(" {}", machine_code::opcode_name(word, code->sm));
  fmt::print("\n");
}

/// The calls of CUDA's driver that a launch needs.
class Driver {
 public:
  Driver() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    call<int(unsigned)>("cuInit")(0);
    int device = 0;
    call<int(int*, int)>("cuDeviceGet")(&device, 0);
    const auto attribute = call<int(int*, int, int)>("cuDeviceGetAttribute");
    int major = 0;
    int minor = 0;
    attribute(&major, 75, device);
    attribute(&minor, 76, device);
    target_ = {10 * major + minor};
    void* context = nullptr;
    call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device);
    call<int(void*)>("cuCtxSetCurrent")(context);
  }

  kernels::Target target() const { return target_; }

  /// Machine code of a text, as the driver assembles it; empty if it refuses.
  std::string assemble(const std::string& ptx, int level) const {
    constexpr int kOptimizationLevel = 7;
    constexpr int kInputPtx = 1;
    std::array<int, 1> options{kOptimizationLevel};
    std::array<void*, 1> values{reinterpret_cast<void*>(static_cast<std::uintptr_t>(level))};
    void* link = nullptr;
    void* made = nullptr;
    std::size_t size = 0;
    call<int(unsigned, int*, void**, void**)>("cuLinkCreate_v2")(1, options.data(), values.data(),
                                                                 &link);
    call<int(void*, int, const void*, std::size_t, const char*, unsigned, int*, void**)>(
        "cuLinkAddData_v2")(link, kInputPtx, ptx.c_str(), ptx.size() + 1, "kernel", 0, nullptr,
                            nullptr);
    std::string cubin;
    if (call<int(void*, void**, std::size_t*)>("cuLinkComplete")(link, &made, &size) == 0) {
      cubin.assign(static_cast<const char*>(made), size);
    }
    call<int(void*)>("cuLinkDestroy")(link);
    return cubin;
  }

  /// Runs a kernel on `threads` threads; the status of the driver, 0 if all is well.
  int run(const std::string& cubin, unsigned threads, unsigned block, unsigned iterations,
          const std::vector<std::byte>& operands, std::vector<std::byte>* results) const {
    using Address = unsigned long long;
    const auto allocate = call<int(Address*, std::size_t)>("cuMemAlloc_v2");
    const auto release = call<int(Address)>("cuMemFree_v2");
    void* module = nullptr;
    void* function = nullptr;
    int status = call<int(void**, const void*)>("cuModuleLoadData")(&module, cubin.data());
    if (status != 0) return status;
    call<int(void**, void*, const char*)>("cuModuleGetFunction")(
        &function, module, std::string(kernels::kInstructionEntry).c_str());
    Address in = 0;
    Address out = 0;
    allocate(&in, operands.size());
    allocate(&out, results->size());
    call<int(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2")(in, operands.data(),
                                                                    operands.size());
    std::array<void*, 3> parameters{&in, &out, &iterations};
    status = call<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      void*, void**, void**)>("cuLaunchKernel")(
        function, threads / block, 1, 1, block, 1, 1, 0, nullptr, parameters.data(), nullptr);
    if (status == 0) status = call<int()>("cuCtxSynchronize")();
    if (status == 0)
      call<int(void*, Address, std::size_t)>("cuMemcpyDtoH_v2")(results->data(), out,
                                                                results->size());
    release(in);
    release(out);
    call<int(void*)>("cuModuleUnload")(module);
    return status;
  }

 private:
  template <class Signature>
  Signature* call(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(library_, name));
  }

  void* library_ = nullptr;
  kernels::Target target_;
};

struct Tally {
  int right = 0;
  int wrong = 0;
  int unchecked = 0;
};

void check_row(const Driver& driver, const Instruction& row, Optimization optimization,
               Tally* tally) {
  constexpr unsigned kThreads = 2048;
  constexpr unsigned kBlock = 256;
  constexpr unsigned kCopies = 16;
  const auto kernel = instruction_kernel(row, driver.target(), kCopies, optimization);
  const std::string cubin = driver.assemble(kernel->ptx, level_of(optimization));
  for (const Operands operands :
       {Operands::zeros, Operands::constant, Operands::bits, Operands::random}) {
    for (const unsigned iterations : {0U, 1U, 37U}) {
      const auto data = operand_data(row, operands, kThreads, 7);
      std::vector<std::byte> results(kThreads * kernels::kResultBytes);
      const int status = driver.run(cubin, kThreads, kBlock, iterations, data, &results);
      const auto wrong = status != 0
                             ? fmt::format("{}: the driver says {}", row.key, status)
                             : check_results(row, kCopies, iterations, data, results).value_or("");
      if (row.step == nullptr && status == 0) {
        ++tally->unchecked;
      } else if (wrong.empty()) {
        ++tally->right;
      } else {
        ++tally->wrong;
        fmt::print("O{} {} x {}: {}\n", level_of(optimization), to_string(operands), iterations,
                   wrong);
      }
    }
  }
}

/// Whether the row is in the machine code that the driver makes, which may be of another version.
void check_code(const Driver& driver, const Instruction& row, Optimization optimization) {
  std::array<machine_code::LoopBody, 2> bodies;
  constexpr std::array<unsigned, 2> kCopies{16, 48};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto kernel = instruction_kernel(row, driver.target(), kCopies[i], optimization);
    const std::string cubin = driver.assemble(kernel->ptx, level_of(optimization));
    bodies[i] = machine_code::loop_body(std::as_bytes(std::span(cubin)), kernels::kInstructionEntry)
                    .value_or({});
  }
  const auto found = machine_code::expansion(bodies[0], kCopies[0], bodies[1], kCopies[1]);
  const auto reason = survived(row, optimization, driver.target().sm, found);
  if (reason) fmt::print("O{}: {}\n", level_of(optimization), *reason);
}

int check_all() {
  const Driver driver;
  Tally tally;
  fmt::print("sm_{}\n", driver.target().sm);
  for (const Instruction& row : kernels::instructions()) {
    if (!exists_on(row, driver.target())) continue;
    for (const Optimization optimization : kOptimizations) {
      check_code(driver, row, optimization);
      check_row(driver, row, optimization, &tally);
    }
  }
  fmt::print("{} launches right, {} wrong, {} that the host cannot check\n", tally.right,
             tally.wrong, tally.unchecked);
  return tally.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "results") return check_all();
  if (what == "ptx" && count == 3) write_texts(arguments[2]);
  for (int i = 2; what == "names" && i < count; ++i) print_names(arguments[i]);
  return 0;
}
