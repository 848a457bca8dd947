/* Declares the part of DAOS' interface that the test programs use. It was written from the manual
 * of DAOS, apart from the runtime's own declarations, so that a mistake in these has an effect. */
#ifndef STANDIN_DAOS_H
#define STANDIN_DAOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

typedef uint64_t daos_size_t;
typedef uint64_t daos_off_t;
typedef uint32_t daos_oclass_id_t;
typedef unsigned char uuid_t[16];
typedef struct {
  uint64_t cookie;
} daos_handle_t;
typedef struct {
  uint64_t lo;
  uint64_t hi;
} daos_obj_id_t;
typedef struct {
  void *iov_buf;
  size_t iov_buf_len;
  size_t iov_len;
} d_iov_t;
typedef d_iov_t daos_key_t;
typedef struct {
  uint32_t sg_nr;
  uint32_t sg_nr_out;
  d_iov_t *sg_iovs;
} d_sg_list_t;
typedef struct {
  uint64_t rx_idx;
  uint64_t rx_nr;
} daos_recx_t;
typedef enum { DAOS_IOD_NONE, DAOS_IOD_SINGLE, DAOS_IOD_ARRAY } daos_iod_type_t;
typedef struct {
  daos_key_t iod_name;
  daos_iod_type_t iod_type;
  daos_size_t iod_size;
  uint64_t iod_flags;
  uint32_t iod_nr;
  daos_recx_t *iod_recxs;
} daos_iod_t;
typedef struct {
  daos_off_t rg_idx;
  daos_size_t rg_len;
} daos_range_t;
typedef struct {
  daos_size_t arr_nr;
  daos_range_t *arr_rgs;
  daos_size_t arr_nr_short_read;
  daos_size_t arr_nr_read;
} daos_array_iod_t;
typedef struct {
  daos_size_t iod_nr;
  daos_range_t *iod_rgs;
} dfs_iod_t;
typedef struct daos_event {
  int ev_error;
  struct {
    uint64_t space[20];
  } ev_private;
  uint64_t ev_debug;
} daos_event_t;
typedef struct {
  uuid_t pi_uuid;
  uint32_t pi_ntargets;
  uint32_t more[100];
} daos_pool_info_t;
typedef struct {
  uuid_t ci_uuid;
  uint64_t more[5];
} daos_cont_info_t;
typedef struct dfs dfs_t;
typedef struct dfs_obj dfs_obj_t;
enum { DAOS_OT_KV_HASHED = 8, DAOS_OT_ARRAY_BYTE = 13, DAOS_OT_ARRAY = 11 };
#define DAOS_TX_NONE ((daos_handle_t){0})

int daos_init(void);
int daos_pool_connect2(const char *pool, const char *sys, unsigned int flags, daos_handle_t *poh,
                       daos_pool_info_t *info, daos_event_t *ev);
int daos_pool_query(daos_handle_t poh, void **ranks, daos_pool_info_t *info, void *prop,
                    daos_event_t *ev);
int daos_pool_global2local(d_iov_t glob, daos_handle_t *poh);
int daos_pool_disconnect(daos_handle_t poh, daos_event_t *ev);
int daos_cont_open2(daos_handle_t poh, const char *cont, unsigned int flags, daos_handle_t *coh,
                    daos_cont_info_t *info, daos_event_t *ev);
int daos_cont_query(daos_handle_t coh, daos_cont_info_t *info, void *prop, daos_event_t *ev);
int daos_cont_global2local(daos_handle_t poh, d_iov_t glob, daos_handle_t *coh);
int daos_cont_close(daos_handle_t coh, daos_event_t *ev);
int daos_eq_create(daos_handle_t *eqh);
int daos_eq_poll(daos_handle_t eqh, int wait_running, int64_t timeout, unsigned int nevents,
                 daos_event_t **events);
int daos_event_init(daos_event_t *ev, daos_handle_t eqh, daos_event_t *parent);
int daos_event_test(daos_event_t *ev, int64_t timeout, bool *flag);

int daos_obj_open(daos_handle_t coh, daos_obj_id_t oid, unsigned int mode, daos_handle_t *oh,
                  daos_event_t *ev);
int daos_obj_close(daos_handle_t oh, daos_event_t *ev);
int daos_obj_fetch(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey,
                   unsigned int nr, daos_iod_t *iods, d_sg_list_t *sgls, void *ioms,
                   daos_event_t *ev);
int daos_obj_update(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey,
                    unsigned int nr, daos_iod_t *iods, d_sg_list_t *sgls, daos_event_t *ev);
int daos_obj_punch(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_event_t *ev);
int daos_obj_punch_dkeys(daos_handle_t oh, daos_handle_t th, uint64_t flags, unsigned int nr,
                         daos_key_t *dkeys, daos_event_t *ev);
int daos_obj_punch_akeys(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey,
                         unsigned int nr, daos_key_t *akeys, daos_event_t *ev);
int daos_obj_list_dkey(daos_handle_t oh, daos_handle_t th, uint32_t *nr, void *kds,
                       d_sg_list_t *sgl, void *anchor, daos_event_t *ev);
int daos_obj_list_akey(daos_handle_t oh, daos_handle_t th, daos_key_t *dkey, uint32_t *nr,
                       void *kds, d_sg_list_t *sgl, void *anchor, daos_event_t *ev);
