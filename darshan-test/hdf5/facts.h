/* HDF5 operations that print facts about themselves. A fact is a line with tabs between its fields;
 * the test computes the expected records from the facts:\n file open|flush|close FILE\n dataset
 * open|referred FILE NAME deprecated(0|1) element-size dimensions chunk\n dataset read|write FILE
 * NAME bytes kind lengths strides\n dataset extent FILE NAME dimensions\n dataset flush|close FILE
 * NAME\n meta COUNTER FILE\n flushed FILE (a group of the file; a meta fact names its
 * counter)\nLists have commas; an empty list is "-". element-size is in bytes; dimensions, chunk,
 * lengths and strides are in elements. Facts come from the arguments of a case, never from queries
 * to the library. */
#ifndef HDF5_TEST_FACTS_H
#define HDF5_TEST_FACTS_H

#include <hdf5.h>

enum { MOST_DIMS = 8 };

enum selection_kind { ALL, NONE, REGULAR, IRREGULAR, POINTS };

/* The selection of a transfer in the file. REGULAR: one hyperslab; a stride or block of 0 means
 * that it is not given. IRREGULAR and POINTS: `points` elements in every second row, the last one a
 * row further; IRREGULAR selects them as hyperslabs, POINTS as a list of elements. */
struct selection {
  enum selection_kind kind;
  hsize_t count[MOST_DIMS], block[MOST_DIMS], stride[MOST_DIMS];
  hsize_t points;
};

/* A dataset to be created or opened. */
struct dataset {
  const char *file; /* as the program opened it */
  const char *name; /* full path inside the file */
  hid_t type;       /* of an element in the file */
  int dims;         /* number of dimensions; 0: scalar */
  hsize_t length[MOST_DIMS];
  hsize_t chunk[MOST_DIMS]; /* in elements; first one 0: contiguous */
  hid_t id;
};

/* Ends the program with a message if an HDF5 call failed (result < 0); otherwise returns its
 * result. what: the call. */
hid_t must(hid_t result, const char *what);
#define MUST(call) must((hid_t)(call), #call)

/* Prints a fact about a file. what: "open", "flush" or "close". */
void say_file(const char *what, const char *file);
/* Prints that an operation on attributes, groups, links, objects or types belongs to this counter
 * of the file. */
void say_meta(const char *counter, const char *file);
/* Prints a fact about a dataset. what: "flush" or "close". */
void say_dataset(const char *what, const struct dataset *dataset);
/* Prints that a dataset was created or opened. deprecated: 1 if by a deprecated call, else 0. */
void say_opened(const struct dataset *dataset, int deprecated);
/* Prints that a dataset was opened by a reference and will be read or written: the open counts for
 * the file. */
void say_referred(const struct dataset *dataset);
/* Prints that a dataset has new dimensions (dataset->length). */
void say_extent(const struct dataset *dataset);
/* Prints that elements were read or written. what: "read" or "write". bytes: of the selection, with
 * the element type in the file. */
void say_transfer(const char *what, const struct dataset *dataset, hsize_t bytes,
                  const struct selection *selection);

/* Creates a file, prints the fact, and returns its id. */
hid_t file_create(const char *name);
/* Opens a file for reading and writing, prints the fact, and returns its id. */
hid_t file_open(const char *name);
/* Closes a file and prints the fact. name: as it was opened. */
void file_close(hid_t file, const char *name);

/* Creates the dataset by H5Dcreate2 below the object `at`, with the last component of the dataset's
 * full name. Stores its id in the struct and prints the fact. */
void dataset_create(struct dataset *dataset, hid_t at);
/* Opens the dataset by H5Dopen2 with its full name. Stores its id in the struct and prints the
 * fact. */
void dataset_open(struct dataset *dataset, hid_t file);
/* Closes the dataset by H5Dclose, and prints the fact. */
void dataset_close(struct dataset *dataset);

/* Returns the creation properties of a dataset: its chunks, if it has any. The caller closes the
 * id. */
hid_t dataset_properties(const struct dataset *dataset);
/* Returns the dataspace, which can grow if the dataset is chunked; the caller closes the id. */
hid_t dataset_space(const struct dataset *dataset);

/* Transfer the selected elements by H5Dread and H5Dwrite, with the element type that the dataset
 * has in the file, and print the fact. */
void dataset_read(struct dataset *dataset, const struct selection *selection);
void dataset_write(struct dataset *dataset, const struct selection *selection);

/* The whole dataset, as H5S_ALL. */
extern const struct selection EVERYTHING;

/* The cases by name, for a table in main.c. */
#define HDF5_CASES(CASE)                                                                           \
  CASE(files)                                                                                      \
  CASE(reopened_file)                                                                              \
  CASE(file_open_at_exit)                                                                          \
  CASE(dataset_outlives_file)                                                                      \
  CASE(ids_again)                                                                                  \
  CASE(forked)                                                                                     \
  CASE(many_files)                                                                                 \
  CASE(failures)                                                                                   \
  CASE(relative_names)                                                                             \
  CASE(creates)                                                                                    \
  CASE(opens)                                                                                      \
  CASE(references_looked_at)                                                                       \
  CASE(object_opens)                                                                               \
  CASE(closes)                                                                                     \
  CASE(anonymous)                                                                                  \
  CASE(selections)                                                                                 \
  CASE(dimensions)                                                                                 \
  CASE(types)                                                                                      \
  CASE(common_accesses)                                                                            \
  CASE(many_accesses)                                                                              \
  CASE(switches)                                                                                   \
  CASE(sizes)                                                                                      \
  CASE(extents)                                                                                    \
  CASE(external)                                                                                   \
  CASE(many_datasets)                                                                              \
  CASE(stored_chunks)                                                                              \
  CASE(swmr)                                                                                       \
  CASE(attributes)                                                                                 \
  CASE(groups)                                                                                     \
  CASE(links)                                                                                      \
  CASE(objects)                                                                                    \
  CASE(more_objects)                                                                               \
  CASE(more_links)                                                                                 \
  CASE(datatypes)                                                                                  \
  CASE(callbacks)                                                                                  \
  CASE(threads)

#define DECLARE(name) void case_##name(void);
HDF5_CASES(DECLARE)
#undef DECLARE

#endif
