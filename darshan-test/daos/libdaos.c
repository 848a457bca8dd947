/* A stand-in for libdaos, which has objects, arrays and keys in memory. An operation with an event
 * is done at once, and returns 0; the event has its result. If the operation opens an array, the
 * handle is set only when the event is tested or polled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daos.h"

enum { NONEXIST = -1005, INVALID = -1003 };

/* The target of the handle of a pool or container. */
struct container {
  uuid_t pool, uuid;
};
/* The target of the handle of an object. cell, chunk: of an array. */
struct object {
  struct container *in;
  daos_obj_id_t oid;
  daos_size_t cell, chunk;
};
/* The bytes that an object has under a key. */
struct value {
  struct value *next;
  uuid_t container;
  daos_obj_id_t oid;
  char key[64];
  size_t size;
  char *bytes;
};
static struct value *values;

/* --- events ------------------------------------------------------------------------------ */

struct queue {
  daos_event_t *under_way[64];
  unsigned n;
};
struct begun { /* in the private part of an event */
  struct queue *queue;
  daos_handle_t *handle; /* which gets this value */
  daos_handle_t value;
  int running;
};
_Static_assert(sizeof(struct begun) <= sizeof(((daos_event_t *)0)->ev_private), "room");

/* Returns the private part of an event. */
static struct begun *of(daos_event_t *ev) {
  return (struct begun *)(void *)&ev->ev_private;
}

int daos_init(void) {
  return 0;
}
int daos_eq_create(daos_handle_t *eqh) {
  eqh->cookie = (uintptr_t)calloc(1, sizeof(struct queue));
  return 0;
}
int daos_event_init(daos_event_t *ev, daos_handle_t eqh, daos_event_t *parent) {
  (void)parent;
  memset(ev, 0, sizeof(*ev));
  of(ev)->queue = (struct queue *)(uintptr_t)eqh.cookie;
  return 0;
}

/* Ends an operation. ev: its event, which gets the result; NULL: none. Returns the result of the
 * call. */
static int done(int result, daos_event_t *ev) {
  if (!ev) return result;
  struct begun *begun = of(ev);
  ev->ev_error = result;
  begun->running = 1;
  if (begun->queue) begun->queue->under_way[begun->queue->n++] = ev;
  return 0;
}
/* Makes the result of an event visible: sets the handle, and marks the event as not running. */
static void finish(daos_event_t *ev) {
  struct begun *begun = of(ev);
  if (begun->handle) *begun->handle = begun->value;
  begun->handle = NULL;
  begun->running = 0;
}
int daos_event_test(daos_event_t *ev, int64_t timeout, bool *flag) {
  (void)timeout;
  if (of(ev)->running) finish(ev);
  *flag = true;
  return 0;
}
int daos_eq_poll(daos_handle_t eqh, int wait_running, int64_t timeout, unsigned int nevents,
                 daos_event_t **events) {
  struct queue *queue = (struct queue *)(uintptr_t)eqh.cookie;
  unsigned n = 0;
  (void)wait_running, (void)timeout;
  for (; queue->n && n < nevents; n++) {
    events[n] = queue->under_way[--queue->n];
    finish(events[n]);
  }
  return (int)n;
}

/* --- pools and containers ---------------------------------------------------------------- */

