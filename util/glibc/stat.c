/* Defines stat and similar functions. Before glibc 2.33 every program contained them; since then
 * libc exports them. With this file, programs contain them again. On 64-bit processors, the
 * kernel's struct is the same for both names (stat, stat64). */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the system's struct stat may be another one than libc's here"
#endif

#define HERE __attribute__((visibility("hidden")))
#define ALSO(name) __attribute__((visibility("hidden"), alias(name)))

/* The functions make the system calls themselves. This file must not include <sys/stat.h>, which
 * would make both names one function. */
HERE int fstatat64(int folder, const char *path, void *out, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, out, flags);
}

HERE int stat64(const char *path, void *out) {
  return fstatat64(AT_FDCWD, path, out, 0);
}

HERE int lstat64(const char *path, void *out) {
  return fstatat64(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

HERE int fstat64(int fd, void *out) {
  return (int)syscall(SYS_fstat, fd, out);
}

ALSO("fstatat64") int fstatat(int folder, const char *path, void *out, int flags);
ALSO("stat64") int stat(const char *path, void *out);
ALSO("lstat64") int lstat(const char *path, void *out);
ALSO("fstat64") int fstat(int fd, void *out);
