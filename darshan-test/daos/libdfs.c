/* A stand-in for libdfs, in which a file is an array of libdaos, and the array's object id a hash
 * of the path. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daos.h"

enum { CHUNK = 1 << 20 };

struct dfs {
  daos_handle_t coh;
};
struct dfs_obj {
  char path[256];
  daos_obj_id_t oid;
  daos_handle_t array; /* of a file */
  daos_size_t chunk;
  mode_t mode;
};

int dfs_mount(daos_handle_t poh, daos_handle_t coh, int flags, dfs_t **dfs) {
  (void)poh, (void)flags;
  *dfs = malloc(sizeof(**dfs));
  (*dfs)->coh = coh;
  return 0;
}
int dfs_global2local(daos_handle_t poh, daos_handle_t coh, int flags, d_iov_t glob, dfs_t **dfs) {
  (void)glob;
  return dfs_mount(poh, coh, flags, dfs);
}
int dfs_umount(dfs_t *dfs) {
  free(dfs);
  return 0;
}

/* Writes the path of a name in a folder to `out`, which has 256 bytes. parent: the folder; NULL:
 * the root. */
static void path_of(char *out, const dfs_obj_t *parent, const char *name) {
  snprintf(out, 256, "%.100s/%.100s", parent && parent->path[1] ? parent->path : "", name);
}
/* Returns the object id of a path. */
static daos_obj_id_t oid_of(const char *path) {
  daos_obj_id_t oid = {5381, (uint64_t)DAOS_OT_ARRAY_BYTE << 56};
  for (; *path; path++)
    oid.lo = oid.lo * 33 + (unsigned char)*path;
  return oid;
}
/* Opens a path. mode: S_IFREG or S_IFDIR. chunk: chunk size in bytes; 0: the default. Returns 0 or
 * an error number. */
static int make(dfs_t *dfs, const char *path, mode_t mode, daos_size_t chunk, dfs_obj_t **obj) {
  dfs_obj_t *made = calloc(1, sizeof(*made));
  snprintf(made->path, sizeof(made->path), "%s", path);
  made->oid = oid_of(path);
  made->mode = mode;
  made->chunk = chunk ? chunk : CHUNK;
  *obj = made;
  if (!S_ISREG(mode)) return 0;
  return -daos_array_open_with_attr(dfs->coh, made->oid, DAOS_TX_NONE, 0, 1, made->chunk,
                                    &made->array, NULL);
}

/* Opens the object of a path. Stores it in *obj, or returns an error number; 0 on success. Names
 * that begin with "no" do not exist; names without a dot are folders. */
static int look(dfs_t *dfs, const char *path, dfs_obj_t **obj) {
  const char *last = strrchr(path, '/') + 1;
  if (strncmp(last, "no", 2) == 0) return ENOENT;
  return make(dfs, path, strchr(last, '.') ? S_IFREG : S_IFDIR, 0, obj);
}
int dfs_lookup(dfs_t *dfs, const char *path, int flags, dfs_obj_t **obj, mode_t *mode,
               struct stat *stbuf) {
  (void)flags, (void)mode, (void)stbuf;
  return look(dfs, path, obj);
}
int dfs_lookup_rel(dfs_t *dfs, dfs_obj_t *parent, const char *name, int flags, dfs_obj_t **obj,
                   mode_t *mode, struct stat *stbuf) {
  char path[256];
  (void)flags, (void)mode, (void)stbuf;
  path_of(path, parent, name);
  return look(dfs, path, obj);
}
int dfs_open(dfs_t *dfs, dfs_obj_t *parent, const char *name, mode_t mode, int flags,
             daos_oclass_id_t cid, daos_size_t chunk_size, const char *value, dfs_obj_t **obj) {
  char path[256];
  (void)flags, (void)cid, (void)value;
  if (strncmp(name, "no", 2) == 0) return ENOENT;
  path_of(path, parent, name);
  return make(dfs, path, mode, chunk_size, obj);
}
int dfs_open_stat(dfs_t *dfs, dfs_obj_t *parent, const char *name, mode_t mode, int flags,
                  daos_oclass_id_t cid, daos_size_t chunk_size, const char *value, dfs_obj_t **obj,
                  struct stat *stbuf) {
  (void)stbuf, (void)flags, (void)cid, (void)value;
  char path[256];
  path_of(path, parent, name);
  return make(dfs, path, mode, chunk_size, obj);
}
int dfs_dup(dfs_t *dfs, dfs_obj_t *obj, int flags, dfs_obj_t **new_obj) {
  (void)flags;
  return make(dfs, obj->path, obj->mode, obj->chunk, new_obj);
}
int dfs_obj_local2global(dfs_t *dfs, dfs_obj_t *obj, d_iov_t *glob) {
  (void)dfs;
  *glob = (d_iov_t){obj, sizeof(*obj), sizeof(*obj)};
  return 0;
}
int dfs_obj_global2local(dfs_t *dfs, int flags, d_iov_t glob, dfs_obj_t **obj) {
  const dfs_obj_t *from = glob.iov_buf;
  (void)flags;
  return make(dfs, from->path, from->mode, from->chunk, obj);
}
int dfs_release(dfs_obj_t *obj) {
  if (S_ISREG(obj->mode)) daos_array_close(obj->array, NULL);
  free(obj);
  return 0;
}
int dfs_obj2id(dfs_obj_t *obj, daos_obj_id_t *oid) {
  *oid = obj->oid;
  return 0;
}
int dfs_get_chunk_size(dfs_obj_t *obj, daos_size_t *chunk_size) {
  if (!S_ISREG(obj->mode)) return EINVAL;
  *chunk_size = obj->chunk;
  return 0;
}

