/* Calls every wrapped function of DAOS, and prints a line for each call or each value that a record
 * must have. Columns: module, name of the file or object, counter, kind ("n" a count, "r" or "w"
 * bytes moved, "=" a value), number, and 1 if the call was begun with an event. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daos.h"

static daos_handle_t pool, container, queue;
static dfs_t *dfs;
static char memory[300000];

static void must(int result, const char *what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %d\n", what, result);
  exit(1);
}
/* Ends the program if a call failed. what: the call, for the message. */
#define CALL(call) must(call, #call)

/* Prints what a record must have. what: kind of the number, as above. event: whether the call was
 * begun with an event. */
static void say(const char *module, const char *name, const char *counter, const char *what,
                uint64_t number, int event) {
  printf("%s\t%s\t%s\t%s\t%" PRIu64 "\t%d\n", module, name, counter, what, number, event);
}
/* Prints what the record of a file must have. path: of the file. */
static void say_file(const char *path, const char *counter, const char *what, uint64_t number,
                     int event) {
  say("DFS", path, counter, what, number, event);
}
/* Prints what the record of an object must have. oid: id of the object. */
static void say_object(daos_obj_id_t oid, const char *counter, const char *what, uint64_t number,
                       int event) {
  char name[64];
  snprintf(name, sizeof(name), "%" PRIu64 ".%" PRIu64, oid.hi, oid.lo);
  say("DAOS", name, counter, what, number, event);
}

/* Returns a list of two memory buffers that together have n bytes. The list is static: the next
 * call changes it. */
static d_sg_list_t *list(size_t n) {
  static d_iov_t iovs[2];
  static d_sg_list_t sgl = {2, 0, iovs};
  iovs[0] = (d_iov_t){memory, n / 3, n / 3};
  iovs[1] = (d_iov_t){memory + n / 3, n - n / 3, n - n / 3};
  return &sgl;
}

/* Returns one of eight events, ready for a call. */
static daos_event_t *event(void) {
  static daos_event_t events[8];
  static unsigned n;
  daos_event_t *ev = &events[n++ % 8];
  CALL(daos_event_init(ev, queue, NULL));
  return ev;
}
/* Waits for all events of the queue. */
static void wait_by_poll(void) {
  daos_event_t *done[8];
  int n = daos_eq_poll(queue, 0, -1, 8, done);
  for (int i = 0; i < n; i++)
    must(done[i]->ev_error, "an event");
}
/* Waits for one event by testing it, and then for all others. */
static void wait_by_test(daos_event_t *ev) {
  bool flag = false;
  while (!flag)
    CALL(daos_event_test(ev, -1, &flag));
  wait_by_poll();
}

/* --- files ------------------------------------------------------------------------------- */

/* Reads and writes an open file with each function, with and without events. */
static void transfers(dfs_obj_t *file, const char *path) {
  daos_size_t moved;
  daos_range_t range = {0, 0};
  dfs_iod_t iod = {1, &range};
  for (unsigned i = 0; i < 3; i++) {
    CALL(dfs_write(dfs, file, list(1000 + i), 1000 * i, NULL));
    say_file(path, "WRITES", "w", 1000 + i, 0);
  }
  CALL(dfs_writex(dfs, file, &iod, list(200000), NULL));
  say_file(path, "WRITEXS", "w", 200000, 0);
  CALL(dfs_read(dfs, file, list(300000), 0, &moved, NULL)); /* there are less */
  if (moved != 200000) exit(2);
  say_file(path, "READS", "r", moved, 0);
  CALL(dfs_readx(dfs, file, &iod, list(77), &moved, NULL));
  say_file(path, "READXS", "r", 77, 0);
  daos_event_t *ev = event();
  CALL(dfs_write(dfs, file, list(1000), 0, ev));
  say_file(path, "WRITES", "w", 1000, 1);
  wait_by_test(ev);
  CALL(dfs_read(dfs, file, list(1000), 0, &moved, event()));
  say_file(path, "READS", "r", 1000, 1);
  CALL(dfs_read(dfs, file, list(0), 0, &moved, NULL));
  say_file(path, "READS", "r", 0, 0);
  wait_by_poll();
}

