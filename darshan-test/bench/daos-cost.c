/* Measures the runtime's cost for calls of DAOS: daos-cost KIND CALLS. It is linked with stand-ins
 * for libdaos and libdfs, which return results from memory. Prints nanoseconds of processor time
 * per call, in the fastest of LOOPS loops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../daos/daos.h"
#include "processor-time.h"

enum { BYTES = 64, LOOPS = 40 };

static daos_handle_t container, array, values;
static dfs_t *dfs;
static dfs_obj_t *file;
static char memory[BYTES];
static d_iov_t piece = {memory, BYTES, BYTES};
static d_sg_list_t list = {1, 0, &piece};

/* Ends the program if a call failed. */
static void must(int result) {
  if (result != 0) exit(1);
}

/* Opens a container, a file, an array and a key-value object. */
static void prepare(void) {
  daos_handle_t pool;
  daos_pool_info_t of_pool;
  daos_cont_info_t of_container;
  must(daos_init());
  must(daos_pool_connect2("a pool", NULL, 0, &pool, &of_pool, NULL));
  must(daos_cont_open2(pool, "a container", 0, &container, &of_container, NULL));
  must(dfs_mount(pool, container, 0, &dfs));
  must(dfs_open(dfs, NULL, "wave", S_IFREG | 0644, 0, 0, 4096, NULL, &file));
  must(dfs_write(dfs, file, &list, 0, NULL));
  must(daos_array_create(container, (daos_obj_id_t){7, 3}, DAOS_TX_NONE, 1, 4096, &array, NULL));
  must(daos_kv_open(container, (daos_obj_id_t){8, 3}, 2, &values, NULL));
  must(daos_kv_put(values, DAOS_TX_NONE, 0, "key", BYTES, memory, NULL));
}

/* Reads the file once. */
static void file_read(void) {
  daos_size_t moved;
  must(dfs_read(dfs, file, &list, 0, &moved, NULL));
}

/* Writes the file once. */
static void file_write(void) {
  must(dfs_write(dfs, file, &list, 0, NULL));
}

/* Opens and releases the file once. */
static void file_open(void) {
  dfs_obj_t *opened;
  must(dfs_open(dfs, NULL, "wave", S_IFREG | 0644, 0, 0, 4096, NULL, &opened));
  must(dfs_release(opened));
}

/* Writes 64 bytes to the array once. */
static void array_write(void) {
  daos_range_t range = {0, BYTES};
  daos_array_iod_t iod = {1, &range, 0, 0};
  must(daos_array_write(array, DAOS_TX_NONE, &iod, &list, NULL));
}

/* Gets the value of the key once. */
static void key_get(void) {
  daos_size_t size = BYTES;
  must(daos_kv_get(values, DAOS_TX_NONE, 0, "key", &size, memory, NULL));
}

static const struct {
  const char *name;
  void (*call)(void);
} kinds[] = {
    {"read", file_read},    {"write", file_write}, {"open", file_open},
    {"array", array_write}, {"key", key_get},
};

int main(int argc, char **argv) {
  long calls = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (calls < LOOPS) return 2;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (strcmp(kinds[i].name, argv[1]) == 0) {
      prepare();
      kinds[i].call(); /* the first call has extra costs */
      printf("%.1f\n", fastest_loop(kinds[i].call, calls, LOOPS));
      return 0;
    }
  return 2;
}
