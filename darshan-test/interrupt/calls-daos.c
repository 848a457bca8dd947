/* One call of each kind of wrapper around DAOS and its file system DFS, with the stand-in libraries
 * of darshan-test/daos. */
#include <unistd.h>

#include "../daos/daos.h"
#include "target.h"

static daos_handle_t pool, container;
static dfs_t *dfs;
static dfs_obj_t *folder, *file;
static daos_handle_t object, values;
static char memory[100];

static void good(int result) {
  if (result != 0) _exit(93);
}

static d_sg_list_t *list(void) {
  static d_iov_t iov = {memory, sizeof(memory), sizeof(memory)};
  static d_sg_list_t sgl = {1, 0, &iov};
  return &sgl;
}

void target_begin(void) {
  daos_pool_info_t of_pool;
  daos_cont_info_t of_container;
  good(daos_init());
  good(daos_pool_connect2("a pool", NULL, 0, &pool, &of_pool, NULL));
  good(daos_cont_open2(pool, "a container", 0, &container, &of_container, NULL));
  good(dfs_mount(pool, container, 0, &dfs));
  good(dfs_lookup(dfs, "/results", 0, &folder, NULL, NULL));
}

static void have_file(void) {
  good(dfs_open(dfs, folder, "wave", S_IFREG | 0644, 0, 0, 4096, NULL, &file));
  good(dfs_write(dfs, file, list(), 0, NULL));
}
static void have_object(void) {
  daos_size_t cell = 1, chunk = 4096;
  good(daos_array_create(container, (daos_obj_id_t){7, 3}, DAOS_TX_NONE, cell, chunk, &object,
                         NULL));
}
static void have_values(void) {
  good(daos_kv_open(container, (daos_obj_id_t){8, 3}, 2, &values, NULL));
  good(daos_kv_put(values, DAOS_TX_NONE, 0, "key", 10, memory, NULL));
}

/* Does the I/O that follows the call, in another file, because the call may have been abandoned in
 * the middle. */
void target_end(void) {
  dfs_obj_t *other;
  good(dfs_open(dfs, folder, "other", S_IFREG | 0644, 0, 0, 4096, NULL, &other));
  for (int i = 0; i < 3; i++)
    good(dfs_write(dfs, other, list(), 0, NULL));
  good(dfs_release(other));
}

static void call_open(void) {
  dfs_obj_t *made;
  good(dfs_open(dfs, folder, "made", S_IFREG | 0644, 0, 0, 4096, NULL, &made));
}
static void call_write(void) {
  good(dfs_write(dfs, file, list(), 0, NULL));
}
static void call_read(void) {
  daos_size_t moved;
  good(dfs_read(dfs, file, list(), 0, &moved, NULL));
}
static void call_array_write(void) {
  daos_range_t range = {0, sizeof(memory)};
  daos_array_iod_t iod = {1, &range, 0, 0};
  good(daos_array_write(object, DAOS_TX_NONE, &iod, list(), NULL));
}
static void call_kv_get(void) {
  daos_size_t size = sizeof(memory);
  good(daos_kv_get(values, DAOS_TX_NONE, 0, "key", &size, memory, NULL));
}

const struct kind target_kinds[] = {{"dfs_open", NULL, call_open, 0},
                                    {"dfs_write", have_file, call_write, 0},
                                    {"dfs_read", have_file, call_read, 0},
                                    {"daos_array_write", have_object, call_array_write, 0},
                                    {"daos_kv_get", have_values, call_kv_get, 0},
                                    {NULL, NULL, NULL, 0}};