/* Makes each call about a file, in a folder. */
static void one_file(dfs_obj_t *folder) {
  dfs_obj_t *file, *twin, *other;
  daos_size_t size;
  struct stat facts;
  d_iov_t glob;
  const char *path = "/results/wave.dat";
  CALL(dfs_open(dfs, folder, "wave.dat", S_IFREG | 0644, 0, 0, 4096, NULL, &file));
  say_file(path, "OPENS", "n", 1, 0);
  say_file(path, "CHUNK_SIZE", "=", 4096, 0);
  transfers(file, path);
  CALL(dfs_get_size(dfs, file, &size));
  say_file(path, "GET_SIZES", "n", 1, 0);
  CALL(dfs_punch(dfs, file, 0, 10));
  say_file(path, "PUNCHES", "n", 1, 0);
  CALL(dfs_ostat(dfs, file, &facts));
  CALL(dfs_stat(dfs, folder, "wave.dat", &facts));
  say_file(path, "STATS", "n", 2, 0);
  CALL(dfs_dup(dfs, file, 0, &twin));
  say_file(path, "DUPS", "n", 1, 0);
  CALL(dfs_obj_local2global(dfs, file, &glob));
  CALL(dfs_obj_global2local(dfs, 0, glob, &other));
  say_file(path, "GLOBAL_OPENS", "n", 1, 0);
  CALL(dfs_write(dfs, twin, list(5), 0, NULL));
  CALL(dfs_write(dfs, other, list(5), 0, NULL));
  say_file(path, "WRITES", "w", 5, 0);
  say_file(path, "WRITES", "w", 5, 0);
  CALL(dfs_release(file));
  CALL(dfs_release(twin));
  CALL(dfs_release(other));
  CALL(dfs_remove(dfs, folder, "wave.dat", false, NULL));
  say_file(path, "REMOVES", "n", 1, 0);
}

/* Makes all calls about files and folders, also some that fail. */
static void files(void) {
  dfs_obj_t *folder, *file, *none;
  struct stat facts;
  daos_obj_id_t oid;
  CALL(dfs_lookup(dfs, "/results", 0, &folder, NULL, NULL));
  say_file("/results", "LOOKUPS", "n", 1, 0);
  one_file(folder);
  CALL(dfs_lookup_rel(dfs, folder, "old.dat", 0, &file, NULL, NULL));
  say_file("/results/old.dat", "LOOKUPS", "n", 1, 0);
  say_file("/results/old.dat", "CHUNK_SIZE", "=", 1 << 20, 0);
  CALL(dfs_release(file));
  CALL(dfs_open_stat(dfs, NULL, "top.dat", S_IFREG | 0644, 0, 0, 0, NULL, &file, &facts));
  say_file("/top.dat", "OPENS", "n", 1, 0);
  say_file("/top.dat", "CHUNK_SIZE", "=", 1 << 20, 0);
  CALL(dfs_release(file));
  CALL(dfs_stat(dfs, NULL, "never-opened", &facts));
  CALL(dfs_stat(dfs, NULL, "never-opened", &facts));
  say_file("/never-opened", "STATS", "n", 2, 0);
  CALL(dfs_remove(dfs, folder, "gone.dat", false, &oid));
  say_file("/results/gone.dat", "REMOVES", "n", 1, 0);
  /* Calls that fail are not counted. */
  if (dfs_open(dfs, folder, "nothing.dat", S_IFREG, 0, 0, 0, NULL, &none) == 0) exit(3);
  if (dfs_lookup(dfs, "/nowhere", 0, &none, NULL, NULL) == 0) exit(3);
  if (dfs_stat(dfs, folder, "nothing.dat", &facts) == 0) exit(3);
  if (dfs_write(dfs, folder, list(10), 0, NULL) == 0) exit(3);
  CALL(dfs_release(folder));
}

