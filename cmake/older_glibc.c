/* Two functions of newer glibc that the compiler's static archives ask for, for hosts with glibc
 * 2.34. Hidden: nobody outside the binary sees them. See Relocatable.cmake. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* glibc 2.36; std::random_device asks for it. getrandom does not fail for so few bytes once the
 * kernel's generator is seeded; before that it blocks. */
HIDDEN uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
  }
  return value;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* the <dlfcn.h> at hand declares dl_find_object, and so does \
                                   libgcc */
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

/* Is `address` inside a loaded segment of this object, and where are its unwind tables? */
static int look_in(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  int inside = 0;
  void* tables = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address - begin < header->p_memsz) inside = 1;
    if (header->p_type == PT_GNU_EH_FRAME) tables = (void*)begin;
  }
  if (!inside || tables == NULL) return inside ? -1 : 0;
  search->found->dlfo_eh_frame = tables;
  return 1;
}

/* glibc 2.35; the unwinder asks it where the exception tables of a program counter are. Only the
 * field that libgcc reads on this architecture is filled in. */
HIDDEN int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look_in, &search) == 1 ? 0 : -1;
}
#if DLFO_STRUCT_HAS_EH_DBASE
#error "this architecture's unwinder also reads dlfo_eh_dbase"
#endif
#endif