/* Returns the size of a list of memory buffers. */
static size_t bytes_of(const d_sg_list_t *sgl) {
  size_t n = 0;
  for (uint32_t i = 0; i < sgl->sg_nr; i++)
    n += sgl->sg_iovs[i].iov_len;
  return n;
}
int dfs_read(dfs_t *dfs, dfs_obj_t *obj, d_sg_list_t *sgl, daos_off_t off, daos_size_t *read_size,
             daos_event_t *ev) {
  daos_range_t range = {off, bytes_of(sgl)};
  daos_array_iod_t iod = {1, &range, 0, 0};
  (void)dfs;
  if (!S_ISREG(obj->mode)) return EINVAL;
  int result = -daos_array_read(obj->array, DAOS_TX_NONE, &iod, sgl, ev);
  *read_size = iod.arr_nr_read;
  return result;
}
int dfs_readx(dfs_t *dfs, dfs_obj_t *obj, dfs_iod_t *iod, d_sg_list_t *sgl, daos_size_t *read_size,
              daos_event_t *ev) {
  return dfs_read(dfs, obj, sgl, iod->iod_rgs[0].rg_idx, read_size, ev);
}
int dfs_write(dfs_t *dfs, dfs_obj_t *obj, d_sg_list_t *sgl, daos_off_t off, daos_event_t *ev) {
  daos_range_t range = {off, bytes_of(sgl)};
  daos_array_iod_t iod = {1, &range, 0, 0};
  (void)dfs;
  if (!S_ISREG(obj->mode)) return EINVAL;
  return -daos_array_write(obj->array, DAOS_TX_NONE, &iod, sgl, ev);
}
int dfs_writex(dfs_t *dfs, dfs_obj_t *obj, dfs_iod_t *iod, d_sg_list_t *sgl, daos_event_t *ev) {
  return dfs_write(dfs, obj, sgl, iod->iod_rgs[0].rg_idx, ev);
}
int dfs_get_size(dfs_t *dfs, dfs_obj_t *obj, daos_size_t *size) {
  (void)dfs;
  return -daos_array_get_size(obj->array, DAOS_TX_NONE, size, NULL);
}
int dfs_punch(dfs_t *dfs, dfs_obj_t *obj, daos_off_t offset, daos_size_t len) {
  daos_range_t range = {offset, len};
  daos_array_iod_t iod = {1, &range, 0, 0};
  (void)dfs;
  return -daos_array_punch(obj->array, DAOS_TX_NONE, &iod, NULL);
}
int dfs_stat(dfs_t *dfs, dfs_obj_t *parent, const char *name, struct stat *stbuf) {
  (void)dfs, (void)parent;
  if (name && strncmp(name, "no", 2) == 0) return ENOENT;
  memset(stbuf, 0, sizeof(*stbuf));
  return 0;
}
int dfs_ostat(dfs_t *dfs, dfs_obj_t *obj, struct stat *stbuf) {
  (void)dfs, (void)obj;
  memset(stbuf, 0, sizeof(*stbuf));
  return 0;
}
int dfs_remove(dfs_t *dfs, dfs_obj_t *parent, const char *name, bool force, daos_obj_id_t *oid) {
  char path[256];
  (void)dfs, (void)force;
  path_of(path, parent, name);
  if (oid) *oid = oid_of(path);
  return 0;
}
