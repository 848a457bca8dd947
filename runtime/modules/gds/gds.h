/* The GDS module (GPU Direct Storage): files that cuFile and hipFile read and write. */
#ifndef DARSHAN_GDS_H
#define DARSHAN_GDS_H

#include "../../door/door.h"
#include "../layers/layers.h"
#include "gds-library.h"
#include "gds-types.h"

struct darshan_gds_record;

/* State of a file that is not part of its record. */
struct gds_item {
  int lock;
  uint32_t number;                   /* number of the record */
  struct darshan_gds_record *record; /* NULL: no record yet */
  /* The bytes read and written in the POSIX record of the file, which POSIX calls change. NULL:
   * POSIX calls on the file are not recorded, or several files share the GDS record. */
  const int64_t *posix;
  double last_end[3]; /* ends of the last metadata operation, read and write, in seconds */
  struct layer_state layer;
  /* awaited: bytes of batches and streams for which it is unknown whether they took the direct
   * path. seen: the value in `posix` up to which bytes have been assigned to a path. Both have an
   * element for reads and one for writes. */
  int64_t awaited[2], seen[2];
};

/* A call of cuFile or hipFile. */
struct gds_call {
  struct gds_library *lib;
  struct gds_item *item; /* NULL: not recorded, or unknown before the call */
  struct layer_frame *frame;
  int64_t posix[2]; /* bytes read and written by POSIX calls before the call */
  uint64_t t1, t2;  /* begin and end, in ticks */
};

enum { GDS_HANDLES = 1 << 12 };

/* The kinds of handles in the table. */
enum gds_kind { GDS_NOTHING, GDS_A_FILE, GDS_A_BATCH };
/* A handle that the library gave the program. */
struct gds_handle {
  const void *value;
  uint16_t kind;    /* enum gds_kind; GDS_NOTHING: a free slot */
  uint16_t deleted; /* 1: invalid; the search continues after this slot */
  uint32_t number;  /* number of the record of the file, or of the first file of a batch */
};

struct gds_state {
  int lock;                   /* protects handles */
  struct segments items;      /* gds_item, by number of the record */
  struct gds_handle *handles; /* array of GDS_HANDLES; NULL until the first call */
};
extern struct gds_state gds_state __attribute__((visibility("hidden")));

/* Returns 1 for the outermost call of a library in this thread, if it is counted; the wrapper then
 * calls gds_end. Returns 0 if the wrapper must only forward: the library is unknown (NULL), the
 * process does not record, or the call is within another one, because a library may call its own
 * functions, and hipFile may call cuFile. */
static inline int gds_begin(const struct gds_library *lib) {
  const char *here = __builtin_frame_address(0);
  if (!lib || !darshan_hot.fd_limit || (darshan_guard & GUARD_VFORK)) return 0;
  if (darshan_inside.gds && here < darshan_inside.gds) return 0;
  darshan_inside.gds = here;
  return 1;
}
static inline void gds_end(void) {
  darshan_inside.gds = NULL;
}

/* gds_is_inside returns 1 if this thread is within a call of cuFile or hipFile, otherwise 0.
 * gds_left forgets the call if a jump (longjmp) abandons it: is_left(jump, address of the wrapper's
 * stack frame) returns 1. */
int gds_is_inside(void);
void gds_left(int (*is_left)(const void *jump, const char *frame), const void *jump);

int gds_start(void);
void gds_forked(void);
void gds_settle(void);

/* Functions of items.c. An item is the state of a file. They return NULL if the file is not
 * recorded. The caller holds no lock. */

/* Returns the item of the record with this number, which must exist. */
struct gds_item *gds_item_at(uint32_t number);
/* Returns the item (state) of the file that the program registers (source: the description that it
 * passes, which may be NULL), and makes its record if necessary; NULL if the source is no
 * descriptor or the file is not recorded. */
struct gds_item *gds_file(const struct gds_source *source);
/* Returns the item (state) of the record <driver>, which has calls on no file, such as those that
 * open the driver or register memory; makes the record if necessary. NULL if it is not recorded. */
struct gds_item *gds_driver(void);

/* Functions of handles.c. The caller holds no lock. gds_item_of returns the item of a handle's
 * file, or of the first file of a batch; NULL if the handle is unknown. gds_remember stores a
 * handle with the number of that record; gds_forget removes it. */
struct gds_item *gds_item_of(enum gds_kind kind, const void *value);
void gds_remember(enum gds_kind kind, const void *value, uint32_t number);
void gds_forget(enum gds_kind kind, const void *value);

/* Functions of counts.c, called before and after a call. gds_before opens a frame, in which the
 * calls of lower layers are collected; each of the other functions closes it. result: 0 means
 * success, except for a read or write, which returns its number of bytes, or a negative number. */

void gds_before(struct gds_call *call, enum layer_operation operation);
void gds_registered(struct gds_call *call, int result, const struct gds_source *source,
                    void *const *handle);
void gds_deregistered(struct gds_call *call, const void *handle);
/* Counts the time of a successful call that has no counter of its own, and closes its LAYERS frame.
 */
void gds_called(struct gds_call *call, int result);
void gds_buffer_registered(struct gds_call *call, int result, size_t bytes);
void gds_transferred(struct gds_call *call, ssize_t result, int writes, off_t offset);
/* Counts a transfer that was put into a stream of the GPU, and closes its LAYERS frame. writes: 1:
 * a write, 0: a read. size, offset: in bytes, read now; NULL: counted as 0. */
void gds_streamed(struct gds_call *call, int result, int writes, const size_t *size,
                  const off_t *offset);
void gds_submitted(struct gds_call *call, int result, const void *batch, unsigned n,
                   const struct gds_request *requests);
/* Counts the time of a call that queried, waited for or destroyed a batch, and closes its LAYERS
 * frame. */
void gds_waited(struct gds_call *call);

#endif
