/* Cases for creating, opening and closing datasets. */
#include "facts.h"

#include <stdio.h>

/* Describes a dataset of 6 x 10 elements of 2 bytes, in chunks of 3 x 5. */
static struct dataset grid(const char *name) {
  return (struct dataset){.file = "a.h5",
                          .name = name,
                          .type = H5T_STD_I16BE,
                          .dims = 2,
                          .length = {6, 10},
                          .chunk = {3, 5}};
}

/* Creates a dataset by the deprecated H5Dcreate1. */
static hid_t create_old(struct dataset *dataset, hid_t at) {
  hid_t space = dataset_space(dataset), properties = dataset_properties(dataset);
  dataset->id = MUST(H5Dcreate1(at, dataset->name, dataset->type, space, properties));
  say_opened(dataset, 1);
  MUST(H5Pclose(properties));
  MUST(H5Sclose(space));
  return dataset->id;
}

/* Creates datasets in a file and in a group, with the current and the deprecated call, of which one
 * is written. */
void case_creates(void) {
  hid_t file = file_create("a.h5");
  hid_t group = MUST(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  say_meta("GROUP_CREATES", "a.h5");
  struct dataset first = grid("/first"), second = grid("/g/second"), old = grid("/old");
  dataset_create(&first, file);
  dataset_create(&second, group);
  create_old(&old, file);
  dataset_write(&second, &EVERYTHING);
  dataset_close(&first);
  dataset_close(&second);
  dataset_close(&old);
  MUST(H5Gclose(group));
  say_meta("GROUP_OTHER", "a.h5");
  file_close(file, "a.h5");
}

/* Opens datasets with current and with deprecated calls; the record's flag USE_DEPRECATED must be
 * that of the last open. */
void case_opens(void) {
  hid_t file = file_create("a.h5");
  struct dataset old = grid("/old"), new = grid("/new");
  create_old(&old, file);
  dataset_close(&old);
  dataset_open(&old, file);
  dataset_close(&old);
  dataset_create(&new, file);
  dataset_close(&new);
  new.id = MUST(H5Dopen1(file, "new"));
  say_opened(&new, 1);
  struct dataset twice = new;
  twice.id = MUST(H5Dopen1(file, "/new"));
  say_opened(&twice, 1);
  dataset_close(&new);
  dataset_read(&twice, &EVERYTHING);
  dataset_close(&twice);
  file_close(file, "a.h5");
}

/* Reads and closes a dataset that was opened by its name as `id`. */
static void reopened(struct dataset *data, hid_t id) {
  data->id = must(id, data->name);
  say_opened(data, 0);
  dataset_read(data, &EVERYTHING);
  dataset_close(data);
}

/* Prints the facts for a dataset that was opened by a reference, reads it and closes it. The open
 * is counted as OBJECT_OPENS of the file, and as an open of the dataset when data is transferred.
 * id: of the open dataset. */
static void referred_to(struct dataset *data, hid_t id) {
  data->id = must(id, data->name);
  say_meta("OBJECT_OPENS", data->file);
  say_referred(data);
  dataset_read(data, &EVERYTHING);
  dataset_close(data);
}

/* Closes a dataset that was opened by a reference as `id` without reading it. */
static void only_looked_at(hid_t id) {
  MUST(id);
  say_meta("OBJECT_OPENS", "a.h5");
  MUST(H5Dclose(id));
  say_meta("OBJECT_OTHER", "a.h5");
}

/* Opens a dataset by name below a group that was opened by a reference. The dataset must be
 * recorded by its full name. */
static void below_reference(hid_t file) {
  struct dataset inner = grid("/group/inner");
  hid_t group = MUST(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  say_meta("GROUP_CREATES", "a.h5");
  dataset_create(&inner, group);
  dataset_close(&inner);
  MUST(H5Gclose(group));
  say_meta("GROUP_OTHER", "a.h5");
  hobj_ref_t reference;
  MUST(H5Rcreate(&reference, file, "/group", H5R_OBJECT, -1));
  group = MUST(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &reference));
  say_meta("OBJECT_OPENS", "a.h5");
  reopened(&inner, H5Dopen2(group, "inner", H5P_DEFAULT));
  reopened(&inner, H5Oopen(group, "inner", H5P_DEFAULT));
  MUST(H5Gclose(group));
  say_meta("GROUP_OTHER", "a.h5");
}

/* Opens datasets by H5Oopen and similar calls, which open any object, by addresses, and by
 * references, which contain no name. */
void case_object_opens(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = grid("/d"), referred = grid("<by reference>");
  dataset_create(&data, file);
  hobj_ref_t reference;
  MUST(H5Rcreate(&reference, file, "/d", H5R_OBJECT, -1));
  H5O_info_t information;
  MUST(H5Oget_info1(data.id, &information));
  say_meta("OBJECT_OTHER", "a.h5");
  dataset_close(&data);
  reopened(&data, H5Oopen(file, "d", H5P_DEFAULT));
  referred_to(&referred, H5Oopen_by_addr(file, information.addr));
  reopened(&data, H5Oopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
  referred_to(&referred, H5Rdereference1(file, H5R_OBJECT, &reference));
  referred_to(&referred, H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &reference));
  file_close(file, "a.h5");
}

/* Inspects datasets that it opens by references, without a transfer, as netCDF-4 and H5DS do. This
 * must create no record of a dataset. */
void case_references_looked_at(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = grid("/d");
  dataset_create(&data, file);
  dataset_close(&data);
  hobj_ref_t reference;
  MUST(H5Rcreate(&reference, file, "/d", H5R_OBJECT, -1));
  only_looked_at(H5Rdereference1(file, H5R_OBJECT, &reference));
  only_looked_at(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &reference));
  below_reference(file);
  file_close(file, "a.h5");
}

