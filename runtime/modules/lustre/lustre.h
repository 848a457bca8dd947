/* The LUSTRE module: the striping of files, read when they are closed. */
#ifndef DARSHAN_LUSTRE_H
#define DARSHAN_LUSTRE_H

#include <stddef.h>
#include <stdint.h>

struct log_content;

enum { LUSTRE_FILE_SYSTEM = 0x0BD00BD0 }; /* f_type of statfs */
enum {
  LUSTRE_ALIGNMENT = 1 << 20
}; /* the unit, in bytes, in which the file system stores data; FILE_ALIGNMENT has it */

/* A record in lustre_state.bytes, where records have different sizes. */
struct lustre_slot {
  size_t offset;       /* start of the record in lustre_state.bytes */
  size_t length, room; /* bytes of the record, and of the space that it has there */
  int settled;         /* 1: the layout is complete and is not read again */
};

/* State of the module. */
struct lustre_state {
  int lock;
  uint32_t count, limit; /* number of records, and its limit */
  uint32_t refused;      /* number of files beyond the limit */
  struct lustre_slot
      *slots;        /* elements 1 to limit are used; NULL before the first file on Lustre */
  char *bytes;       /* the records; NULL before the first file on Lustre */
  size_t used, size; /* bytes that are in use, and size of `bytes` */
};

extern struct lustre_state lustre_state __attribute__((visibility("hidden")));

/* Reads the layout of a file on Lustre before its descriptor fd is closed, and stores or updates
 * its LUSTRE record. id: that of the file's record. Does nothing if the module is off, the file has
 * no name, or its layout is known to be complete. The caller holds no lock. */
void lustre_closing(uint64_t id, int fd);
/* Reads the layouts of files that are still open when recording ends. */
void lustre_finish(void);
void lustre_forked(void);
/* Adds the LUSTRE records of this process to the content of the log. */
void lustre_add_part(struct log_content *content);

#endif
