/* Wrappers that the program meets only where another library defines the function, too.
 *
 * Programs ask whether an MPI function exists: by a weak reference (mpi4py has one for each
 * function of MPI 4), by dlsym, by ctypes.  They must get the answer that they would get
 * without this library.  So the symbol of such a wrapper has a version that is hidden, which
 * dlsym does not find, and there are two symbols of each name:
 *
 *   START  the wrapper.  The loader binds the references of the program and of the libraries
 *          that come with it to this one.  An IFUNC would not do: the loader relocates these
 *          libraries before this one, and prints "Relink" for each.
 *   LATER  an IFUNC, for libraries that the program opens later: the wrapper if any object
 *          in the process defines the function, else NULL.
 *
 * A reference without a version binds to the version that has the lowest number; so the
 * constructor exchanges the numbers of both versions in this library's own table.  It also
 * makes the wrappers of functions that the program's MPI library has visible to dlsym, by
 * which other tools go on to the next function. */
#ifndef DARSHAN_SHOWN_H
#define DARSHAN_SHOWN_H

#include <libc-shown.h>

#include "wrap.h"

/* Called by the constructor, once: the loader has bound what came with the program. */
void shown_settle(void) __attribute__((visibility("hidden")));

/* What a reference of a library that is opened later binds to: called by the loader. */
void *shown_choose(const char *name, void *wrapper) __attribute__((visibility("hidden")));

/* The wrapper of this name, whether dlsym finds it or not; NULL: there is none. */
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