int daos_obj_list_recx(daos_handle_t oh, daos_handle_t th, daos_key_t *dkey, daos_key_t *akey,
                       daos_size_t *size, uint32_t *nr, daos_recx_t *recxs, void *eprs,
                       void *anchor, bool incr_order, daos_event_t *ev);

int daos_array_create(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, daos_size_t cell_size,
                      daos_size_t chunk_size, daos_handle_t *oh, daos_event_t *ev);
int daos_array_open(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, unsigned int mode,
                    daos_size_t *cell_size, daos_size_t *chunk_size, daos_handle_t *oh,
                    daos_event_t *ev);
int daos_array_open_with_attr(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th,
                              unsigned int mode, daos_size_t cell_size, daos_size_t chunk_size,
                              daos_handle_t *oh, daos_event_t *ev);
int daos_array_close(daos_handle_t oh, daos_event_t *ev);
int daos_array_read(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, d_sg_list_t *sgl,
                    daos_event_t *ev);
int daos_array_write(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, d_sg_list_t *sgl,
                     daos_event_t *ev);
int daos_array_get_size(daos_handle_t oh, daos_handle_t th, daos_size_t *size, daos_event_t *ev);
int daos_array_set_size(daos_handle_t oh, daos_handle_t th, daos_size_t size, daos_event_t *ev);
int daos_array_stat(daos_handle_t oh, daos_handle_t th, void *stbuf, daos_event_t *ev);
int daos_array_punch(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, daos_event_t *ev);
int daos_array_destroy(daos_handle_t oh, daos_handle_t th, daos_event_t *ev);

int daos_kv_open(daos_handle_t coh, daos_obj_id_t oid, unsigned int mode, daos_handle_t *oh,
                 daos_event_t *ev);
int daos_kv_close(daos_handle_t oh, daos_event_t *ev);
int daos_kv_put(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key,
                daos_size_t size, const void *buf, daos_event_t *ev);
int daos_kv_get(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key,
                daos_size_t *size, void *buf, daos_event_t *ev);
int daos_kv_remove(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key,
                   daos_event_t *ev);
int daos_kv_list(daos_handle_t oh, daos_handle_t th, uint32_t *nr, void *kds, d_sg_list_t *sgl,
                 void *anchor, daos_event_t *ev);
int daos_kv_destroy(daos_handle_t oh, daos_handle_t th, daos_event_t *ev);

int dfs_mount(daos_handle_t poh, daos_handle_t coh, int flags, dfs_t **dfs);
int dfs_global2local(daos_handle_t poh, daos_handle_t coh, int flags, d_iov_t glob, dfs_t **dfs);
int dfs_umount(dfs_t *dfs);
int dfs_lookup(dfs_t *dfs, const char *path, int flags, dfs_obj_t **obj, mode_t *mode,
               struct stat *stbuf);
int dfs_lookup_rel(dfs_t *dfs, dfs_obj_t *parent, const char *name, int flags, dfs_obj_t **obj,
                   mode_t *mode, struct stat *stbuf);
int dfs_open(dfs_t *dfs, dfs_obj_t *parent, const char *name, mode_t mode, int flags,
             daos_oclass_id_t cid, daos_size_t chunk_size, const char *value, dfs_obj_t **obj);
int dfs_open_stat(dfs_t *dfs, dfs_obj_t *parent, const char *name, mode_t mode, int flags,
                  daos_oclass_id_t cid, daos_size_t chunk_size, const char *value, dfs_obj_t **obj,
                  struct stat *stbuf);
int dfs_dup(dfs_t *dfs, dfs_obj_t *obj, int flags, dfs_obj_t **new_obj);
int dfs_obj_local2global(dfs_t *dfs, dfs_obj_t *obj, d_iov_t *glob);
int dfs_obj_global2local(dfs_t *dfs, int flags, d_iov_t glob, dfs_obj_t **obj);
int dfs_release(dfs_obj_t *obj);
int dfs_obj2id(dfs_obj_t *obj, daos_obj_id_t *oid);
int dfs_get_chunk_size(dfs_obj_t *obj, daos_size_t *chunk_size);
int dfs_read(dfs_t *dfs, dfs_obj_t *obj, d_sg_list_t *sgl, daos_off_t off, daos_size_t *read_size,
             daos_event_t *ev);
int dfs_readx(dfs_t *dfs, dfs_obj_t *obj, dfs_iod_t *iod, d_sg_list_t *sgl, daos_size_t *read_size,
              daos_event_t *ev);
int dfs_write(dfs_t *dfs, dfs_obj_t *obj, d_sg_list_t *sgl, daos_off_t off, daos_event_t *ev);
int dfs_writex(dfs_t *dfs, dfs_obj_t *obj, dfs_iod_t *iod, d_sg_list_t *sgl, daos_event_t *ev);
int dfs_get_size(dfs_t *dfs, dfs_obj_t *obj, daos_size_t *size);
int dfs_punch(dfs_t *dfs, dfs_obj_t *obj, daos_off_t offset, daos_size_t len);
int dfs_stat(dfs_t *dfs, dfs_obj_t *parent, const char *name, struct stat *stbuf);
int dfs_ostat(dfs_t *dfs, dfs_obj_t *obj, struct stat *stbuf);
int dfs_remove(dfs_t *dfs, dfs_obj_t *parent, const char *name, bool force, daos_obj_id_t *oid);

#endif
