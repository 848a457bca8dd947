/* How programs of this C library are known: by the name of their loader, and by what is in it. */
#ifndef DARSHAN_LIBC_MARK_H
#define DARSHAN_LIBC_MARK_H

#define LIBC_NAME "musl"
#define LIBC_LOADER_NAME "/ld-musl"
#define LIBC_LOADER_MARK "musl libc"

#endif
