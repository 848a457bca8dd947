/* Writes the variables of a 3-D mesh, cut into parts, to one HDF5 file shared by all ranks. Ranks
 * form a grid; each has the same number of cubic parts, one above another. A variable is one
 * dataset of the whole mesh, so the rows of a part are not neighbours in it.
 *
 * Rank 0 prints the seconds that the slowest rank took to create the file, to write, and to close
 * it. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The arguments, and the place of this rank. */
struct plan {
  const char *path;
  hsize_t edge;      /* values along the edge of a part */
  hsize_t parts;     /* of a rank */
  hsize_t variables; /* datasets */
  int collective;
  unsigned late; /* milliseconds by which the last rank comes late to the close */
  int rank, size;
  int grid[3]; /* ranks in each direction */
};

/* Prints a message and ends all ranks. */
static void fail(const char *what) {
  fprintf(stderr, "mesh: %s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns on rank 0 the seconds since `begun` (from MPI_Wtime) of the slowest rank, and 0 on other
 * ranks. Collective. */
static double slowest(double begun) {
  double mine = MPI_Wtime() - begun, most = 0;
  MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

static hid_t create_file(const struct plan *plan) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  hid_t file = H5Fcreate(plan->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file < 0) fail("H5Fcreate");
  H5Pclose(access);
  return file;
}

/* Fills the edge^3 values of a part; they depend only on the variable and the position. start: the
 * part's position in the mesh. */
static void fill_part(const struct plan *plan, const hsize_t start[3], hsize_t variable,
                      double *values) {
  for (hsize_t z = 0; z < plan->edge; z++)
    for (hsize_t y = 0; y < plan->edge; y++)
      for (hsize_t x = 0; x < plan->edge; x++)
        *values++ = (double)variable + 1e-3 * (double)(start[0] + z) +
                    1e-6 * (double)(start[1] + y) + 1e-9 * (double)(start[2] + x);
}

/* Writes one part of a variable. transfer: property list with the mode. values: buffer for a
 * part. */
static void write_part(const struct plan *plan, hid_t dataset, hsize_t variable, hsize_t part,
                       hid_t transfer, double *values) {
  const int *grid = plan->grid;
  hsize_t place[3] = {(hsize_t)(plan->rank / (grid[1] * grid[2])) * plan->parts + part,
                      (hsize_t)(plan->rank / grid[2] % grid[1]), (hsize_t)(plan->rank % grid[2])};
  hsize_t start[3], count[3];
  for (int i = 0; i < 3; i++) {
    start[i] = place[i] * plan->edge;
    count[i] = plan->edge;
  }
  fill_part(plan, start, variable, values);
  hid_t memory = H5Screate_simple(3, count, NULL), space = H5Dget_space(dataset);
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
      H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values) < 0)
    fail("H5Dwrite");
  H5Sclose(memory);
  H5Sclose(space);
}

/* Creates the dataset of a variable and writes this rank's parts. values: buffer for a part. */
static void write_variable(const struct plan *plan, hid_t file, hsize_t variable, double *values) {
  char name[32];
  hsize_t whole[3] = {(hsize_t)plan->grid[0] * plan->parts * plan->edge,
                      (hsize_t)plan->grid[1] * plan->edge, (hsize_t)plan->grid[2] * plan->edge};
  snprintf(name, sizeof name, "variable%u", (unsigned)variable);
  hid_t space = H5Screate_simple(3, whole, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  /* Two runs must give the same bytes, so no times in the file. */
  H5Pset_obj_track_times(creation, 0);
  H5Pset_dxpl_mpio(transfer, plan->collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset < 0) fail("H5Dcreate2");
  for (hsize_t part = 0; part < plan->parts; part++)
    write_part(plan, dataset, variable, part, transfer, values);
  if (H5Dclose(dataset) < 0) fail("H5Dclose");
  H5Pclose(transfer);
  H5Pclose(creation);
  H5Sclose(space);
}

static void write_mesh(const struct plan *plan) {
  double *values = malloc(plan->edge * plan->edge * plan->edge * sizeof *values);
  if (!values) fail("malloc");
  MPI_Barrier(MPI_COMM_WORLD);
  double begun = MPI_Wtime();
  hid_t file = create_file(plan);
  double create = slowest(begun);
  begun = MPI_Wtime();
  for (hsize_t i = 0; i < plan->variables; i++)
    write_variable(plan, file, i, values);
  double write = slowest(begun);
  MPI_Barrier(MPI_COMM_WORLD);
  begun = MPI_Wtime();
  if (plan->late && plan->rank == plan->size - 1) usleep(1000 * plan->late);
  if (H5Fclose(file) < 0) fail("H5Fclose");
  double close = slowest(begun);
  free(values);
  if (plan->rank == 0)
    printf("create_s %.6f write_s %.6f close_s %.6f bytes %llu\n", create, write, close,
           (unsigned long long)(plan->variables * plan->parts * plan->edge * plan->edge *
                                plan->edge * sizeof(double)) *
               (unsigned long long)plan->size);
}

static hsize_t number(const char *text) {
  char *end = NULL;
  unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end || *text == '-') fail("reading a number");
  return value;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 7) {
    fputs("usage: mesh FILE EDGE PARTS VARIABLES independent|collective LATE-MS\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct plan plan = {.path = argv[1],
                      .edge = number(argv[2]),
                      .parts = number(argv[3]),
                      .variables = number(argv[4]),
                      .collective = strcmp(argv[5], "collective") == 0,
                      .late = (unsigned)number(argv[6])};
  MPI_Comm_rank(MPI_COMM_WORLD, &plan.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &plan.size);
  int grid[3] = {0, 0, 0};
  MPI_Dims_create(plan.size, 3, grid);
  /* Most ranks along x, where values are neighbours in the file: rows of several parts alternate.
   */
  for (int i = 0; i < 3; i++)
    plan.grid[i] = grid[2 - i];
  write_mesh(&plan);
  MPI_Finalize();
  return 0;
}