/* --- objects ----------------------------------------------------------------------------- */

/* Returns the description of the data under a key. akey: the key. size: of one element in bytes.
 * recx: the range of elements; NULL for a single value. */
static daos_iod_t iod_of(const char *akey, daos_iod_type_t type, size_t size, daos_recx_t *recx) {
  daos_iod_t iod = {.iod_type = type, .iod_size = size, .iod_nr = 1, .iod_recxs = recx};
  iod.iod_name = (d_iov_t){(void *)(uintptr_t)akey, strlen(akey), strlen(akey)};
  return iod;
}

/* Writes and reads an open object, with and without events. */
static void fetches(daos_handle_t oh, daos_obj_id_t oid) {
  daos_recx_t recx = {0, 50};
  daos_iod_t iod[2] = {iod_of("one", DAOS_IOD_SINGLE, 700, NULL),
                       iod_of("many", DAOS_IOD_ARRAY, 8, &recx)};
  d_sg_list_t sgls[2];
  d_iov_t iovs[2] = {{memory, 1000, 1000}, {memory + 1000, 400, 400}};
  for (int i = 0; i < 2; i++)
    sgls[i] = (d_sg_list_t){1, 0, &iovs[i]};
  CALL(daos_obj_update(oh, DAOS_TX_NONE, 0, &iod[0].iod_name, 2, iod, sgls, NULL));
  say_object(oid, "OBJ_UPDATES", "w", 700 + 50 * 8, 0);
  iod[0].iod_size = 0; /* the library tells it */
  CALL(daos_obj_fetch(oh, DAOS_TX_NONE, 0, &iod[0].iod_name, 1, iod, sgls, NULL, NULL));
  say_object(oid, "OBJ_FETCHES", "r", 700, 0);
  iod[0].iod_size = 0; /* later: until then the room counts */
  CALL(daos_obj_fetch(oh, DAOS_TX_NONE, 0, &iod[0].iod_name, 1, iod, sgls, NULL, event()));
  say_object(oid, "OBJ_FETCHES", "r", 1000, 1);
  CALL(daos_obj_fetch(oh, DAOS_TX_NONE, 0, &iod[0].iod_name, 1, iod, NULL, NULL, NULL));
  say_object(oid, "OBJ_FETCHES", "r", 0, 0); /* only the size */
  wait_by_poll();
}

/* Makes all calls about an object. */
static void object(void) {
  daos_obj_id_t oid = {17, 3};
  daos_key_t key = {memory, 4, 4};
  daos_handle_t oh;
  daos_size_t size;
  uint32_t n = 0;
  daos_event_t *ev = event();
  CALL(daos_obj_open(container, oid, 0, &oh, ev)); /* the handle is there at once */
  say_object(oid, "OBJ_OPENS", "n", 1, 1);
  fetches(oh, oid);
  wait_by_test(ev);
  CALL(daos_obj_punch_akeys(oh, DAOS_TX_NONE, 0, &key, 1, &key, NULL));
  say_object(oid, "OBJ_AKEY_PUNCHES", "n", 1, 0);
  CALL(daos_obj_punch_dkeys(oh, DAOS_TX_NONE, 0, 1, &key, NULL));
  say_object(oid, "OBJ_DKEY_PUNCHES", "n", 1, 0);
  CALL(daos_obj_list_dkey(oh, DAOS_TX_NONE, &n, NULL, NULL, NULL, NULL));
  say_object(oid, "OBJ_DKEY_LISTS", "n", 1, 0);
  CALL(daos_obj_list_akey(oh, DAOS_TX_NONE, &key, &n, NULL, NULL, NULL, NULL));
  say_object(oid, "OBJ_AKEY_LISTS", "n", 1, 0);
  CALL(daos_obj_list_recx(oh, DAOS_TX_NONE, &key, &key, &size, &n, NULL, NULL, NULL, true, NULL));
  if (n != 1) exit(4); /* all eleven arguments have arrived */
  say_object(oid, "OBJ_RECX_LISTS", "n", 1, 0);
  CALL(daos_obj_punch(oh, DAOS_TX_NONE, 0, event()));
  say_object(oid, "OBJ_PUNCHES", "n", 1, 1);
  wait_by_poll();
  CALL(daos_obj_close(oh, NULL));
}

