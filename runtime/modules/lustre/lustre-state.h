/* What the LUSTRE module keeps: its records, which differ in size. */
#ifndef DARSHAN_LUSTRE_STATE_H
#define DARSHAN_LUSTRE_STATE_H

#include <stddef.h>
#include <stdint.h>

struct lustre_slot {
  size_t offset; /* of the record, in the memory for all of them */
  size_t length, room;
  int settled; /* nothing of the layout is to come: not asked for again */
};

struct lustre_state {
  int lock;
  uint32_t count, limit;     /* records */
  uint32_t refused;          /* files for which there was no room */
  struct lustre_slot *slots; /* [1..limit]; NULL: no file on Lustre so far */
  char *bytes;
  size_t used, size;
};

extern struct lustre_state lustre_state __attribute__((visibility("hidden")));

#endif
