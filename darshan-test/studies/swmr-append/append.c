/* Appends 32-bit integers to a chunked dataset, one element per H5Dwrite. The options select SWMR
 * (a single writer beside readers), the flush interval, the chunk, and the direction of growth.
 * Prints the seconds from the creation of the file to its close. */
#include <errno.h>
#include <getopt.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum growth { LINE, IN_X, IN_Y, DIAGONAL };
static const char *const growth_names[] = {"line", "x", "y", "diagonal"};

/* The arguments. */
struct task {
  const char *path;
  enum growth growth;
  hsize_t chunk;       /* edge of a chunk, in elements */
  unsigned long count; /* elements to append */
  unsigned long flush; /* flush after so many elements; 0: only when closing */
  int swmr;
  int announce; /* say "ready" when a reader may open the file */
};

static int rank_of(const struct task *task) {
  return task->growth == LINE ? 1 : 2;
}

/* Stores in `extent` the extent after n elements. The last element is at this extent minus 1 in
 * each dimension. */
static void extent_after(const struct task *task, hsize_t n, hsize_t extent[2]) {
  extent[0] = task->growth == IN_X ? 1 : n;
  extent[1] = task->growth == IN_Y ? 1 : n;
}

/* Prints a message and ends the program with status 1. */
static void fail(const char *what) {
  fprintf(stderr, "append: %s failed\n", what);
  exit(1);
}

/* Ends the program if the id is negative; otherwise returns it. */
static hid_t made(hid_t id, const char *what) {
  if (id < 0) fail(what);
  return id;
}

/* Ends the program if the status is negative. */
static void done(herr_t status, const char *what) {
  if (status < 0) fail(what);
}

/* Creates the file and returns its id. The format is the latest one with and without SWMR, so that
 * only the access differs. Ends the program on failure. */
static hid_t create_file(const struct task *task) {
  hid_t access = made(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  done(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "H5Pset_libver_bounds");
  /* Two runs must give the same bytes, so no times in the file. */
  hid_t creation = made(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate");
  done(H5Pset_obj_track_times(creation, 0), "H5Pset_obj_track_times");
  hid_t file = made(H5Fcreate(task->path, H5F_ACC_TRUNC, creation, access), "H5Fcreate");
  done(H5Pclose(creation), "H5Pclose");
  done(H5Pclose(access), "H5Pclose");
  return file;
}

static hid_t create_dataset(const struct task *task, hid_t file) {
  const hsize_t none[2] = {0, 0}, unlimited[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
  const hsize_t chunk[2] = {task->chunk, task->chunk};
  hid_t space = made(H5Screate_simple(rank_of(task), none, unlimited), "H5Screate_simple");
  hid_t creation = made(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
  done(H5Pset_chunk(creation, rank_of(task), chunk), "H5Pset_chunk");
  done(H5Pset_obj_track_times(creation, 0), "H5Pset_obj_track_times");
  hid_t dataset =
      made(H5Dcreate2(file, "elements", H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
           "H5Dcreate2");
  done(H5Pclose(creation), "H5Pclose");
  done(H5Sclose(space), "H5Sclose");
  return dataset;
}

/* Extends the dataset and writes element n (from 0), whose value n + 1 is never the fill value.
 * memory: dataspace of one element. Ends the program on failure. */
static void append_one(const struct task *task, hid_t dataset, hid_t memory, hsize_t n) {
  static const hsize_t one[2] = {1, 1};
  hsize_t extent[2], place[2];
  extent_after(task, n + 1, extent);
  done(H5Dset_extent(dataset, extent), "H5Dset_extent");
  place[0] = extent[0] - 1;
  place[1] = extent[1] - 1;
  hid_t space = made(H5Dget_space(dataset), "H5Dget_space");
  done(H5Sselect_hyperslab(space, H5S_SELECT_SET, place, NULL, one, NULL), "H5Sselect_hyperslab");
  int value = (int)(n + 1);
  done(H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, &value), "H5Dwrite");
  done(H5Sclose(space), "H5Sclose");
}

static void run(const struct task *task) {
  static const hsize_t one[2] = {1, 1};
  hid_t file = create_file(task);
  hid_t dataset = create_dataset(task, file);
  hid_t memory = made(H5Screate_simple(rank_of(task), one, NULL), "H5Screate_simple");
  if (task->swmr) done(H5Fstart_swmr_write(file), "H5Fstart_swmr_write");
  if (task->announce) {
    puts("ready");
    fflush(stdout);
  }
  for (unsigned long n = 0; n < task->count; n++) {
    append_one(task, dataset, memory, n);
    if (task->flush && (n + 1) % task->flush == 0) done(H5Dflush(dataset), "H5Dflush");
  }
  done(H5Sclose(memory), "H5Sclose");
  done(H5Dclose(dataset), "H5Dclose");
  done(H5Fclose(file), "H5Fclose");
}

static void usage(void) {
  fputs("usage: append [--swmr] [--flush N] [--chunk N] [--count N]\n"
        "              [--growth line|x|y|diagonal] [--announce] FILE\n",
        stderr);
  exit(2);
}

static unsigned long number(const char *text) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (errno || *end || !*text || *text == '-' || value > 1000000000) usage();
  return value;
}

static enum growth growth_named(const char *name) {
  for (int i = LINE; i <= DIAGONAL; i++)
    if (!strcmp(name, growth_names[i])) return (enum growth)i;
  usage();
  return LINE;
}

static void parse(int argc, char **argv, struct task *task) {
  static const struct option options[] = {{"swmr", no_argument, NULL, 's'},
                                          {"flush", required_argument, NULL, 'f'},
                                          {"chunk", required_argument, NULL, 'c'},
                                          {"count", required_argument, NULL, 'n'},
                                          {"growth", required_argument, NULL, 'g'},
                                          {"announce", no_argument, NULL, 'a'},
                                          {NULL, 0, NULL, 0}};
  for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;)
    switch (letter) {
    case 's':
      task->swmr = 1;
      break;
    case 'f':
      task->flush = number(optarg);
      break;
    case 'c':
      task->chunk = number(optarg);
      break;
    case 'n':
      task->count = number(optarg);
      break;
    case 'g':
      task->growth = growth_named(optarg);
      break;
    case 'a':
      task->announce = 1;
      break;
    default:
      usage();
    }
  if (optind != argc - 1 || task->chunk == 0) usage();
  task->path = argv[optind];
}

int main(int argc, char **argv) {
  struct task task = {.chunk = 1000, .count = 1000};
  struct timespec begin, end;
  parse(argc, argv, &task);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  run(&task);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("seconds %.6f\n",
         (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
  return 0;
}
