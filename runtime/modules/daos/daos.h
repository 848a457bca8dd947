/* The DAOS modules: DFS (files) and DAOS (objects). Event functions, called after the real call,
 * receive the call and do nothing if it failed. They query the libraries only about objects and
 * handles of a call that succeeded. */
#ifndef DARSHAN_DAOS_H
#define DARSHAN_DAOS_H

#include "../../door/door.h"
#include "daos-library.h"
#include "daos-state.h"

/* A call of libdfs or libdaos. */
struct daos_call {
  struct daos_library *lib;
  int result;               /* 0: it succeeded */
  uint64_t t1, t2;          /* begin and end, in ticks */
  struct path_buffer *told; /* the runtime's buffer for info, or NULL */
};

/* Returns 1 if calls are recorded: the library is known (not NULL), the process records, and it is
 * no vfork child. Returns 0 if the wrapper must only forward. */
static inline int daos_counts(const struct daos_library *lib) {
  return lib && darshan_hot.fd_limit && !(darshan_guard & GUARD_VFORK);
}

/* Returns 1 for the outermost call of a library in this thread. Returns 0 if the wrapper must only
 * forward: calls that the library makes to its own functions do not count. */
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

/* daos_is_inside returns 1 if this thread is within a call of libdfs or libdaos, otherwise 0.
 * daos_left forgets the calls that a jump (longjmp) abandons: is_left(jump, address of the
 * wrapper's stack frame) returns 1. */
int daos_is_inside(void);
void daos_left(int (*is_left)(const void *jump, const char *frame), const void *jump);

int daos_start(void);
void daos_forked(void);
void daos_settle_heatmaps(void);

/* Functions of keys.c, for open handles. The caller holds no lock. daos_prepare returns 1 if the
 * memory for handles exists, which the first call allocates, else 0. */
int daos_prepare(void);
uint32_t daos_number_of(enum daos_kind kind, uint64_t key); /* 0 if unknown */
void daos_remember(enum daos_kind kind, uint64_t key, uint32_t number);
void daos_forget(const struct daos_call *call, enum daos_kind kind, uint64_t key);
/* daos_expect stores an asynchronous open until its event completes; the handle of an open beyond
 * DAOS_PENDING stays unknown. daos_expected then removes and returns it. */
void daos_expect(const struct daos_pending *pending);
struct daos_pending daos_expected(const void *event); /* .event is NULL if there is none */

/* Functions of containers.c. */

void daos_mounted(const struct daos_call *call, daos_handle coh, void *const *dfs);
void daos_unmounted(const struct daos_call *call, const void *dfs);
/* Returns the buffer to pass to DAOS for the description of a pool or container: info, the
 * application's buffer, or, if that is NULL, a buffer of the runtime, which daos_pool_opened or
 * daos_container_opened frees. In the second case returns NULL if no buffer is free, or if the call
 * has an event (not NULL): DAOS would fill the buffer after it is freed. */
void *daos_room_for_info(struct daos_call *call, void *info, const void *event);
void daos_pool_opened(struct daos_call *call, const daos_handle *poh, const void *info,
                      const void *event);
void daos_container_opened(struct daos_call *call, daos_handle poh, const daos_handle *coh,
                           const void *info, const void *event);
void daos_container_met(struct daos_call *call, daos_handle poh, const daos_handle *coh);
struct daos_container daos_container_at(uint32_t number);

/* daos_file_of returns the item, the state, of the open file at this address, and daos_object_of
 * that of the object with this handle; NULL if it is not recorded. daos_item_at returns the item of
 * the record with this number, never NULL. The caller holds no lock. */
struct daos_item *daos_file_of(const void *file);
struct daos_item *daos_object_of(enum daos_kind kind, daos_handle handle);
struct daos_item *daos_item_at(enum daos_kind kind, uint32_t number);
/* Return the item of a file or object, and make its record if necessary; NULL if it is not
 * recorded. container: index from number_of_pair (containers.c); 0: unknown. path: in the
 * container; NULL: unknown. The record id is a hash of pool, container and object id. */
struct daos_item *daos_file(uint32_t container, daos_oid oid, const char *path);
struct daos_item *daos_object(uint32_t container, daos_oid oid);

/* Count a call in the item's record (counts.c). counter: index in the record. event: NULL: the call
 * is synchronous. daos_counted counts nothing if the call failed or item is NULL. The callers of
 * the others ensure that the call succeeded and item is not NULL. */
void daos_counted(const struct daos_call *call, struct daos_item *item, int counter,
                  const void *event);
void daos_count_open(const struct daos_call *call, struct daos_item *item, int counter,
                     const void *event);
void daos_count_close(const struct daos_call *call, struct daos_item *item);
void daos_count_transfer(const struct daos_call *call, struct daos_item *item, int counter,
                         int writes, int64_t bytes, const void *event);
/* Return the bytes that a call requests, computed from its arguments; 0 if these are NULL.
 * daos_sgl_bytes: of a list of buffers. daos_iods_bytes: of n values. daos_cells_bytes: of ranges
 * of an array; cells of unknown size count as one byte each. */
int64_t daos_sgl_bytes(const daos_sgl *sgl);
int64_t daos_iods_bytes(uint32_t n, const struct daos_iod *iods, const daos_sgl *sgls);
int64_t daos_cells_bytes(const struct daos_item *array, const struct daos_array_iod *iod);

/* Functions of files.c, for libdfs. */

void dfs_opened(const struct daos_call *call, int counter, const void *dfs, const void *parent,
                const char *name, void *const *file);
void dfs_released(const struct daos_call *call, struct daos_item *item, const void *file);
void dfs_transferred(const struct daos_call *call, struct daos_item *item, int counter, int writes,
                     int64_t bytes, const void *event);
/* Counts a successful operation on a name in the record of its file, which is made if necessary.
 * dfs: the mount. parent: the open folder, NULL: the root. name: in that folder; NULL: the folder
 * itself. oid: the file's object id; NULL: unknown. */
void dfs_named(const struct daos_call *call, int counter, const void *dfs, const void *parent,
               const char *name, const daos_oid *oid);

/* Functions of objects.c, for libdaos. */

/* An open of an object. */
struct daos_opening {
  enum daos_kind kind; /* DAOS_AN_OBJECT, DAOS_AN_ARRAY or DAOS_A_KV */
  int counter;         /* index in the record */
  daos_handle container;
  daos_oid oid;
  daos_handle before;        /* value of the handle before the call */
  const daos_handle *handle; /* where the library stores the new handle; NULL: nowhere */
  const uint64_t *cell_size, *chunk_size; /* sizes of an array; NULL: none */
  int told; /* 1: the library reports the sizes after the open; 0: the application passed them */
  const void *event; /* NULL: the call is synchronous */
};
void daos_opened(const struct daos_call *call, const struct daos_opening *opening);
/* Count a close or a transfer if it succeeded and item is not NULL. event: NULL: the call is
 * synchronous. */
void daos_closed(const struct daos_call *call, struct daos_item *item, enum daos_kind kind,
                 daos_handle handle, const void *event);
void daos_transferred(const struct daos_call *call, struct daos_item *item, int counter, int writes,
                      int64_t bytes, const void *event);
/* Called after a call that returned n completed events: stores the handles that their opens made.
 * events: NULL: the application asked for none. */
void daos_completed(const struct daos_call *call, struct daos_event *const *events, int n);

#endif