/* Stores the first 16 bytes of a label as a UUID, filled up with zeros. */
static void uuid_of(const char *label, uuid_t uuid) {
  memset(uuid, 0, sizeof(uuid_t));
  memcpy(uuid, label, strnlen(label, sizeof(uuid_t)));
}
int daos_pool_connect2(const char *pool, const char *sys, unsigned int flags, daos_handle_t *poh,
                       daos_pool_info_t *info, daos_event_t *ev) {
  (void)sys, (void)flags;
  if (strcmp(pool, "nowhere") == 0) return NONEXIST;
  struct container *handle = calloc(1, sizeof(*handle));
  uuid_of(pool, handle->pool);
  poh->cookie = (uintptr_t)handle;
  if (info) {
    memset(info, 0, sizeof(*info)); /* all that the real one may write */
    memcpy(info->pi_uuid, handle->pool, sizeof(uuid_t));
  }
  return done(0, ev);
}
int daos_pool_query(daos_handle_t poh, void **ranks, daos_pool_info_t *info, void *prop,
                    daos_event_t *ev) {
  (void)ranks, (void)prop;
  memcpy(info->pi_uuid, ((struct container *)(uintptr_t)poh.cookie)->pool, sizeof(uuid_t));
  return done(0, ev);
}
int daos_pool_global2local(d_iov_t glob, daos_handle_t *poh) {
  return daos_pool_connect2(glob.iov_buf, NULL, 0, poh, NULL, NULL);
}
int daos_pool_disconnect(daos_handle_t poh, daos_event_t *ev) {
  free((void *)(uintptr_t)poh.cookie);
  return done(0, ev);
}
int daos_cont_query(daos_handle_t coh, daos_cont_info_t *info, void *prop, daos_event_t *ev) {
  (void)prop;
  memset(info, 0, sizeof(*info));
  memcpy(info->ci_uuid, ((struct container *)(uintptr_t)coh.cookie)->uuid, sizeof(uuid_t));
  return done(0, ev);
}
int daos_cont_open2(daos_handle_t poh, const char *cont, unsigned int flags, daos_handle_t *coh,
                    daos_cont_info_t *info, daos_event_t *ev) {
  struct container *handle = malloc(sizeof(*handle));
  (void)flags;
  *handle = *(struct container *)(uintptr_t)poh.cookie;
  uuid_of(cont, handle->uuid);
  coh->cookie = (uintptr_t)handle;
  if (info) daos_cont_query(*coh, info, NULL, NULL);
  return done(0, ev);
}
int daos_cont_global2local(daos_handle_t poh, d_iov_t glob, daos_handle_t *coh) {
  return daos_cont_open2(poh, glob.iov_buf, 0, coh, NULL, NULL);
}
int daos_cont_close(daos_handle_t coh, daos_event_t *ev) {
  free((void *)(uintptr_t)coh.cookie);
  return done(0, ev);
}

/* --- what objects hold ------------------------------------------------------------------- */

/* Returns the target of a handle. */
static struct object *at(daos_handle_t oh) {
  return (struct object *)(uintptr_t)oh.cookie;
}
/* Returns the bytes of an object under a key; NULL if there are none. */
static struct value *find(const struct object *object, const char *key) {
  for (struct value *value = values; value; value = value->next)
    if (memcmp(value->container, object->in->uuid, sizeof(uuid_t)) == 0 &&
        value->oid.lo == object->oid.lo && value->oid.hi == object->oid.hi &&
        strcmp(value->key, key) == 0)
      return value;
  return NULL;
}
/* Returns the bytes of an object under a key, which are created or enlarged if needed. size: least
 * number of bytes. */
static struct value *have(const struct object *object, const char *key, size_t size) {
  struct value *value = find(object, key);
  if (!value) {
    value = calloc(1, sizeof(*value));
    memcpy(value->container, object->in->uuid, sizeof(uuid_t));
    value->oid = object->oid;
    snprintf(value->key, sizeof(value->key), "%s", key);
    value->next = values;
    values = value;
  }
  if (size > value->size) {
    value->bytes = realloc(value->bytes, size);
    memset(value->bytes + value->size, 0, size - value->size);
    value->size = size;
  }
  return value;
}

/* Copies bytes between an object and the memory buffers of a list, in order. bytes: the place in
 * the object; room: bytes from there to its end. writes: into the object. Returns how many bytes
 * were copied. */
static size_t copy(char *bytes, size_t room, const d_sg_list_t *sgl, int writes) {
  size_t from = 0;
  for (uint32_t i = 0; i < sgl->sg_nr && from < room; i++) {
    size_t n = sgl->sg_iovs[i].iov_len;
    if (n > room - from) n = room - from;
    if (writes)
      memcpy(bytes + from, sgl->sg_iovs[i].iov_buf, n);
    else
      memcpy(sgl->sg_iovs[i].iov_buf, bytes + from, n);
    from += n;
  }
  return from;
}

/* Returns a new handle. */
static daos_handle_t new_object(daos_handle_t coh, daos_obj_id_t oid, daos_size_t cell,
                                daos_size_t chunk) {
  struct object *object = malloc(sizeof(*object));
  *object = (struct object){(struct container *)(uintptr_t)coh.cookie, oid, cell, chunk};
  return (daos_handle_t){(uintptr_t)object};
}
/* Closes a handle. Returns INVALID if there is none. */
static int close_object(daos_handle_t oh, daos_event_t *ev) {
  if (!oh.cookie) return INVALID;
  free(at(oh));
  return done(0, ev);
}