/* Writes and reads an open array. ev: of the write; NULL: none. */
static void cells(daos_handle_t oh, daos_obj_id_t oid, daos_event_t *ev) {
  daos_range_t ranges[2] = {{0, 30}, {40, 20}};
  daos_array_iod_t iod = {2, ranges, 0, 0};
  CALL(daos_array_write(oh, DAOS_TX_NONE, &iod, list(50 * 16), ev));
  say_object(oid, "ARRAY_WRITES", "w", 50 * 16, ev != NULL);
  CALL(daos_array_read(oh, DAOS_TX_NONE, &iod, list(50 * 16), NULL));
  say_object(oid, "ARRAY_READS", "r", 50 * 16, 0);
}

/* Makes all calls about an array. */
static void array(void) {
  daos_obj_id_t oid = {18, (uint64_t)DAOS_OT_ARRAY << 56 | 5};
  daos_handle_t made, oh = {0}, third;
  daos_size_t cell = 0, chunk = 0, size;
  CALL(daos_array_create(container, oid, DAOS_TX_NONE, 16, 1024, &made, NULL));
  say_object(oid, "ARRAY_OPENS", "n", 1, 0);
  say_object(oid, "OBJ_OTYPE", "=", DAOS_OT_ARRAY, 0);
  say_object(oid, "ARRAY_CELL_SIZE", "=", 16, 0);
  say_object(oid, "ARRAY_CHUNK_SIZE", "=", 1024, 0);
  cells(made, oid, event());
  CALL(daos_array_open(container, oid, DAOS_TX_NONE, 0, &cell, &chunk, &oh, event()));
  say_object(oid, "ARRAY_OPENS", "n", 1, 1);
  wait_by_poll(); /* now the handle is there */
  if (!oh.cookie || cell != 16) exit(5);
  cells(oh, oid, NULL);
  CALL(daos_array_open_with_attr(container, oid, DAOS_TX_NONE, 0, 16, 1024, &third, NULL));
  say_object(oid, "ARRAY_OPENS", "n", 1, 0);
  CALL(daos_array_get_size(third, DAOS_TX_NONE, &size, NULL));
  say_object(oid, "ARRAY_GET_SIZES", "n", 1, 0);
  CALL(daos_array_set_size(third, DAOS_TX_NONE, 10, NULL));
  say_object(oid, "ARRAY_SET_SIZES", "n", 1, 0);
  CALL(daos_array_stat(third, DAOS_TX_NONE, memory, NULL));
  say_object(oid, "ARRAY_STATS", "n", 1, 0);
  daos_array_iod_t iod = {0, NULL, 0, 0};
  CALL(daos_array_punch(third, DAOS_TX_NONE, &iod, NULL));
  say_object(oid, "ARRAY_PUNCHES", "n", 1, 0);
  CALL(daos_array_destroy(third, DAOS_TX_NONE, NULL));
  say_object(oid, "ARRAY_DESTROYS", "n", 1, 0);
  CALL(daos_array_close(made, NULL));
  CALL(daos_array_close(oh, NULL));
  CALL(daos_array_close(third, NULL));
  CALL(daos_array_open(container, (daos_obj_id_t){1, 1}, DAOS_TX_NONE, 0, &cell, &chunk, &oh,
                       event())); /* there is none, as its event says */
  say_object((daos_obj_id_t){1, 1}, "ARRAY_OPENS", "n", 1, 1);
  daos_event_t *done[1];
  if (daos_eq_poll(queue, 0, -1, 1, done) != 1 || done[0]->ev_error == 0) exit(6);
}

/* Makes all calls about keys and values. */
static void keys(void) {
  daos_obj_id_t oid = {19, (uint64_t)DAOS_OT_KV_HASHED << 56};
  daos_handle_t oh;
  daos_size_t size = sizeof(memory);
  uint32_t n = 0;
  CALL(daos_kv_open(container, oid, 0, &oh, NULL));
  say_object(oid, "KV_OPENS", "n", 1, 0);
  say_object(oid, "OBJ_OTYPE", "=", DAOS_OT_KV_HASHED, 0);
  CALL(daos_kv_put(oh, DAOS_TX_NONE, 0, "a key", 12345, memory, NULL));
  say_object(oid, "KV_PUTS", "w", 12345, 0);
  CALL(daos_kv_get(oh, DAOS_TX_NONE, 0, "a key", &size, NULL, NULL));
  say_object(oid, "KV_GETS", "r", 0, 0); /* only the size */
  CALL(daos_kv_get(oh, DAOS_TX_NONE, 0, "a key", &size, memory, NULL));
  say_object(oid, "KV_GETS", "r", 12345, 0);
  if (daos_kv_get(oh, DAOS_TX_NONE, 0, "no key", &size, memory, NULL) == 0) exit(7);
  CALL(daos_kv_list(oh, DAOS_TX_NONE, &n, NULL, NULL, NULL, NULL));
  say_object(oid, "KV_LISTS", "n", 1, 0);
  CALL(daos_kv_remove(oh, DAOS_TX_NONE, 0, "a key", NULL));
  say_object(oid, "KV_REMOVES", "n", 1, 0);
  CALL(daos_kv_destroy(oh, DAOS_TX_NONE, NULL));
  say_object(oid, "KV_DESTROYS", "n", 1, 0);
  CALL(daos_kv_close(oh, NULL));
}

/* Opens pool, container and file system: by labels or, if `from_elsewhere`, by handles as from
 * another process. The runtime must learn the UUIDs in both cases. Ends the program on failure. */
static void begin(int from_elsewhere) {
  char pool_label[] = "a pool", label[] = "a container";
  d_iov_t pool_glob = {pool_label, sizeof(pool_label), sizeof(pool_label)};
  d_iov_t glob = {label, sizeof(label), sizeof(label)};
  daos_cont_info_t info;
  CALL(daos_init());
  CALL(daos_eq_create(&queue));
  if (daos_pool_connect2("nowhere", NULL, 0, &pool, NULL, NULL) == 0) exit(8);
  if (from_elsewhere) {
    CALL(daos_pool_global2local(pool_glob, &pool));
    CALL(daos_cont_global2local(pool, glob, &container));
    CALL(dfs_global2local(pool, container, 0, glob, &dfs));
    return;
  }
  CALL(daos_pool_connect2(pool_label, NULL, 0, &pool, NULL, NULL));
  CALL(daos_cont_open2(pool, label, 0, &container, &info, NULL));
  if (memcmp(info.ci_uuid, label, sizeof(label)) != 0) exit(9);
  CALL(dfs_mount(pool, container, 0, &dfs));
}

/* Makes all calls. how: "elsewhere": with handles of another process; "objects": without files. */
int every(const char *how) {
  begin(strcmp(how, "elsewhere") == 0);
  if (strcmp(how, "objects") != 0) files();
  object();
  array();
  keys();
  CALL(dfs_umount(dfs));
  CALL(daos_cont_close(container, NULL));
  CALL(daos_pool_disconnect(pool, NULL));
  fflush(stdout);
  return 0;
}

#ifndef PLUGIN
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  every(how);
  return strcmp(how, "killed") == 0 ? raise(SIGKILL) : 0;
}
#endif