/* Closes a dataset by H5Dclose, H5Oclose and H5Idec_ref. After H5Iinc_ref, the first close leaves
 * the dataset open and must not be counted. */
void case_closes(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = grid("/d");
  dataset_create(&data, file);
  MUST(H5Oclose(data.id));
  say_dataset("close", &data);
  dataset_open(&data, file);
  MUST(H5Iinc_ref(data.id));
  MUST(H5Idec_ref(data.id));
  dataset_write(&data, &EVERYTHING);
  MUST(H5Idec_ref(data.id));
  say_dataset("close", &data);
  dataset_open(&data, file);
  MUST(H5Iinc_ref(data.id));
  dataset_close(&data); /* a call that does not close it */
  dataset_read(&data, &EVERYTHING);
  dataset_close(&data);
  MUST(H5Idec_ref(file));
  say_file("close", "a.h5");
  file = file_open("a.h5");
  file_close(file, "a.h5");
}

/* Creates two datasets without a name at the same time, which must share a record, and then links
 * names to them. path: of the new file. */
static void two_anonymous(const char *path) {
  hid_t file = file_create(path), id[2];
  struct dataset data = grid("?");
  hid_t space = dataset_space(&data), properties = dataset_properties(&data);
  for (int i = 0; i < 2; i++)
    id[i] = MUST(H5Dcreate_anon(file, data.type, space, properties, H5P_DEFAULT));
  MUST(H5Olink(id[0], file, "first", H5P_DEFAULT, H5P_DEFAULT));
  MUST(H5Lcreate_hard(id[1], ".", file, "second", H5P_DEFAULT, H5P_DEFAULT));
  for (int i = 0; i < 2; i++)
    MUST(H5Dclose(id[i]));
  MUST(H5Pclose(properties));
  MUST(H5Sclose(space));
  file_close(file, path);
}

/* Creates a dataset that gets its name only after the first transfer. Its facts are not complete,
 * so a test of its own checks only the transfers. */
void case_anonymous(void) {
  two_anonymous("two.h5");
  hid_t file = file_create("a.h5");
  struct dataset data = grid("?");
  hid_t space = dataset_space(&data), properties = dataset_properties(&data);
  data.id = MUST(H5Dcreate_anon(file, data.type, space, properties, H5P_DEFAULT));
  say_opened(&data, 0);
  dataset_write(&data, &EVERYTHING);
  MUST(H5Olink(data.id, file, "late", H5P_DEFAULT, H5P_DEFAULT));
  say_meta("OBJECT_OTHER", "a.h5");
  dataset_write(&data, &EVERYTHING);
  dataset_close(&data);
  MUST(H5Pclose(properties));
  MUST(H5Sclose(space));
  data = grid("/late");
  dataset_open(&data, file);
  dataset_read(&data, &EVERYTHING);
  dataset_close(&data);
  file_close(file, "a.h5");
}

