/* Cases for the selections and sizes of reads and writes. */
#include "facts.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* Describes a dataset of doubles. */
static struct dataset matrix(const char *name, hsize_t rows, hsize_t columns) {
  return (struct dataset){.file = "a.h5",
                          .name = name,
                          .type = H5T_NATIVE_DOUBLE,
                          .dims = 2,
                          .length = {rows, columns}};
}

/* Describes a dataset of bytes. */
static struct dataset vector(const char *name, hsize_t length) {
  return (struct dataset){
      .file = "a.h5", .name = name, .type = H5T_STD_I8LE, .dims = 1, .length = {length}};
}

static void close_both(struct dataset *data, hid_t file) {
  dataset_close(data);
  file_close(file, "a.h5");
}

/* Reads and writes with each kind of selection: all, none, slabs, irregular ones and points. */
void case_selections(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = matrix("/d", 64, 64);
  dataset_create(&data, file);
  const struct selection slab = {.kind = REGULAR, .count = {4, 5}};
  const struct selection blocks = {
      .kind = REGULAR, .count = {3, 2}, .block = {2, 4}, .stride = {4, 5}};
  const struct selection whole = {.kind = REGULAR, .count = {64, 64}};
  const struct selection row = {.kind = REGULAR, .count = {1, 64}, .stride = {7, 1}};
  const struct selection irregular = {.kind = IRREGULAR, .points = 5};
  const struct selection points = {.kind = POINTS, .points = 9};
  const struct selection none = {.kind = NONE};
  dataset_write(&data, &EVERYTHING);
  dataset_write(&data, &slab);
  dataset_write(&data, &blocks);
  dataset_write(&data, &blocks);
  dataset_write(&data, &irregular);
  dataset_write(&data, &points);
  dataset_write(&data, &none);
  dataset_read(&data, &whole);
  dataset_read(&data, &row);
  dataset_read(&data, &irregular);
  dataset_read(&data, &irregular);
  dataset_read(&data, &points);
  dataset_read(&data, &none);
  dataset_read(&data, &EVERYTHING);
  close_both(&data, file);
}

/* Transfers datasets with one to seven dimensions, contiguous and chunked. */
void case_dimensions(void) {
  static const char *names[2][7] = {
      {"/c1", "/c2", "/c3", "/c4", "/c5", "/c6", "/c7"},
      {"/k1", "/k2", "/k3", "/k4", "/k5", "/k6", "/k7"},
  };
  hid_t file = file_create("a.h5");
  for (int chunked = 0; chunked < 2; chunked++)
    for (int dims = 1; dims <= 7; dims++) {
      struct dataset data = {
          .file = "a.h5", .name = names[chunked][dims - 1], .type = H5T_NATIVE_FLOAT, .dims = dims};
      struct selection some = {.kind = REGULAR};
      for (int i = 0; i < dims; i++) {
        data.length[i] = (hsize_t)(4 + i);
        if (chunked) data.chunk[i] = (hsize_t)(1 + i % 3);
        some.count[i] = 2;
        some.stride[i] = (hsize_t)(2 + (i == 1));
        some.block[i] = (hsize_t)(1 + (i == 2));
      }
      dataset_create(&data, file);
      dataset_write(&data, &some);
      dataset_read(&data, &EVERYTHING);
      dataset_read(&data, &some);
      dataset_close(&data);
    }
  file_close(file, "a.h5");
}

/* Transfers datasets with different element sizes, a scalar, an empty dataspace, and a type in
 * memory that differs from that in the file. */
