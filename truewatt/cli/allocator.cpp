#include "truewatt/cli/allocator.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

// The sanitizers have an allocator of their own.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRUEWATT_REPLACES_NEW
#endif

namespace truewatt::cli {
namespace {

#ifdef TRUEWATT_REPLACES_NEW
/// Readings of a long log fill hundreds of megabytes, page by page: with pages of 2 MiB that takes
/// a quarter less of its time.
void ask_for_large_pages(void* block, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t lead = (kPage - reinterpret_cast<std::uintptr_t>(block) % kPage) % kPage;
  madvise(static_cast<char*>(block) + lead, (bytes - lead) / kPage * kPage, MADV_HUGEPAGE);
}
#endif

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kNever = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kNever);
  mallopt(M_TRIM_THRESHOLD, kNever);
#endif
}

}  // namespace truewatt::cli

// Not inlined: the compiler would see memory of `new` given to free().
#ifdef TRUEWATT_REPLACES_NEW
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  void* block = std::malloc(bytes > 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  if (bytes >= kLarge) truewatt::cli::ask_for_large_pages(block, bytes);
  return block;
}

[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif
