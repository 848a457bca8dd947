/* Uses NUMBER handles, containers, arrays with events, or files of DAOS. The numbers of the test
 * are greater than what the tables of the runtime can hold. Usage: many KIND NUMBER. KIND: handles,
 * containers, events or files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daos.h"

static daos_handle_t pool, container;
static const daos_obj_id_t oid = {1, (uint64_t)DAOS_OT_KV_HASHED << 56};

static void must(int result, const char *what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %d\n", what, result);
  exit(1);
}
/* Ends the program if a call failed. what: the call, for the message. */
#define CALL(call) must(call, #call)

/* Writes four bytes under a key of an open object. */
static void put(daos_handle_t store, const char *key) {
  CALL(daos_kv_put(store, DAOS_TX_NONE, 0, key, 4, "four", NULL));
}

/* Opens n handles of one key-value object at a time, and writes a key by each. */
static void handles(int n) {
  daos_handle_t *all = calloc((size_t)n, sizeof(*all));
  for (int i = 0; i < n; i++)
    CALL(daos_kv_open(container, oid, 0, &all[i], NULL));
  for (int i = 0; i < n; i++)
    put(all[i], "key");
  for (int i = 0; i < n; i++)
    CALL(daos_kv_close(all[i], NULL));
}

/* Makes n containers, each with an object of the same id, and writes to each object. */
static void containers(int n) {
  for (int i = 0; i < n; i++) {
    char label[16];
    daos_handle_t other, store;
    snprintf(label, sizeof(label), "box %d", i);
    CALL(daos_cont_open2(pool, label, 0, &other, NULL, NULL));
    CALL(daos_kv_open(other, oid, 0, &store, NULL));
    put(store, "key");
    CALL(daos_kv_close(store, NULL));
    CALL(daos_cont_close(other, NULL));
  }
}

/* Opens n arrays at a time asynchronously, so that their handles become valid only when the events
 * are completed, and writes 4 bytes to each. */
static void events(int n) {
  daos_event_t *all = calloc((size_t)n, sizeof(*all));
  daos_handle_t *arrays = calloc((size_t)n, sizeof(*arrays));
  daos_range_t range = {0, 4};
  daos_array_iod_t iod = {1, &range, 0, 0};
  d_iov_t iov = {"four", 4, 4};
  d_sg_list_t list = {1, 0, &iov};
  const daos_obj_id_t array = {2, (uint64_t)DAOS_OT_ARRAY << 56};
  for (int i = 0; i < n; i++) {
    CALL(daos_event_init(&all[i], DAOS_TX_NONE, NULL));
    CALL(daos_array_open_with_attr(container, array, DAOS_TX_NONE, 0, 1, 1 << 20, &arrays[i],
                                   &all[i]));
  }
  for (int i = 0; i < n; i++) {
    bool is_done = false;
    CALL(daos_event_test(&all[i], -1, &is_done));
    CALL(daos_array_write(arrays[i], DAOS_TX_NONE, &iod, &list, NULL));
    CALL(daos_array_close(arrays[i], NULL));
  }
}

/* Writes 4 bytes to each of n files, of which one is open at a time. */
static void files(int n) {
  d_iov_t iov = {"four", 4, 4};
  d_sg_list_t list = {1, 0, &iov};
  dfs_t *dfs;
  CALL(dfs_mount(pool, container, 0, &dfs));
  for (int i = 0; i < n; i++) {
    char name[16];
    dfs_obj_t *file;
    snprintf(name, sizeof(name), "file.%d", i);
    CALL(dfs_open(dfs, NULL, name, S_IFREG | 0644, 0, 0, 4096, NULL, &file));
    CALL(dfs_write(dfs, file, &list, 0, NULL));
    CALL(dfs_release(file));
  }
  CALL(dfs_umount(dfs));
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(int n);
  } kinds[] = {
      {"handles", handles}, {"containers", containers}, {"events", events}, {"files", files}};
  CALL(daos_init());
  CALL(daos_pool_connect2("a pool", NULL, 0, &pool, NULL, NULL));
  CALL(daos_cont_open2(pool, "a container", 0, &container, NULL, NULL));
  for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (strcmp(argv[1], kinds[i].name) == 0) kinds[i].run(atoi(argv[2]));
  puts("done");
  return argc != 3;
}
