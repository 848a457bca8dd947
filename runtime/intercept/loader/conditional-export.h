/* Wrappers that the application sees only if another library defines the function.
 *
 * Programs test whether an MPI function exists: by a weak reference (mpi4py has one for each
 * function of MPI 4), by dlsym, by ctypes. They must get the result that they would get without the
 * runtime. So the symbol of such a wrapper has a hidden version, which dlsym does not find, and
 * each name has two symbols:
 *
 *   START  the wrapper. The loader binds the references of the program and of the libraries that
 *          are loaded with it to this symbol. An IFUNC is not possible: the loader relocates these
 *          libraries before this one, and prints "Relink" for each.
 *   LATER  an IFUNC, for libraries that the program loads later: the wrapper if any object in the
 *          process defines the function, else NULL.
 *
 * A reference without a version binds to the version with the lowest number. The numbers of both
 * versions are therefore exchanged in this library's own table. This also makes wrappers of
 * functions that the program's MPI library has visible to dlsym, because other tools find the next
 * function by dlsym. The constructor does it in programs with MPI, and before glibc 2.34 in all.
 * Otherwise the first dlopen does it, so that a process without dlopen does not write two pages for
 * nothing. */
#ifndef DARSHAN_CONDITIONAL_EXPORT_H
#define DARSHAN_CONDITIONAL_EXPORT_H

#include <libc-loader.h>

#include "../wrap.h"

/* 1 if dlopen.S has a wrapper of dlopen. */
#define SHOWN_AT_DLOPEN 0
#if LIBC_HIDES_VERSIONS && !defined(DARSHAN_OLD_GLIBC)
#if __GLIBC_PREREQ(2, 34)
#undef SHOWN_AT_DLOPEN
#define SHOWN_AT_DLOPEN 1
#endif
#endif

/* Decides which wrappers are visible, or notes in shown_is_due that the first dlopen must do it.
 * Called once by the constructor, after the loader has bound the objects that it loaded with the
 * program. */
void shown_settle(void) __attribute__((visibility("hidden")));

/* 1 if the first dlopen must call shown_settle_late, as dlopen.S does; otherwise 0. */
extern int shown_is_due __attribute__((visibility("hidden")));
ANY_STACK void shown_settle_late(void) __attribute__((visibility("hidden")));

/* Called by the loader to bind a reference of a library that is loaded later. Returns wrapper if an
 * object in the process defines a function of this name, else NULL. */
void *shown_choose(const char *name, void *wrapper) __attribute__((visibility("hidden")));

/* Returns the wrapper of this name even if dlsym does not find it; NULL if there is no such
 * wrapper. */
void *shown_wrapper(const char *name) __attribute__((visibility("hidden")));

#if defined(DARSHAN_LINK_TIME) || !LIBC_HIDES_VERSIONS
#define SHOWN(symbol, params) EXPORT int wrap_##symbol params __asm__(SYMBOL(symbol));
#else
#define SHOWN(symbol, params)                                                                      \
  __attribute__((visibility("hidden"), used)) int wrap_##symbol params __asm__(                    \
      "darshan_wrap_" #symbol);                                                                    \
  __attribute__((visibility("hidden"), used)) void *choose_##symbol(void) __asm__(                 \
      "darshan_choose_" #symbol);                                                                  \
  void *choose_##symbol(void) {                                                                    \
    return shown_choose(#symbol, (void *)&wrap_##symbol);                                          \
  }                                                                                                \
  __asm__(".globl darshan_start_" #symbol "\n.type darshan_start_" #symbol ", %function\n"         \
          ".set darshan_start_" #symbol ", darshan_wrap_" #symbol "\n"                             \
          ".symver darshan_start_" #symbol ", " #symbol "@DARSHAN_START\n"                         \
          ".globl darshan_later_" #symbol "\n"                                                     \
          ".type darshan_later_" #symbol ", %gnu_indirect_function\n"                              \
          ".set darshan_later_" #symbol ", darshan_choose_" #symbol "\n"                           \
          ".symver darshan_later_" #symbol ", " #symbol "@DARSHAN_LATER\n");
#endif

#endif
