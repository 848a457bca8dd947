/* System calls without libc: no function here passes through a wrapper, changes errno, allocates,
 * or needs an initialized library. Every function returns the kernel's result or -errno, and -EPERM
 * for a call that sys-gate.h forbids. sys-calls.def lists the calls. */
#ifndef DARSHAN_SYS_H
#define DARSHAN_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/utsname.h>

#include "sys-gate.h"

#if defined(__x86_64__)
static inline long sys_call_now(long n, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
static inline long sys_call_now(long n, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}
#else
#error "sys_call: this processor is not supported yet (x86-64 and AArch64 are)"
#endif

static inline long sys_call(long n, long a, long b, long c, long d, long e, long f) {
  sys_gate_enter();
  long result = sys_may(n) ? sys_call_now(n, a, b, c, d, e, f) : -1 /* EPERM */;
  sys_gate_leave();
  return result;
}

#define SYS1(n, a) sys_call((n), (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(n, a, b, c, d, e)                                                                     \
  sys_call((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

/* Opens a file, always with O_CLOEXEC. Returns the descriptor or -errno. */
static inline int sys_open(const char *path, int flags, unsigned mode) {
  return (int)SYS4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}
static inline int sys_close(int fd) {
  return (int)SYS1(SYS_close, fd);
}
static inline ssize_t sys_read(int fd, void *buf, size_t n) {
  return SYS3(SYS_read, fd, buf, n);
}
static inline ssize_t sys_write(int fd, const void *buf, size_t n) {
  return SYS3(SYS_write, fd, buf, n);
}
static inline ssize_t sys_pwrite(int fd, const void *buf, size_t n, off_t off) {
  return SYS4(SYS_pwrite64, fd, buf, n, off);
}
static inline ssize_t sys_pread(int fd, void *buf, size_t n, off_t off) {
  return SYS4(SYS_pread64, fd, buf, n, off);
}
/* Returns 0 and the file's status in *st, or -errno. Makes the same system call as libc's fstat,
 * because a filter may allow only this call. */
static inline int sys_fstat(int fd, struct stat *st) {
  if (sys_may(SYS_fstat)) return (int)SYS2(SYS_fstat, fd, st);
  return (int)SYS4(SYS_newfstatat, fd, "", st, 0x1000 /* AT_EMPTY_PATH */);
}
static inline int sys_ftruncate(int fd, off_t size) {
  return (int)SYS2(SYS_ftruncate, fd, size);
}
static inline int sys_fallocate(int fd, off_t off, off_t len) {
  return (int)SYS4(SYS_fallocate, fd, 0, off, len);
}
static inline int sys_unlink(const char *path) {
  return (int)SYS3(SYS_unlinkat, AT_FDCWD, path, 0);
}
static inline int sys_rename(const char *from, const char *to) {
  return (int)sys_call(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0);
}
/* Renames a file and never replaces one. Returns 0 or -errno (-EEXIST: the target exists). */
static inline int sys_rename_new(const char *from, const char *to) {
  return (int)sys_call(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 1, 0);
}
static inline int sys_link(const char *from, const char *to) {
  return (int)sys_call(SYS_linkat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0);
}
static inline int sys_mkdir(const char *path, unsigned mode) {
  return (int)SYS3(SYS_mkdirat, AT_FDCWD, path, mode);
}
static inline int sys_fchmod(int fd, unsigned mode) {
  return (int)SYS2(SYS_fchmod, fd, mode);
}
static inline int sys_faccess(const char *path, int mode) {
  return (int)SYS3(SYS_faccessat, AT_FDCWD, path, mode);
}
static inline ssize_t sys_readlink(const char *path, char *buf, size_t n) {
  return SYS4(SYS_readlinkat, AT_FDCWD, path, buf, n);
}
/* Stores the path of the current folder. Returns its length with the NUL, or -errno. */
static inline ssize_t sys_getcwd(char *buf, size_t n) {
  return sys_may(SYS_getcwd) ? SYS2(SYS_getcwd, buf, n) : instead_of_getcwd(buf, n);
}
static inline pid_t sys_getpid(void) {
  return sys_may(SYS_getpid) ? (pid_t)SYS1(SYS_getpid, 0) : instead_of_getpid();
}
static inline unsigned sys_getuid(void) {
  return sys_may(SYS_getuid) ? (unsigned)SYS1(SYS_getuid, 0) : instead_of_getuid();
}
static inline unsigned sys_geteuid(void) {
  return sys_may(SYS_geteuid) ? (unsigned)SYS1(SYS_geteuid, 0) : instead_of_geteuid();
}
static inline void sys_nodename(char *node, size_t n) {
  struct utsname host = {.nodename = ""};
  if (sys_may(SYS_uname))
    SYS1(SYS_uname, &host);
  else
    instead_of_uname(host.nodename, sizeof(host.nodename));
  size_t i = 0;
  for (; i + 1 < n && host.nodename[i]; i++)
    node[i] = host.nodename[i];
  node[i] = '\0';
}
static inline pid_t sys_getppid(void) {
  return (pid_t)SYS1(SYS_getppid, 0);
}
/* Fills `bits`, which has n bytes, with one bit per processor that this thread may use. Returns the
 * number of bytes filled, or -errno. */
static inline long sys_sched_getaffinity(size_t n, void *bits) {
  return SYS3(SYS_sched_getaffinity, 0, n, bits);
}
static inline void *sys_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off) {
  return (void *)sys_call(SYS_mmap, (long)at, (long)n, prot, flags, fd, off);
}
static inline int sys_munmap(void *at, size_t n) {
  return (int)SYS2(SYS_munmap, at, n);
}
static inline int sys_madvise(void *at, size_t n, int advice) {
  return (int)SYS3(SYS_madvise, at, n, advice);
}
/* Returns 1 if a file may grow to `size` bytes, otherwise 0. If a file grew beyond RLIMIT_FSIZE,
 * the kernel would kill the application with SIGXFSZ. */
static inline int sys_may_grow_to(uint64_t size) {
  enum { FILE_SIZE = 1 /* RLIMIT_FSIZE */ };
  uint64_t limit[2] = {UINT64_MAX, UINT64_MAX}; /* soft, hard */
  SYS4(SYS_prlimit64, 0, FILE_SIZE, NULL, limit);
  return size <= limit[0];
}
/* Writes all n bytes at offset off. Returns 0 or -errno. */
static inline int sys_pwrite_all(int fd, const void *bytes, size_t n, off_t off) {
  for (const char *at = bytes; n > 0;) {
    ssize_t written = sys_pwrite(fd, at, n, off);
    if (written == -4 /* EINTR */) continue;
    if (written <= 0) return written < 0 ? (int)written : -5 /* EIO */;
    at += written;
    off += written;
    n -= (size_t)written;
  }
  return 0;
}
/* Writes n bytes at offset `off` of a file, like sys_pwrite_all. Returns -EFBIG, without a signal,
 * if RLIMIT_FSIZE forbids a file of that size. */
static inline int sys_put(int fd, const void *bytes, size_t n, uint64_t off) {
  return sys_may_grow_to(off + n) ? sys_pwrite_all(fd, bytes, n, (off_t)off) : -27 /* EFBIG */;
}
/* Returns 1 if a result of sys_mmap is an error, otherwise 0. */
static inline int sys_failed(const void *p) {
  return (uintptr_t)p > (uintptr_t)-4096L;
}

#endif
