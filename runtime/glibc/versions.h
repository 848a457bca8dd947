/* Included before the first line of every file (-include) by `configure --with-glibc=2.28`. Newer
 * glibc releases have some functions in an additional, newer version; this file selects their old
 * version, which all releases have. A name that a file does not use has no effect there. The
 * runtime itself binds no function of libc: it searches them (intercept/loader/libc-direct.h).
 * Before 2.34 the loader's functions were in libdl, so the runtime depends on libdl (configure.ac).
 *
 *   2.34  __libc_start_main: util/glibc/start.c
 *   2.33  stat and similar functions: util/glibc/stat.c
 *   2.29  exp and similar functions, 2.38 fmod: they set errno differently
 *   2.38  __isoc23_...: headers replace strtol and similar functions by these; not
 *         __isoc23_fscanf, which the runtime wraps
 *
 * darshan-test/glibc/ checks which versions the finished files need. */
#ifndef DARSHAN_VERSIONS_H
#define DARSHAN_VERSIONS_H
#ifndef __ASSEMBLER__

#if defined(__x86_64__)
#define DARSHAN_GLIBC_FIRST "GLIBC_2.2.5"
#define DARSHAN_GLIBC_2_7 "GLIBC_2.7"
#else /* AArch64, which glibc supports since 2.17 */
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
