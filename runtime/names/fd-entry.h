/* What a descriptor number stands for right now. */
#ifndef DARSHAN_FD_ENTRY_H
#define DARSHAN_FD_ENTRY_H

enum {
  RUNTIME_FDS = 1 << 14,    /* descriptors found at once; */
  RUNTIME_FDS_FAR = 1 << 20 /* further ones by another table */
};

struct fd_entry {
  struct posix_file *file;     /* NULL: not followed */
  struct stdio_stream *stream; /* NULL: none */
};

#endif
