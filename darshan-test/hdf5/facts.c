/* The functions of facts.h: HDF5 operations, each of which prints a line, from which a test
 * computes the records that the runtime must write. */
#include "facts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct selection EVERYTHING = {.kind = ALL};

hid_t must(hid_t result, const char *what) {
  if (result >= 0) return result;
  fprintf(stderr, "failed: %s\n", what);
  exit(3);
}

/* Prints a tab and a list of n values; "-" if n is 0. */
static void print_list(const hsize_t *values, int n) {
  putchar('\t');
  for (int i = 0; i < n; i++)
    printf("%s%llu", i ? "," : "", (unsigned long long)values[i]);
  if (n <= 0) putchar('-');
}

void say_file(const char *what, const char *file) {
  printf("file\t%s\t%s\n", what, file);
}

void say_meta(const char *counter, const char *file) {
  printf("meta\t%s\t%s\n", counter, file);
}

void say_dataset(const char *what, const struct dataset *dataset) {
  printf("dataset\t%s\t%s\t%s\n", what, dataset->file, dataset->name);
}

/* Prints the fact that a dataset was opened. how: "open" or "referred". deprecated: whether by a
 * deprecated call. */
static void say_met(const char *how, const struct dataset *dataset, int deprecated) {
  printf("dataset\t%s\t%s\t%s\t%d\t%zu", how, dataset->file, dataset->name, deprecated,
         H5Tget_size(dataset->type));
  print_list(dataset->length, dataset->dims);
  print_list(dataset->chunk, dataset->chunk[0] ? dataset->dims : 0);
  putchar('\n');
}

void say_opened(const struct dataset *dataset, int deprecated) {
  say_met("open", dataset, deprecated);
}

void say_referred(const struct dataset *dataset) {
  say_met("referred", dataset, 0);
}

void say_extent(const struct dataset *dataset) {
  printf("dataset\textent\t%s\t%s", dataset->file, dataset->name);
  print_list(dataset->length, dataset->dims);
  putchar('\n');
}

/* Returns the value, or 1 if it is 0. */
static hsize_t or_one(hsize_t value) {
  return value ? value : 1;
}

void say_transfer(const char *what, const struct dataset *dataset, hsize_t bytes,
                  const struct selection *selection) {
  static const char *kinds[] = {"all", "none", "regular", "irregular", "points"};
  printf("dataset\t%s\t%s\t%s\t%llu\t%s", what, dataset->file, dataset->name,
         (unsigned long long)bytes, kinds[selection->kind]);
  hsize_t lengths[MOST_DIMS], strides[MOST_DIMS];
  int dims = selection->kind == REGULAR ? dataset->dims : 0;
  for (int i = 0; i < dims; i++) {
    lengths[i] = selection->count[i] * or_one(selection->block[i]);
    strides[i] = or_one(selection->stride[i]);
  }
  print_list(lengths, dims);
  print_list(strides, dims);
  putchar('\n');
}

