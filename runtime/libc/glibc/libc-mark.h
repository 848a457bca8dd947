/* How programs of this C library are known: by the name of their loader, and by what is in it. */
#ifndef DARSHAN_LIBC_MARK_H
#define DARSHAN_LIBC_MARK_H

#define LIBC_NAME "glibc"
#define LIBC_LOADER_NAME "/ld-linux"
#define LIBC_LOADER_MARK "GLIBC_PRIVATE"

/* How the DT_SONAME of its shared objects begins; libdl is empty from 2.34 on. */
#define LIBC_SONAMES "libc.so.6", "libdl.so.2", "ld-linux", "ld64.so"

#endif
