/* The entry of a descriptor: the file and the stream that it refers to now. */
#ifndef DARSHAN_FD_ENTRY_H
#define DARSHAN_FD_ENTRY_H

enum {
  RUNTIME_FDS = 1 << 14,    /* descriptors in the first table; */
  RUNTIME_FDS_FAR = 1 << 20 /* all descriptors; the others are in a second table */
};

struct fd_entry {
  struct posix_file *file;     /* NULL: not followed */
  struct stdio_stream *stream; /* NULL: none */
};

#endif
