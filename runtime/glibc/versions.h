/* For `configure --with-glibc=2.28`, before the first line of every file (-include):
 * functions that newer releases of glibc have under a newer version, too, are taken by
 * the version of old, which all releases have.  A name that a file does not use leaves
 * nothing in it.
 *
 *   2.34  dl...: were in libdl, which the runtime therefore names (configure.ac); not dlclose
 *         nor __isoc23_fscanf, which it wraps
 *   2.34  __libc_start_main: util/glibc/start.c
 *   2.33  stat and its kin: util/glibc/stat.c
 *   2.29  exp and the like, 2.38 fmod: set errno otherwise
 *   2.38  __isoc23_...: what headers make of strtol and the like
 *
 * darshan-test/glibc/ asks the finished files what they need. */
#ifndef DARSHAN_VERSIONS_H
#define DARSHAN_VERSIONS_H
#ifndef __ASSEMBLER__

#if defined(__x86_64__)
#define DARSHAN_GLIBC_FIRST "GLIBC_2.2.5"
#define DARSHAN_GLIBC_2_3_3 "GLIBC_2.3.3"
#define DARSHAN_GLIBC_2_7 "GLIBC_2.7"
#else /* AArch64, which came later */
#define DARSHAN_GLIBC_FIRST "GLIBC_2.17"
#define DARSHAN_GLIBC_2_3_3 "GLIBC_2.17"
#define DARSHAN_GLIBC_2_7 "GLIBC_2.17"
#endif

#define DARSHAN_BIND(name, old, version) __asm__(".symver " #name "," #old "@" version);

DARSHAN_BIND(dladdr, dladdr, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(dladdr1, dladdr1, DARSHAN_GLIBC_2_3_3)
DARSHAN_BIND(dlerror, dlerror, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(dlinfo, dlinfo, DARSHAN_GLIBC_2_3_3)
DARSHAN_BIND(dlopen, dlopen, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(dlsym, dlsym, DARSHAN_GLIBC_FIRST)
DARSHAN_BIND(dlvsym, dlvsym, DARSHAN_GLIBC_FIRST)

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
