/* Identifies programs of this C library: the name of their loader, and a string in that file. */
#ifndef DARSHAN_LIBC_MARK_H
#define DARSHAN_LIBC_MARK_H

#define LIBC_NAME "musl"
#define LIBC_LOADER_NAME "/ld-musl"
#define LIBC_LOADER_MARK "musl libc"

#endif
