/* The functions of variable.h with netCDF-4, which by itself enlarges the cache of a variable with
 * large chunks. */
#include "field.h"
#include "variable.h"

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1009 };
static const float PREEMPTION = 0.75f;
static int file, variable;

/* Ends the program with a message if a netCDF call failed. */
static void check(int status, const char *what) {
  if (status == NC_NOERR) return;
  fprintf(stderr, "%s: %s\n", what, nc_strerror(status));
  exit(1);
}

void variable_open(const char *path, size_t cache_bytes) {
  check(nc_open(path, NC_NOWRITE, &file), path);
  check(nc_inq_varid(file, FIELD_NAME, &variable), FIELD_NAME);
  if (cache_bytes > 0)
    check(nc_set_var_chunk_cache(file, variable, cache_bytes, SLOTS, PREEMPTION), "chunk cache");
}

size_t variable_steps(void) {
  int dimension;
  size_t steps;
  check(nc_inq_dimid(file, "time", &dimension), "time");
  check(nc_inq_dimlen(file, dimension, &steps), "time");
  return steps;
}

size_t variable_cache(void) {
  size_t bytes, slots;
  float preemption;
  check(nc_get_var_chunk_cache(file, variable, &bytes, &slots, &preemption), "chunk cache");
  return bytes;
}

void variable_read(const size_t start[3], const size_t count[3], float *values) {
  check(nc_get_vara_float(file, variable, start, count, values), "read");
}

void variable_close(void) {
  check(nc_close(file), "close");
}
