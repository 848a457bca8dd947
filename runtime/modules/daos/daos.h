/* The DAOS modules: DFS (files) and DAOS (objects).  Events get the call, and do nothing if
 * it failed.  The libraries are asked only about what they have just opened. */
#ifndef DARSHAN_DAOS_H
#define DARSHAN_DAOS_H

#include "../../door/door.h"
#include "daos-library.h"
#include "daos-state.h"

struct daos_call {
  struct daos_library *lib;
  int result;
  uint64_t t1, t2;
  struct path_buffer *told; /* holds what the program did not want to be told, or NULL */
};

/* 0: this call only forwards. */
static inline int daos_counts(const struct daos_library *lib) {
  return lib && darshan_hot.fd_limit && !(darshan_guard & GUARD_VFORK);
}

/* Where the outermost call of each library is in this thread: one that a library makes of
 * its own functions counts no more. */
_Static_assert((int)DAOS_FAMILIES == (int)INSIDE_DAOS_FAMILIES, "one word each");
static inline int daos_begin(const struct daos_library *lib, enum daos_family family) {
  const char *here = __builtin_frame_address(0);
  if (!daos_counts(lib) || (darshan_inside.daos[family] && here < darshan_inside.daos[family]))
    return 0;
  darshan_inside.daos[family] = here;
  return 1;
}
static inline void daos_end(enum daos_family family) {
  darshan_inside.daos[family] = NULL;
}

/* Of this thread; a jump leaves those calls that is_left says. */
int daos_is_inside(void);
void daos_left(int (*is_left)(const void *jump, const char *frame), const void *jump);

int daos_start(void);
void daos_forked(void);
void daos_settle_heatmaps(void);

/* keys.c: what is open.  With nothing locked. */
int daos_prepare(void);                                     /* 0: there is no memory */
uint32_t daos_number_of(enum daos_kind kind, uint64_t key); /* 0: not known */
void daos_remember(enum daos_kind kind, uint64_t key, uint32_t number);
void daos_forget(const struct daos_call *call, enum daos_kind kind, uint64_t key);
/* An open whose handle comes with this event; what came with these. */
void daos_expect(const struct daos_pending *pending);
struct daos_pending daos_expected(const void *event); /* event NULL: none */

/* containers.c */
void daos_mounted(const struct daos_call *call, daos_handle coh, void *const *dfs);
void daos_unmounted(const struct daos_call *call, const void *dfs);
/* The program passes no room for what a pool or a container is: then it is told us. */
void *daos_room_for_info(struct daos_call *call, void *info, const void *event);
void daos_pool_opened(struct daos_call *call, const daos_handle *poh, const void *info,
                      const void *event);
void daos_container_opened(struct daos_call *call, daos_handle poh, const daos_handle *coh,
                           const void *info, const void *event);
void daos_container_met(struct daos_call *call, daos_handle poh, const daos_handle *coh);
struct daos_container daos_container_at(uint32_t number);

/* items.c: records.  With nothing locked; NULL: not recorded. */
struct daos_item *daos_file_of(const void *file);
struct daos_item *daos_object_of(enum daos_kind kind, daos_handle handle);
struct daos_item *daos_item_at(enum daos_kind kind, uint32_t number);
/* path NULL: nobody knows it.  The id is that of the container and the object. */
struct daos_item *daos_file(uint32_t container, daos_oid oid, const char *path);
struct daos_item *daos_object(uint32_t container, daos_oid oid);

/* counts.c: what a call adds to a record; item may be NULL. */
void daos_counted(const struct daos_call *call, struct daos_item *item, int counter,
                  const void *event);
void daos_count_open(const struct daos_call *call, struct daos_item *item, int counter,
                     const void *event);
void daos_count_close(const struct daos_call *call, struct daos_item *item);
void daos_count_transfer(const struct daos_call *call, struct daos_item *item, int counter,
                         int writes, int64_t bytes, const void *event);
/* Bytes that a call asks for. */
int64_t daos_sgl_bytes(const daos_sgl *sgl);
int64_t daos_iods_bytes(uint32_t n, const struct daos_iod *iods, const daos_sgl *sgls);
int64_t daos_cells_bytes(const struct daos_item *array, const struct daos_array_iod *iod);

/* files.c: libdfs */
void dfs_opened(const struct daos_call *call, int counter, const void *dfs, const void *parent,
                const char *name, void *const *file);
void dfs_released(const struct daos_call *call, struct daos_item *item, const void *file);
void dfs_transferred(const struct daos_call *call, struct daos_item *item, int counter, int writes,
                     int64_t bytes, const void *event);
/* An operation on a name; oid: of its object, NULL: not known. */
void dfs_named(const struct daos_call *call, int counter, const void *dfs, const void *parent,
               const char *name, const daos_oid *oid);

/* objects.c: libdaos */
struct daos_opening { /* of an object */
  enum daos_kind kind;
  int counter;
  daos_handle container;
  daos_oid oid;
  daos_handle before; /* what its handle was before the call */
  const daos_handle *handle;
  const uint64_t *cell_size, *chunk_size; /* or NULL */
  int told;                               /* these by the library, else by the program */
  const void *event;
};
void daos_opened(const struct daos_call *call, const struct daos_opening *opening);
void daos_closed(const struct daos_call *call, struct daos_item *item, enum daos_kind kind,
                 daos_handle handle, const void *event);
void daos_transferred(const struct daos_call *call, struct daos_item *item, int counter, int writes,
                      int64_t bytes, const void *event);
void daos_completed(const struct daos_call *call, struct daos_event *const *events, int n);

#endif
