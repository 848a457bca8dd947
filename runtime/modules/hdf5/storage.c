/* Separates raw data from metadata, if DARSHAN_HDF5_STORAGE is set: before a dataset is closed,
 * queries the library for the addresses of its data, and compares these with the bytes that POSIX
 * calls below the dataset's calls accessed. */
#include "hdf5.h"

#include "../posix/posix.h"
#include "modules/hdf5/records.h"
#include "modules/layers/records.h"

enum {
  CONTIGUOUS = 1,
  CHUNKED = 2,
  /* Largest number of chunks that are queried: walking the index of chunks takes quadratic time in
   * some versions. */
  MOST_CHUNKS = 4096
};

/* A dataset's raw data that were read and written so far. */
struct overlap {
  const struct layer_extents *extents[2]; /* what POSIX read, wrote; NULL: nothing */
  uint64_t file;                          /* number of the POSIX file, shifted as in the extents */
  int64_t bytes[2]; /* sum over the raw data that were compared: read, written */
};

/* Compares raw data at this address (offset in the file) with the bytes that were accessed. */
static void add(struct overlap *overlap, uint64_t address, uint64_t size) {
  for (int i = 0; i < 2; i++)
    if (overlap->extents[i])
      overlap->bytes[i] +=
          (int64_t)extents_overlap(overlap->extents[i], overlap->file | address, size);
}

/* Adds up in overlap->bytes how many bytes of each chunk of the dataset were accessed. Returns 1,
 * or 0 if the library cannot report the chunks or there are more than MOST_CHUNKS. */
static int visit_chunks(struct h5_library *lib, int64_t id, struct overlap *overlap) {
  uint64_t n = 0, address, size, offset[32];
  unsigned filters;
  if (!lib->H5Dget_num_chunks || !lib->H5Dget_chunk_info) return 0;
  int64_t space = lib->H5Dget_space(id); /* some versions reject H5S_ALL here */
  if (space < 0) return 0;
  int told = lib->H5Dget_num_chunks(id, space, &n) >= 0 && n <= MOST_CHUNKS;
  for (uint64_t i = 0; told && i < n; i++)
    if (lib->H5Dget_chunk_info(id, space, i, offset, &filters, &address, &size) >= 0 &&
        address != UINT64_MAX)
      add(overlap, address, size);
  lib->H5Sclose(space);
  return told;
}

static struct overlap overlap_of(const struct h5_dataset *dataset) {
  const struct h5_file *file = h5_file_at(dataset->file);
  struct posix_name name = posix_named(file->name, file->name_length, file->record->base.id);
  const struct layer_part *part = dataset->layer.part;
  return (struct overlap){
      {part->extents[0], part->extents[1]}, (uint64_t)posix_file_find(&name) << 44, {0, 0}};
}

static void note_raw_bytes(struct h5_dataset *dataset, const struct overlap *overlap) {
  struct darshan_layers_record *record = layer_lock(&dataset->layer);
  if (!record) return;
  record->counters[LAYERS_DISTINCT_RAW_BYTES_READ] = overlap->bytes[0];
  record->counters[LAYERS_DISTINCT_RAW_BYTES_WRITTEN] = overlap->bytes[1];
  layer_unlock(&dataset->layer);
}

static void ask(struct h5_library *lib, int64_t id, struct h5_dataset *dataset) {
  if (dataset->layout == CHUNKED) {
    struct overlap overlap = overlap_of(dataset);
    if (visit_chunks(lib, id, &overlap)) note_raw_bytes(dataset, &overlap);
  } else if (dataset->layout == CONTIGUOUS && lib->H5Dget_offset && lib->H5Dget_storage_size) {
    uint64_t address = lib->H5Dget_offset(id);
    dataset->raw_start = address;
    dataset->raw_bytes = address == UINT64_MAX ? 0 : lib->H5Dget_storage_size(id);
  }
}

/* Compares the contiguous data that h5d_before_close has noted with the accessed bytes. Called
 * after the close, because the close may write contiguous data. */
void h5d_after_close(struct h5_dataset *dataset) {
  if (dataset->raw_bytes == 0) return;
  struct overlap overlap = overlap_of(dataset);
  add(&overlap, dataset->raw_start, dataset->raw_bytes);
  dataset->raw_bytes = 0;
  note_raw_bytes(dataset, &overlap);
}

/* Makes the library write the dataset's chunks that are in its cache. H5Dget_num_chunks has this
 * effect; nothing is done if the library lacks it. */
static void write_waiting(struct h5_library *lib, int64_t id) {
  uint64_t n = 0;
  int64_t space = lib->H5Dget_num_chunks ? lib->H5Dget_space(id) : -1;
  if (space < 0) return;
  lib->H5Dget_num_chunks(id, space, &n);
  lib->H5Sclose(space);
}

/* Queries the library for the addresses of the dataset's data, and compares those of chunks with
 * the accessed bytes. The queries make the library write data of the dataset that it has cached.
 * This write counts as a flush in LAYERS, and comes before the comparison. */
void h5d_before_close(struct h5_library *lib, const struct h5_known *known) {
  if (known->kind != H5_DATASET || !known->dataset->layer.part) return;
  struct layer_state *layer = &known->dataset->layer;
  struct layer_frame *frame = layer_push(LAYER_FLUSH, layer);
  uint64_t t1 = ticks_now();
  if (known->dataset->layout == CHUNKED) write_waiting(lib, known->id);
  uint64_t t2 = ticks_after(t1);
  layer_pop(frame, layer, t1, t2);
  frame = layer_push(LAYER_META, layer);
  ask(lib, known->id, known->dataset);
  layer_pop(frame, layer, t2, ticks_after(t2));
}
