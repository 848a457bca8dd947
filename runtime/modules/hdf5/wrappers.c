/* The wrappers of the HDF5 modules, made from calls.def. The real function is that of the HDF5
 * library that the caller uses; a process may have several. */
#include "hdf5.h"

#include <errno.h>

#include "../../intercept/real.h"
#include "modules/hdf5/records.h"

#define NOTHING ((void)0)

/* Returns the LAYERS state to which calls of lower layers in a call on this id are attributed: that
 * of the dataset, otherwise that of the file; NULL if the id has neither. */
static struct layer_state *below_of(const struct h5_known *known) {
  if (known->kind == H5_DATASET) return &known->dataset->layer;
  return known->file ? &known->file->layer : NULL;
}

#define CALL(name, type, params, args, operation, find, event)                                     \
  EXPORT type wrap_##name params __asm__(#name);                                                   \
  type wrap_##name params {                                                                        \
    struct h5_library *lib;                                                                        \
    struct layer_state *below = NULL;                                                              \
    type(*real) params =                                                                           \
        (type(*) params)h5_function(H5FN_##name, #name, __builtin_return_address(0), &lib);        \
    if (UNLIKELY(!h5_counts(lib))) return real args;                                               \
    find;                                                                                          \
    struct layer_frame *frame = layer_push(operation, below);                                      \
    uint64_t t1 = ticks_now();                                                                     \
    type r = real args;                                                                            \
    uint64_t t2 = ticks_after(t1);                                                                 \
    int saved_errno = errno;                                                                       \
    event;                                                                                         \
    errno = saved_errno;                                                                           \
    return r;                                                                                      \
  }

/* Macros that rows use in their column "find". */
#define KNOWN(id)                                                                                  \
  struct h5_known known = h5_known(lib, id);                                                       \
  below = below_of(&known)

#define CLOSING(id)                                                                                \
  KNOWN(id);                                                                                       \
  if (UNLIKELY(hdf5_storage_is_asked())) h5d_before_close(lib, &known)

/* Macros that rows use in their column "event". */
#define TRANSFER(operation)                                                                        \
  h5d_transferred(lib, &known, r, operation,                                                       \
                  &(struct h5d_selection){mem_space_id, file_space_id, dxpl_id}, frame, t1, t2)
#define TRANSFERS(operation)                                                                       \
  h5d_multi(lib, r, operation,                                                                     \
            &(struct h5d_selections){count, dset_id, mem_space_id, file_space_id, dxpl_id}, frame, \
            t1, t2)
#define META(location, counter, time)                                                              \
  h5_meta(r >= 0 ? h5f_of(lib, location) : NULL, H5_META_##counter, H5_META_F_##time##_TIME,       \
          frame, t1, t2)
#define META_LINK(object, counter, time)                                                           \
  if (r >= 0) h5d_linked(lib, object);                                                             \
  META(object, counter, time)
#define META_OPEN(location, counter, time)                                                         \
  struct h5_file *file = r >= 0 ? h5f_of(lib, location) : NULL;                                    \
  if (file) h5_remember(lib, r, H5_##time, h5f_number(file));                                      \
  h5_meta(file, H5_META_##counter, H5_META_F_##time##_TIME, frame, t1, t2)
#define META_CLOSE(counter, time)                                                                  \
  if (r >= 0) h5_forget_known(lib, &known);                                                        \
  h5_meta(r >= 0 ? known.file : NULL, H5_META_##counter, H5_META_F_##time##_TIME, frame, t1, t2)

/* Passes on the arguments of a call that creates a dataset, because they describe it. */
#define MADE(how, name)                                                                            \
  struct h5_made made = {loc_id, type_id, space_id, dcpl_id, name};                                \
  h5d_created(lib, r, H5D_CREATED | (how), &made, frame, t1, t2)

#include "calls.def"
