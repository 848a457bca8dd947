/* The loaded object (program or library) that contains an address: its unwind tables, build id and
 * path. */
#ifndef DARSHAN_OBJECT_H
#define DARSHAN_OBJECT_H

#include "section.h"

enum { BUILD_ID_MOST = 32 };

struct link_map;

struct object {
  uintptr_t start, end;  /* its mapping */
  uintptr_t base;        /* difference between addresses in memory and addresses in the file */
  struct section header; /* .eh_frame_hdr, the table that is searched; empty: none */
  struct section frames; /* .eh_frame, up to the end of its segment */
  const struct link_map *map;
  const char *path; /* as the loader knows it; empty for the program itself */
};

/* Describes the object that contains the address. Returns 0, or -1 if the address is not in the
 * code of an object. An object may lack tables. Takes no lock if the C library has
 * _dl_find_object. */
int object_of(uintptr_t address, struct object *object);
/* Like object_of, for an object that the caller knows to be mapped at start, with size bytes.
 * Leaves `map` and `path` empty. Returns 0, or -1 if it is not an ELF object. */
int object_read(uintptr_t start, size_t size, struct object *object);

/* Copies the build id and returns its length in bytes; 0 if there is none or it is longer than
 * BUILD_ID_MOST. */
size_t object_build_id(const struct object *object, uint8_t id[BUILD_ID_MOST]);

#endif