void case_types(void) {
  hid_t file = file_create("a.h5");
  hid_t text = MUST(H5Tcopy(H5T_C_S1));
  MUST(H5Tset_size(text, 33));
  hid_t pair = MUST(H5Tcreate(H5T_COMPOUND, 12));
  MUST(H5Tinsert(pair, "a", 0, H5T_NATIVE_INT));
  MUST(H5Tinsert(pair, "b", 4, H5T_NATIVE_DOUBLE));
  const hid_t types[] = {text, pair, H5T_IEEE_F64BE, H5T_STD_U8LE};
  const char *names[] = {"/text", "/pair", "/double", "/byte"};
  for (int i = 0; i < 4; i++) {
    struct dataset data = vector(names[i], 10);
    data.type = types[i];
    dataset_create(&data, file);
    dataset_write(&data, &EVERYTHING);
    dataset_read(&data, &EVERYTHING);
    dataset_close(&data);
  }
  struct dataset scalar = {.file = "a.h5", .name = "/scalar", .type = H5T_STD_I64LE};
  dataset_create(&scalar, file);
  dataset_write(&scalar, &EVERYTHING);
  dataset_close(&scalar);
  struct dataset empty = vector("/empty", 0);
  empty.chunk[0] = 4;
  dataset_create(&empty, file);
  dataset_write(&empty, &EVERYTHING);
  dataset_close(&empty);
  struct dataset converted = vector("/converted", 10);
  converted.type = H5T_IEEE_F64BE;
  dataset_create(&converted, file);
  float values[10] = {0};
  MUST(H5Dwrite(converted.id, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  say_transfer("write", &converted, 80, &EVERYTHING);
  dataset_close(&converted);
  MUST(H5Tclose(text));
  MUST(H5Tclose(pair));
  file_close(file, "a.h5");
}

/* Reads the first rows and columns of a dataset several times. */
static void read_rows(struct dataset *data, hsize_t rows, hsize_t columns, int times) {
  const struct selection some = {.kind = REGULAR, .count = {rows, columns}};
  for (int i = 0; i < times; i++)
    dataset_read(data, &some);
}

/* Reads different numbers of rows and columns. Three of them have the same size, but are different
 * accesses. */
void case_common_accesses(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = matrix("/d", 64, 64);
  dataset_create(&data, file);
  dataset_write(&data, &EVERYTHING);
  read_rows(&data, 2, 8, 3);
  read_rows(&data, 8, 2, 5);
  read_rows(&data, 4, 4, 4);
  read_rows(&data, 16, 16, 4);
  read_rows(&data, 1, 1, 1);
  read_rows(&data, 3, 3, 2);
  close_both(&data, file);
}

/* Makes more different accesses than the 32 that the runtime remembers. */
void case_many_accesses(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = vector("/d", 400);
  dataset_create(&data, file);
  for (hsize_t i = 1; i <= 40; i++) {
    const struct selection some = {.kind = REGULAR, .count = {i}};
    dataset_write(&data, &some);
  }
  for (hsize_t i = 40; i > 20; i--) {
    const struct selection some = {.kind = REGULAR, .count = {i}};
    dataset_read(&data, &some);
    if (i % 3 == 0) dataset_read(&data, &some);
  }
  close_both(&data, file);
}

/* Alternates between writes and reads of the whole dataset in an irregular pattern. */
void case_switches(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = matrix("/d", 4, 4);
  dataset_create(&data, file);
  const char *pattern = "wrrwwrwrrrw";
  for (const char *at = pattern; *at; at++) {
    if (*at == 'w')
      dataset_write(&data, &EVERYTHING);
    else
      dataset_read(&data, &EVERYTHING);
  }
  close_both(&data, file);
}

/* Writes or reads sizes at the bounds of the histogram's bins and one byte above, except for those
 * that would take long. */
void case_sizes(void) {
  static const hsize_t limits[] = {100, 1024, 10240, 102400, 1048576, 4194304, 10485760};
  hid_t file = file_create("a.h5");
  struct dataset data = vector("/d", 10485762);
  dataset_create(&data, file);
  for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
    const struct selection most = {.kind = REGULAR, .count = {limits[i]}};
    const struct selection more = {.kind = REGULAR, .count = {limits[i] + 1}};
    dataset_write(&data, &most);
    dataset_write(&data, &more);
    dataset_read(&data, &more);
  }
  close_both(&data, file);
}

/* Writes lines to a stream. */
static void *other_work(void *unused) {
  FILE *stream = fopen("other", "w");
  for (int i = 0; stream && i < 2000; i++) {
    fprintf(stream, "%d\n", i);
    if (i % 10 == 0) fflush(stream);
  }
  if (stream) fclose(stream);
  return unused;
}

/* Uses HDF5 in one thread and streams in another, in parallel. */
void case_threads(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, other_work, NULL) != 0) MUST(-1);
  hid_t file = file_create("a.h5");
  struct dataset data = matrix("/d", 64, 64);
  dataset_create(&data, file);
  for (int i = 0; i < 200; i++) {
    dataset_write(&data, &EVERYTHING);
    MUST(H5Fflush(file, H5F_SCOPE_LOCAL));
    say_file("flush", "a.h5");
  }
  pthread_join(thread, NULL);
  close_both(&data, file);
}
