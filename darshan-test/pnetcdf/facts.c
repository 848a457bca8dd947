#include "facts.h"

#include <unistd.h>

void must(int result, int expected, const char *call, const char *file, int line) {
  if (result == expected) return;
  fprintf(stderr, "%s:%d: %s gave %d (%s), not %d\n", file, line, call, result,
          ncmpi_strerror(result), expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

const char *full_path(const char *name) {
  static char path[8192];
  if (!getcwd(path, 4096)) abort();
  strcat(path, "/");
  return strcat(path, name);
}

void said_file(const char *counter, const char *name) {
  printf("file %s %s\n", counter, full_path(name));
}

int create_file(const char *name, int mode) {
  int ncid;
  MUST(ncmpi_create(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &ncid));
  said_file("CREATES", name);
  return ncid;
}

int open_file(const char *name, int mode) {
  int ncid;
  MUST(ncmpi_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &ncid));
  said_file("OPENS", name);
  return ncid;
}

void close_file(int ncid, const char *name) {
  MPI_Offset read, written;
  MUST(ncmpi_inq_get_size(ncid, &read));
  MUST(ncmpi_inq_put_size(ncid, &written));
  printf("moved %s %lld %lld\n", full_path(name), (long long)read, (long long)written);
  MUST(ncmpi_close(ncid));
}

/* Prints a line about the shape of a variable. */
static void say_shape(const struct fact_variable *variable) {
  int dimensions, dimids[MOST_FACT_DIMENSIONS], unlimited;
  nc_type type;
  MUST(ncmpi_inq_var(variable->ncid, variable->id, NULL, &type, &dimensions, dimids, NULL));
  MUST(ncmpi_inq_unlimdim(variable->ncid, &unlimited));
  printf("shape %s %d %d", variable->name, type, dimensions && dimids[0] == unlimited);
  for (int i = 0; i < dimensions; i++) {
    MPI_Offset length;
    MUST(ncmpi_inq_dimlen(variable->ncid, dimids[i], &length));
    printf(" %lld", (long long)length);
  }
  printf("\n");
}

/* Returns a variable of an open file, and prints its shape. */
static struct fact_variable variable_of(int ncid, int id, const char *file, const char *name) {
  struct fact_variable variable = {.ncid = ncid, .id = id};
  snprintf(variable.name, sizeof(variable.name), "%s:%s", full_path(file), name);
  say_shape(&variable);
  return variable;
}

struct fact_variable define(int ncid, const char *file, const char *name, nc_type type,
                            int dimensions, const int *dimids) {
  int id;
  MUST(ncmpi_def_var(ncid, name, type, dimensions, dimids, &id));
  return variable_of(ncid, id, file, name);
}

struct fact_variable look_up(int ncid, const char *file, const char *name) {
  int id;
  MUST(ncmpi_inq_varid(ncid, name, &id));
  return variable_of(ncid, id, file, name);
}

void moved_data(const char *function, const struct fact_variable *variable, MPI_Offset elements,
                int dimensions, const MPI_Offset *lengths, const MPI_Offset *strides) {
  printf("%s %s %lld", function, variable->name, (long long)elements);
  for (int i = 0; i < dimensions; i++)
    printf(" %lld,%lld", (long long)lengths[i], strides ? (long long)strides[i] : 1LL);
  printf("\n");
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"every", case_every},
#define ROW(name) {#name, case_##name},
               CASES(ROW)
#undef ROW
  };
  char facts[64];
  int rank, found = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(facts, sizeof(facts), "facts.%d", rank);
  if (!freopen(facts, "w", stdout)) return 2;
  for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
    if (strcmp(cases[i].name, argv[1]) == 0) {
      cases[i].run();
      found = 1;
    }
  fflush(stdout);
  MPI_Finalize();
  return found ? 0 : 2;
}