hid_t file_create(const char *name) {
  hid_t file = MUST(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  say_file("open", name);
  return file;
}

hid_t file_open(const char *name) {
  hid_t file = MUST(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
  say_file("open", name);
  return file;
}

void file_close(hid_t file, const char *name) {
  MUST(H5Fclose(file));
  say_file("close", name);
}

hid_t dataset_properties(const struct dataset *dataset) {
  hid_t properties = MUST(H5Pcreate(H5P_DATASET_CREATE));
  if (dataset->chunk[0]) MUST(H5Pset_chunk(properties, dataset->dims, dataset->chunk));
  return properties;
}

hid_t dataset_space(const struct dataset *dataset) {
  if (dataset->dims == 0) return MUST(H5Screate(H5S_SCALAR));
  hsize_t most[MOST_DIMS];
  for (int i = 0; i < dataset->dims; i++)
    most[i] = dataset->chunk[0] ? H5S_UNLIMITED : dataset->length[i];
  return MUST(H5Screate_simple(dataset->dims, dataset->length, most));
}

void dataset_create(struct dataset *dataset, hid_t at) {
  const char *name = strrchr(dataset->name, '/') + 1;
  hid_t space = dataset_space(dataset), properties = dataset_properties(dataset);
  dataset->id =
      MUST(H5Dcreate2(at, name, dataset->type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  say_opened(dataset, 0);
  MUST(H5Pclose(properties));
  MUST(H5Sclose(space));
}

void dataset_open(struct dataset *dataset, hid_t file) {
  dataset->id = MUST(H5Dopen2(file, dataset->name, H5P_DEFAULT));
  say_opened(dataset, 0);
}

void dataset_close(struct dataset *dataset) {
  MUST(H5Dclose(dataset->id));
  say_dataset("close", dataset);
}

/* Selects `points` single elements with a distance of two in the first dimension, as the
 * selection's kind says. The last one has a distance of three, so that together they are not a
 * regular slab. */
static void select_elements(hid_t space, const struct dataset *dataset,
                            const struct selection *selection) {
  hsize_t n = selection->points;
  hsize_t *at = calloc((size_t)n * (size_t)dataset->dims, sizeof(*at));
  if (!at) abort();
  for (hsize_t i = 0; i < n; i++)
    at[i * (hsize_t)dataset->dims] = 2 * i + (i + 1 == n);
  if (selection->kind == POINTS) MUST(H5Sselect_elements(space, H5S_SELECT_SET, n, at));
  hsize_t one[MOST_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
  if (selection->kind == IRREGULAR) MUST(H5Sselect_none(space));
  for (hsize_t i = 0; selection->kind == IRREGULAR && i < n; i++)
    MUST(H5Sselect_hyperslab(space, H5S_SELECT_OR, at + i * (hsize_t)dataset->dims, NULL, one,
                             NULL));
  free(at);
}

/* Returns the number of elements that are selected. */
static hsize_t selected(const struct dataset *dataset, const struct selection *selection) {
  if (selection->kind == NONE) return 0;
  if (selection->kind == IRREGULAR || selection->kind == POINTS) return selection->points;
  hsize_t n = 1;
  for (int i = 0; i < dataset->dims; i++)
    n *= selection->kind == ALL ? dataset->length[i]
                                : selection->count[i] * or_one(selection->block[i]);
  return n;
}

/* Returns H5S_ALL if the selection is the whole dataset, as real programs do; otherwise a new
 * dataspace with the selection, which the caller closes. */
static hid_t file_space(const struct dataset *dataset, const struct selection *selection) {
  if (selection->kind == ALL) return H5S_ALL;
  hid_t space = dataset_space(dataset);
  if (selection->kind == NONE) MUST(H5Sselect_none(space));
  if (selection->kind == REGULAR) {
    const hsize_t zero[MOST_DIMS] = {0};
    const hsize_t *stride = selection->stride[0] ? selection->stride : NULL;
    const hsize_t *block = selection->block[0] ? selection->block : NULL;
    MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, stride, selection->count, block));
  }
  if (selection->kind == POINTS || selection->kind == IRREGULAR)
    select_elements(space, dataset, selection);
  return space;
}

/* Reads, or writes if `write`, the selected elements, and prints the fact. */
static void transfer(struct dataset *dataset, const struct selection *selection, int write) {
  hsize_t n = selected(dataset, selection), room = n ? n : 1;
  hsize_t bytes = n * H5Tget_size(dataset->type);
  void *values = calloc((size_t)room, H5Tget_size(dataset->type));
  if (!values) abort();
  hid_t space = file_space(dataset, selection);
  hid_t memory = H5S_ALL;
  if (space != H5S_ALL) {
    memory = MUST(H5Screate_simple(1, &room, NULL));
    if (n == 0) MUST(H5Sselect_none(memory));
  }
  if (write) {
    for (hsize_t i = 0; i < bytes; i++)
      ((unsigned char *)values)[i] = (unsigned char)(i * 7 + 1);
    MUST(H5Dwrite(dataset->id, dataset->type, memory, space, H5P_DEFAULT, values));
  } else {
    MUST(H5Dread(dataset->id, dataset->type, memory, space, H5P_DEFAULT, values));
  }
  say_transfer(write ? "write" : "read", dataset, bytes, selection);
  if (space != H5S_ALL) {
    MUST(H5Sclose(space));
    MUST(H5Sclose(memory));
  }
  free(values);
}

void dataset_read(struct dataset *dataset, const struct selection *selection) {
  transfer(dataset, selection, 0);
}

void dataset_write(struct dataset *dataset, const struct selection *selection) {
  transfer(dataset, selection, 1);
}