/* Extends and shrinks a dataset; the number of elements of the selection H5S_ALL must follow the
 * extent. */
void case_extents(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = grid("/d");
  dataset_create(&data, file);
  dataset_write(&data, &EVERYTHING);
  data.length[0] = 12;
  MUST(H5Dset_extent(data.id, data.length));
  say_extent(&data);
  say_meta("SET_EXTENTS", "a.h5");
  dataset_write(&data, &EVERYTHING);
  data.length[1] = 20;
  MUST(H5Dextend(data.id, data.length));
  say_extent(&data);
  say_meta("SET_EXTENTS", "a.h5");
  dataset_read(&data, &EVERYTHING);
  data.length[0] = 2;
  MUST(H5Dset_extent(data.id, data.length));
  say_extent(&data);
  say_meta("SET_EXTENTS", "a.h5");
  dataset_read(&data, &EVERYTHING);
  dataset_close(&data);
  file_close(file, "a.h5");
}

/* Transfers a dataset behind an external link, which must be recorded in the file that contains it.
 * */
void case_external(void) {
  hid_t other = file_create("b.h5"), file = file_create("a.h5");
  struct dataset data = grid("/there");
  data.file = "b.h5";
  dataset_create(&data, other);
  dataset_write(&data, &EVERYTHING);
  dataset_close(&data);
  file_close(other, "b.h5");
  MUST(H5Lcreate_external("b.h5", "/there", file, "link", H5P_DEFAULT, H5P_DEFAULT));
  say_meta("LINK_CREATES", "a.h5");
  data.id = MUST(H5Dopen2(file, "link", H5P_DEFAULT));
  say_opened(&data, 0);
  dataset_read(&data, &EVERYTHING);
  dataset_close(&data);
  file_close(file, "a.h5");
}

/* Creates 3,000 datasets, more than a module may have records in the test. */
void case_many_datasets(void) {
  hid_t file = file_create("a.h5");
  for (int i = 0; i < 3000; i++) {
    char name[16];
    snprintf(name, sizeof(name), "/d%d", i);
    struct dataset data = grid(name);
    data.chunk[0] = 0;
    dataset_create(&data, file);
    dataset_write(&data, &EVERYTHING);
    dataset_close(&data);
  }
  file_close(file, "a.h5");
}

/* Transfers chunks as they are stored, by H5Dwrite_chunk and H5Dread_chunk, which must be counted
 * with their size in the file. */
void case_stored_chunks(void) {
  enum { BYTES = 3 * 5 * 2 };
  hid_t file = file_create("a.h5");
  struct dataset data = grid("/d");
  dataset_create(&data, file);
  char chunk[BYTES] = {1, 2, 3};
  const struct selection none = {.kind = NONE};
  for (hsize_t i = 0; i < 2; i++) {
    hsize_t at[2] = {3 * i, 5};
    MUST(H5Dwrite_chunk(data.id, H5P_DEFAULT, 0, at, BYTES, chunk));
    say_transfer("write", &data, BYTES, &none);
    say_meta("CHUNK_WRITES", "a.h5");
  }
  hsize_t at[2] = {3, 5};
  uint32_t filters = 0;
  MUST(H5Dread_chunk(data.id, H5P_DEFAULT, at, &filters, chunk));
  say_transfer("read", &data, BYTES, &none);
  say_meta("CHUNK_READS", "a.h5");
  dataset_close(&data);
  file_close(file, "a.h5");
}

/* Writes a dataset in single-writer mode, with flushes and a refresh. */
void case_swmr(void) {
  hid_t access = MUST(H5Pcreate(H5P_FILE_ACCESS));
  MUST(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  hid_t file = MUST(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  say_file("open", "a.h5");
  struct dataset data = grid("/d");
  dataset_create(&data, file);
  MUST(H5Fstart_swmr_write(file));
  say_meta("SWMR_STARTS", "a.h5");
  for (int i = 0; i < 3; i++) {
    dataset_write(&data, &EVERYTHING);
    MUST(H5Dflush(data.id));
    say_dataset("flush", &data);
  }
  MUST(H5Drefresh(data.id));
  say_meta("REFRESHES", "a.h5");
  dataset_close(&data);
  file_close(file, "a.h5");
  MUST(H5Pclose(access));
}