int daos_obj_open(daos_handle_t coh, daos_obj_id_t oid, unsigned int mode, daos_handle_t *oh,
                  daos_event_t *ev) {
  (void)mode;
  *oh = new_object(coh, oid, 0, 0);
  return done(0, ev);
}
int daos_obj_close(daos_handle_t oh, daos_event_t *ev) {
  return close_object(oh, ev);
}

/* Returns the number of bytes that a description covers. */
static size_t size_of(const daos_iod_t *iod) {
  size_t records = iod->iod_type == DAOS_IOD_SINGLE;
  for (uint32_t i = 0; iod->iod_type == DAOS_IOD_ARRAY && i < iod->iod_nr; i++)
    records += iod->iod_recxs[i].rx_nr;
  return records * iod->iod_size;
}
int daos_obj_update(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey,
                    unsigned int nr, daos_iod_t *iods, d_sg_list_t *sgls, daos_event_t *ev) {
  (void)th, (void)flags, (void)dkey;
  for (unsigned i = 0; i < nr; i++) {
    struct value *value = have(at(oh), iods[i].iod_name.iov_buf, size_of(&iods[i]));
    copy(value->bytes, value->size, &sgls[i], 1);
  }
  return done(0, ev);
}
int daos_obj_fetch(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey,
                   unsigned int nr, daos_iod_t *iods, d_sg_list_t *sgls, void *ioms,
                   daos_event_t *ev) {
  (void)th, (void)flags, (void)dkey, (void)ioms;
  for (unsigned i = 0; i < nr; i++) {
    struct value *value = find(at(oh), iods[i].iod_name.iov_buf);
    if (iods[i].iod_size == 0 && !ev) iods[i].iod_size = value ? value->size : 0;
    if (value && sgls) copy(value->bytes, value->size, &sgls[i], 0);
  }
  return done(0, ev);
}

/* Defines a function that only checks its handle. */
#define SILENT(name, params, ...)                                                                  \
  int name params {                                                                                \
    (void)th, __VA_ARGS__;                                                                         \
    return oh.cookie ? done(0, ev) : INVALID;                                                      \
  }
SILENT(daos_obj_punch, (daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_event_t *ev),
       (void)flags)
SILENT(daos_obj_punch_dkeys,
       (daos_handle_t oh, daos_handle_t th, uint64_t flags, unsigned int nr, daos_key_t *dkeys,
        daos_event_t *ev),
       (void)flags, (void)nr, (void)dkeys)
SILENT(daos_obj_punch_akeys,
       (daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey, unsigned int nr,
        daos_key_t *akeys, daos_event_t *ev),
       (void)flags, (void)dkey, (void)nr, (void)akeys)
SILENT(daos_obj_list_dkey,
       (daos_handle_t oh, daos_handle_t th, uint32_t *nr, void *kds, d_sg_list_t *sgl, void *anchor,
        daos_event_t *ev),
       (void)kds, (void)sgl, (void)anchor, *nr = 0)
SILENT(daos_obj_list_akey,
       (daos_handle_t oh, daos_handle_t th, daos_key_t *dkey, uint32_t *nr, void *kds,
        d_sg_list_t *sgl, void *anchor, daos_event_t *ev),
       (void)dkey, (void)kds, (void)sgl, (void)anchor, *nr = 0)
SILENT(daos_obj_list_recx,
       (daos_handle_t oh, daos_handle_t th, daos_key_t *dkey, daos_key_t *akey, daos_size_t *size,
        uint32_t *nr, daos_recx_t *recxs, void *eprs, void *anchor, bool incr_order,
        daos_event_t *ev),
       (void)dkey, (void)akey, (void)recxs, (void)eprs, *size = 0, *nr = incr_order && !anchor)

/* --- arrays ------------------------------------------------------------------------------ */

/* Keys under which an array has its cells, and the sizes of a cell and a chunk. */
#define CELLS "cells"
#define SHAPE "shape"

