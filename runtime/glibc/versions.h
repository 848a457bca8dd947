/* For `configure --with-glibc=2.28`, before the first line of every file (-include):
 * functions that newer releases of glibc have under a newer version, too, are taken by
 * the version of old, which all releases have.  A name that a file does not use leaves
 * nothing in it.  The runtime itself binds no function of libc: it finds them by hand
 * (intercept/straight.h), those of the loader in libdl, where they were before 2.34 and which it
 * therefore names (configure.ac).
 *
 *   2.34  __libc_start_main: util/glibc/start.c
 *   2.33  stat and its kin: util/glibc/stat.c
 *   2.29  exp and the like, 2.38 fmod: set errno otherwise
 *   2.38  __isoc23_...: what headers make of strtol and the like; not of __isoc23_fscanf, which
 *         the runtime wraps
 *
 * darshan-test/glibc/ asks the finished files what they need. */
#ifndef DARSHAN_VERSIONS_H
#define DARSHAN_VERSIONS_H
#ifndef __ASSEMBLER__

#if defined(__x86_64__)
#define DARSHAN_GLIBC_FIRST "GLIBC_2.2.5"
#define DARSHAN_GLIBC_2_7 "GLIBC_2.7"
#else /* AArch64, which came later */
#define DARSHAN_GLIBC_FIRST "GLIBC_2.17"
#define DARSHAN_GLIBC_2_7 "GLIBC_2.17"
#endif

#define DARSHAN_BIND(name, old, version) __asm__(".symver " #name "," #old "@" version);

DARSHAN_BIND(exp, exp, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(fmod, fmod, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(log, log, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(log2, log2, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(pow, pow, DARSHAN_GLIBC_FIRST)

DARSHAN_BIND(__isoc23_sscanf, __isoc99_sscanf, DARSHAN_GLIBC_2_7)
DARSHAN_BIND(__isoc23_strtoimax, strtoimax, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(__isoc23_strtol, strtol, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(__isoc23_strtoll, strtoll, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(__isoc23_strtoul, strtoul, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(__isoc23_strtoull, strtoull, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(__isoc23_strtoumax, strtoumax, DARSHAN_GLIBC_FIRST)

#endif
#endif
