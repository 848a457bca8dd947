/* Writes the variable to a netCDF-4 file. Arguments: FILE, number of time steps, three chunk
 * lengths, deflate level (0: not compressed). The shuffle filter is not used, as in the source of
 * the study. */
#include "field.h"

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status, const char *what) {
  if (status == NC_NOERR) return;
  fprintf(stderr, "%s: %s\n", what, nc_strerror(status));
  exit(1);
}

static int define(int file, size_t steps, const size_t chunk[3], int level) {
  const char *names[3] = {"time", "lat", "lon"};
  size_t lengths[3] = {steps, FIELD_LAT, FIELD_LON};
  int dimensions[3], variable;
  for (int i = 0; i < 3; i++)
    check(nc_def_dim(file, names[i], lengths[i], &dimensions[i]), names[i]);
  check(nc_def_var(file, FIELD_NAME, NC_FLOAT, 3, dimensions, &variable), FIELD_NAME);
  check(nc_def_var_chunking(file, variable, NC_CHUNKED, chunk), "chunks");
  check(nc_def_var_fill(file, variable, NC_NOFILL, NULL), "fill");
  if (level > 0) check(nc_def_var_deflate(file, variable, 0, 1, level), "deflate");
  check(nc_enddef(file), "enddef");
  return variable;
}

/* Writes the variable to a netCDF file, `rows` time steps at a time, so that each chunk is
 * compressed once. file, variable: netCDF ids; steps: length in time. */
static void write_all(int file, int variable, size_t steps, size_t rows) {
  float *block = malloc(rows * FIELD_PLANE * sizeof(float));
  if (!block) abort();
  for (size_t first = 0; first < steps; first += rows) {
    size_t start[3] = {first, 0, 0};
    size_t count[3] = {steps - first < rows ? steps - first : rows, FIELD_LAT, FIELD_LON};
    for (size_t i = 0; i < count[0]; i++)
      field_plane(first + i, block + i * FIELD_PLANE);
    check(nc_put_vara_float(file, variable, start, count, block), "write");
  }
  free(block);
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: %s FILE STEPS CHUNK CHUNK CHUNK LEVEL\n", argv[0]);
    return 2;
  }
  size_t steps = field_number(argv[2]);
  size_t chunk[3] = {field_number(argv[3]), field_number(argv[4]), field_number(argv[5])};
  int file;
  check(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &file), argv[1]);
  int variable = define(file, steps, chunk, (int)field_number(argv[6]));
  write_all(file, variable, steps, chunk[0]);
  check(nc_close(file), argv[1]);
  return 0;
}