int daos_array_open_with_attr(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th,
                              unsigned int mode, daos_size_t cell_size, daos_size_t chunk_size,
                              daos_handle_t *oh, daos_event_t *ev) {
  (void)th, (void)mode;
  daos_handle_t handle = new_object(coh, oid, cell_size, chunk_size);
  if (ev) {
    of(ev)->handle = oh;
    of(ev)->value = handle;
  } else
    *oh = handle;
  return done(0, ev);
}
int daos_array_create(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, daos_size_t cell_size,
                      daos_size_t chunk_size, daos_handle_t *oh, daos_event_t *ev) {
  struct object object = {(struct container *)(uintptr_t)coh.cookie, oid, 0, 0};
  daos_size_t shape[2] = {cell_size, chunk_size};
  memcpy(have(&object, SHAPE, sizeof(shape))->bytes, shape, sizeof(shape));
  return daos_array_open_with_attr(coh, oid, th, 0, cell_size, chunk_size, oh, ev);
}
int daos_array_open(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, unsigned int mode,
                    daos_size_t *cell_size, daos_size_t *chunk_size, daos_handle_t *oh,
                    daos_event_t *ev) {
  struct object object = {(struct container *)(uintptr_t)coh.cookie, oid, 0, 0};
  const struct value *shape = find(&object, SHAPE);
  if (!shape) return ev ? done(NONEXIST, ev) : NONEXIST;
  memcpy(cell_size, shape->bytes, sizeof(*cell_size));
  memcpy(chunk_size, shape->bytes + sizeof(*cell_size), sizeof(*chunk_size));
  return daos_array_open_with_attr(coh, oid, th, mode, *cell_size, *chunk_size, oh, ev);
}
int daos_array_close(daos_handle_t oh, daos_event_t *ev) {
  return close_object(oh, ev);
}
int daos_array_read(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, d_sg_list_t *sgl,
                    daos_event_t *ev) {
  const struct value *value = find(at(oh), CELLS);
  size_t from = iod->arr_rgs[0].rg_idx * at(oh)->cell;
  (void)th;
  iod->arr_nr_read =
      value && from < value->size ? copy(value->bytes + from, value->size - from, sgl, 0) : 0;
  return done(0, ev);
}
int daos_array_write(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, d_sg_list_t *sgl,
                     daos_event_t *ev) {
  size_t from = iod->arr_rgs[0].rg_idx * at(oh)->cell, n = 0;
  (void)th;
  for (daos_size_t i = 0; i < iod->arr_nr; i++)
    n += iod->arr_rgs[i].rg_len * at(oh)->cell;
  copy(have(at(oh), CELLS, from + n)->bytes + from, n, sgl, 1);
  return done(0, ev);
}
int daos_array_get_size(daos_handle_t oh, daos_handle_t th, daos_size_t *size, daos_event_t *ev) {
  const struct value *value = find(at(oh), CELLS);
  (void)th;
  *size = value ? value->size / at(oh)->cell : 0;
  return done(0, ev);
}
SILENT(daos_array_set_size,
       (daos_handle_t oh, daos_handle_t th, daos_size_t size, daos_event_t *ev), (void)size)
SILENT(daos_array_stat, (daos_handle_t oh, daos_handle_t th, void *stbuf, daos_event_t *ev),
       (void)stbuf)
SILENT(daos_array_punch,
       (daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, daos_event_t *ev), (void)iod)
SILENT(daos_array_destroy, (daos_handle_t oh, daos_handle_t th, daos_event_t *ev), (void)0)

/* --- keys and values --------------------------------------------------------------------- */

int daos_kv_open(daos_handle_t coh, daos_obj_id_t oid, unsigned int mode, daos_handle_t *oh,
                 daos_event_t *ev) {
  return daos_obj_open(coh, oid, mode, oh, ev);
}
int daos_kv_close(daos_handle_t oh, daos_event_t *ev) {
  return close_object(oh, ev);
}
int daos_kv_put(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key,
                daos_size_t size, const void *buf, daos_event_t *ev) {
  (void)th, (void)flags;
  memcpy(have(at(oh), key, size)->bytes, buf, size);
  return done(0, ev);
}
int daos_kv_get(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key,
                daos_size_t *size, void *buf, daos_event_t *ev) {
  const struct value *value = find(at(oh), key);
  (void)th, (void)flags;
  if (!value) return NONEXIST;
  if (buf) memcpy(buf, value->bytes, *size < value->size ? *size : value->size);
  *size = value->size;
  return done(0, ev);
}
SILENT(daos_kv_remove,
       (daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key, daos_event_t *ev),
       (void)flags, (void)key)
SILENT(daos_kv_list,
       (daos_handle_t oh, daos_handle_t th, uint32_t *nr, void *kds, d_sg_list_t *sgl, void *anchor,
        daos_event_t *ev),
       (void)kds, (void)sgl, (void)anchor, *nr = 0)
SILENT(daos_kv_destroy, (daos_handle_t oh, daos_handle_t th, daos_event_t *ev), (void)0)
