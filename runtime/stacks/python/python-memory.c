/* Reads memory of this process that may not be mapped. The kernel copies it, and returns an error
 * where a load would crash the process. A system call takes a microsecond, so this file stores
 * which pages the kernel has copied from, and reads these pages directly: Python's objects are in
 * few pages. A stored page may have been unmapped since, but no valid pointer leads there. */
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

#include "../../intercept/guard.h"
#include "../../intercept/sys/sys.h"
#include "python-layout.h"

enum { PAGE = PYTHON_PAGE, READS_MEM = 1 };

/* Reads n bytes by /proc/self/mem. Used if a seccomp filter (of an older container) forbids
 * process_vm_readv; it needs only calls that every filter allows. Returns the number of bytes read;
 * 0 if reading fails. */
static size_t read_mem(void *to, uintptr_t from, size_t n) {
  ssize_t got = 0;
  if (!sys_gate_begin()) return 0;
  int fd = sys_open("/proc/self/mem", O_RDONLY, 0);
  if (fd >= 0) {
    got = sys_pread(fd, to, n, (off_t)from);
    sys_close(fd);
  }
  sys_gate_end();
  return got > 0 ? (size_t)got : 0;
}

SELDOM uintptr_t python_pages[PYTHON_PAGES];

static void remember(uintptr_t page) {
  __atomic_store_n(python_place_of(page), page, __ATOMIC_RELAXED);
}

static size_t read_by_kernel(void *to, uintptr_t from, size_t n) {
  static int way;
  struct iovec here = {to, n}, there[2] = {{(void *)from, n}, {NULL, 0}};
  size_t in_page = PAGE - from % PAGE;
  if (n > in_page) {
    there[0].iov_len = in_page;
    there[1] = (struct iovec){(void *)(from + in_page), n - in_page};
  }
  if (__atomic_load_n(&way, __ATOMIC_RELAXED) == READS_MEM) return read_mem(to, from, n);
  long got = sys_call(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)there, 2, 0);
  if (got == -1 /* EPERM */ || got == -38 /* ENOSYS */) {
    if (!sys_gate_is_shut()) __atomic_store_n(&way, READS_MEM, __ATOMIC_RELAXED);
    return read_mem(to, from, n);
  }
  return got > 0 ? (size_t)got : 0;
}

size_t python_read_some(void *to, uintptr_t from, size_t n) {
  uintptr_t first = from / PAGE, last = (from + n - 1) / PAGE;
  if (n && last - first <= 1 && python_is_known(first) && python_is_known(last)) {
    memcpy(to, (const void *)from, n);
    return n;
  }
  size_t got = read_by_kernel(to, from, n);
  if (got == n && last - first <= 1) {
    remember(first);
    remember(last);
  }
  return got;
}

bool python_read_fresh(void *to, uintptr_t from, size_t n) {
  return read_by_kernel(to, from, n) == n;
}

bool python_read(void *to, uintptr_t from, size_t n) {
  return python_read_some(to, from, n) == n;
}
