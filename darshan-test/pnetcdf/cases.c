/* Cases about records, shapes, boxes, datatypes, failures, requests and files of PnetCDF. */
#include "facts.h"

enum { ROWS = 4, COLUMNS = 6 };
static int numbers[4096];

/* Uses variables with records (an unlimited dimension); calls for whole variables must count as
 * many records as the file has. */
void case_records(void) {
  MPI_Offset start[2] = {0, 0}, count[2] = {2, COLUMNS}, place[2] = {4, 1};
  int ncid = create_file("r.nc", NC_CLOBBER), dimids[2];
  MUST(ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimids[1]));
  struct fact_variable grid = define(ncid, "r.nc", "grid", NC_INT, 2, dimids);
  struct fact_variable line = define(ncid, "r.nc", "line", NC_SHORT, 1, dimids);
  MUST(ncmpi_def_var_fill(ncid, line.id, 0, NULL));
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_get_var_int_all(ncid, grid.id, numbers));
  moved_data("ncmpi_get_var_int_all", &grid, 0, 0, NULL, NULL);
  MUST(ncmpi_put_vara_int_all(ncid, grid.id, start, count, numbers));
  moved_data("ncmpi_put_vara_int_all", &grid, 2 * COLUMNS, 2, count, NULL);
  MUST(ncmpi_put_var_int_all(ncid, line.id, numbers));
  moved_data("ncmpi_put_var_int_all", &line, 2, 0, NULL, NULL);
  MUST(ncmpi_put_var1_int_all(ncid, grid.id, place, numbers));
  moved_data("ncmpi_put_var1_int_all", &grid, 1, 0, NULL, NULL);
  MUST(ncmpi_get_var_int_all(ncid, grid.id, numbers));
  moved_data("ncmpi_get_var_int_all", &grid, 5 * COLUMNS, 0, NULL, NULL);
  MUST(ncmpi_fill_var_rec(ncid, line.id, 3));
  MUST(ncmpi_sync_numrecs(ncid));
  close_file(ncid, "r.nc");
}

/* Uses variables with no, one and seven dimensions, calls without a stride, calls for no elements,
 * and numbers that are too large. */
void case_shapes(void) {
  enum { DEEP = 7 };
  MPI_Offset start[DEEP] = {0}, count[DEEP] = {1, 2, 1, 2, 1, 2, 1}, none[DEEP] = {0};
  MPI_Offset stride[DEEP] = {1, 1, 1, 1, 1, 2, 1};
  int ncid = create_file("s.nc", NC_CLOBBER), dimids[DEEP];
  for (int i = 0; i < DEEP; i++) {
    char name[8];
    snprintf(name, sizeof(name), "d%d", i);
    MUST(ncmpi_def_dim(ncid, name, i + 2, &dimids[i]));
  }
  struct fact_variable deep = define(ncid, "s.nc", "deep", NC_DOUBLE, DEEP, dimids);
  struct fact_variable scalar = define(ncid, "s.nc", "scalar", NC_FLOAT, 0, NULL);
  struct fact_variable byte = define(ncid, "s.nc", "byte", NC_BYTE, 1, dimids);
  MUST(ncmpi__enddef(ncid, 512, 512, 0, 0));
  MUST(ncmpi_put_vara_int_all(ncid, deep.id, start, count, numbers));
  moved_data("ncmpi_put_vara_int_all", &deep, 8, DEEP, count, NULL);
  MUST(ncmpi_put_vars_int_all(ncid, deep.id, start, count, NULL, numbers));
  moved_data("ncmpi_put_vars_int_all", &deep, 8, DEEP, count, NULL);
  MUST(ncmpi_put_vars_int_all(ncid, deep.id, start, count, stride, numbers));
  moved_data("ncmpi_put_vars_int_all", &deep, 8, DEEP, count, stride);
  MUST(ncmpi_get_varm_int_all(ncid, deep.id, start, count, stride, NULL, numbers));
  moved_data("ncmpi_get_varm_int_all", &deep, 8, DEEP, count, stride);
  MUST(ncmpi_get_vara_int_all(ncid, deep.id, start, none, numbers));
  moved_data("ncmpi_get_vara_int_all", &deep, 0, DEEP, none, NULL);
  MUST(ncmpi_put_var_int_all(ncid, scalar.id, numbers));
  moved_data("ncmpi_put_var_int_all", &scalar, 1, 0, NULL, NULL);
  MUST(ncmpi_put_vara_int_all(ncid, scalar.id, NULL, NULL, numbers));
  moved_data("ncmpi_put_vara_int_all", &scalar, 1, 0, NULL, NULL);
  numbers[0] = 1000;
  MUST_FAIL(ncmpi_put_var_int_all(ncid, byte.id, numbers), NC_ERANGE);
  moved_data("ncmpi_put_var_int_all", &byte, 2, 0, NULL, NULL);
  numbers[0] = 0;
  close_file(ncid, "s.nc");
}

/* Transfers several boxes (ranges of a variable) in one call, with and without lengths. */
void case_boxes(void) {
  MPI_Offset first[2] = {0, 0}, second[2] = {2, 1}, third[2] = {3, 5};
  MPI_Offset wide[2] = {1, COLUMNS}, high[2] = {2, 1}, one[2] = {1, 1};
  MPI_Offset *starts[] = {first, second, third}, *counts[] = {wide, high, one};
  int ncid = create_file("b.nc", NC_CLOBBER), dimids[2], request, status;
  MUST(ncmpi_def_dim(ncid, "y", ROWS, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimids[1]));
  struct fact_variable grid = define(ncid, "b.nc", "grid", NC_INT, 2, dimids);
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_put_varn_int_all(ncid, grid.id, 3, starts, counts, numbers));
  moved_data("ncmpi_put_varn_int_all", &grid, COLUMNS + 3, 0, NULL, NULL);
  MUST(ncmpi_put_varn_int_all(ncid, grid.id, 3, starts, NULL, numbers));
  moved_data("ncmpi_put_varn_int_all", &grid, 3, 0, NULL, NULL);
  MUST(ncmpi_get_varn_int_all(ncid, grid.id, 0, NULL, NULL, numbers));
  moved_data("ncmpi_get_varn_int_all", &grid, 0, 0, NULL, NULL);
  MUST(ncmpi_iget_varn(ncid, grid.id, 2, starts, counts, numbers, COLUMNS + 2, MPI_INT, &request));
  moved_data("ncmpi_iget_varn", &grid, COLUMNS + 2, 0, NULL, NULL);
  MUST(ncmpi_wait_all(ncid, 1, &request, &status));
  said_file("COLL_WAITS", "b.nc");
  close_file(ncid, "b.nc");
}

/* Transfers with memory that an MPI datatype describes, and transfers of no elements with the null
 * datatype. */
void case_datatypes(void) {
  MPI_Datatype columns;
  int ncid = create_file("d.nc", NC_CLOBBER), dimids[2];
  MUST(ncmpi_def_dim(ncid, "y", ROWS, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimids[1]));
  struct fact_variable grid = define(ncid, "d.nc", "grid", NC_INT, 2, dimids);
  MUST(ncmpi_enddef(ncid));
  MPI_Type_vector(ROWS, 2, COLUMNS, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  MUST(ncmpi_put_vard_all(ncid, grid.id, columns, numbers, 2 * ROWS, MPI_INT));
  moved_data("ncmpi_put_vard_all", &grid, 2 * ROWS, 0, NULL, NULL);
  MUST(ncmpi_get_vard_all(ncid, grid.id, MPI_DATATYPE_NULL, numbers, 0, MPI_INT));
  moved_data("ncmpi_get_vard_all", &grid, 0, 0, NULL, NULL);
  MPI_Type_free(&columns);
  close_file(ncid, "d.nc");
}

/* Makes calls that fail, which must not change any counter except that of failed waits. */
void case_failures(void) {
  MPI_Offset start[2] = {0, 0}, count[2] = {ROWS, COLUMNS + 1};
  int ncid, id, request = 77, status = 0, dimids[2];
  MUST_FAIL(ncmpi_open(MPI_COMM_WORLD, "missing.nc", NC_NOWRITE, MPI_INFO_NULL, &ncid), NC_ENOENT);
  ncid = create_file("f.nc", NC_CLOBBER);
  MUST(ncmpi_def_dim(ncid, "y", ROWS, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimids[1]));
  struct fact_variable grid = define(ncid, "f.nc", "grid", NC_INT, 2, dimids);
  MUST_FAIL(ncmpi_def_var(ncid, "grid", NC_INT, 2, dimids, &id), NC_ENAMEINUSE);
  MUST_FAIL(ncmpi_inq_varid(ncid, "nothing", &id), NC_ENOTVAR);
  MUST_FAIL(ncmpi_put_var_int_all(ncid, grid.id, numbers), NC_EINDEFINE);
  MUST(ncmpi_enddef(ncid));
  MUST_FAIL(ncmpi_put_var_int(ncid, grid.id, numbers), NC_ENOTINDEP);
  MUST_FAIL(ncmpi_put_vara_int_all(ncid, grid.id, start, count, numbers), NC_EEDGE);
  MUST_FAIL(ncmpi_put_var_int_all(ncid, grid.id + 5, numbers), NC_ENOTVAR);
  MUST_FAIL(ncmpi_close(-1), NC_EBADID);
  MUST_FAIL(ncmpi_wait_all(ncid, 1, &request, &status), NC_EINVAL_REQUEST);
  said_file("WAIT_FAILURES", "f.nc");
  close_file(ncid, "f.nc");
}

/* Posts non-blocking requests, which are then completed together or alone, or cancelled. */
void case_requests(void) {
  MPI_Offset start[2] = {1, 1}, count[2] = {2, 3};
  int ncid = create_file("q.nc", NC_CLOBBER), dimids[2], requests[3], statuses[3];
  MUST(ncmpi_def_dim(ncid, "y", ROWS, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimids[1]));
  struct fact_variable grid = define(ncid, "q.nc", "grid", NC_INT, 2, dimids);
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_buffer_attach(ncid, 4096));
  MUST(ncmpi_iput_vara_int(ncid, grid.id, start, count, numbers, &requests[0]));
  moved_data("ncmpi_iput_vara_int", &grid, 6, 2, count, NULL);
  MUST(ncmpi_bput_vara_int(ncid, grid.id, start, count, numbers, &requests[1]));
  moved_data("ncmpi_bput_vara_int", &grid, 6, 2, count, NULL);
  MUST(ncmpi_iget_var_int(ncid, grid.id, numbers, &requests[2]));
  moved_data("ncmpi_iget_var_int", &grid, ROWS * COLUMNS, 0, NULL, NULL);
  MUST(ncmpi_cancel(ncid, 1, &requests[2], &statuses[2]));
  MUST(ncmpi_wait_all(ncid, 2, requests, statuses));
  said_file("COLL_WAITS", "q.nc");
  MUST(ncmpi_begin_indep_data(ncid));
  MUST(ncmpi_iget_var_int(ncid, grid.id, numbers, &requests[0]));
  moved_data("ncmpi_iget_var_int", &grid, ROWS * COLUMNS, 0, NULL, NULL);
  MUST(ncmpi_wait(ncid, 1, requests, statuses));
  said_file("INDEP_WAITS", "q.nc");
  MUST(ncmpi_end_indep_data(ncid));
  MUST(ncmpi_buffer_detach(ncid));
  close_file(ncid, "q.nc");
}

/* Opens a file again and writes a variable. shown: the name that is passed to the library. */
static void use_again(const char *shown) {
  int ncid = open_file(shown, NC_WRITE);
  struct fact_variable line = look_up(ncid, "g.nc", "line");
  MUST(ncmpi_put_var_int_all(ncid, line.id, numbers));
  moved_data("ncmpi_put_var_int_all", &line, COLUMNS, 0, NULL, NULL);
  close_file(ncid, shown);
}

/* Opens a file again, twice at the same time, and by a name with a driver's prefix; then creates it
 * again with another shape. All must be one record. */
void case_files(void) {
  int ncid = create_file("g.nc", NC_CLOBBER), dimid;
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimid));
  struct fact_variable line = define(ncid, "g.nc", "line", NC_INT, 1, &dimid);
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_redef(ncid));
  said_file("REDEFS", "g.nc");
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_put_var_int_all(ncid, line.id, numbers));
  moved_data("ncmpi_put_var_int_all", &line, COLUMNS, 0, NULL, NULL);
  MUST(ncmpi_sync(ncid));
  said_file("SYNCS", "g.nc");
  MUST(ncmpi_flush(ncid));
  close_file(ncid, "g.nc");
  use_again("g.nc");
  int other = open_file("g.nc", NC_NOWRITE);
  ncid = open_file("g.nc", NC_NOWRITE);
  struct fact_variable same = look_up(other, "g.nc", "line");
  MUST(ncmpi_get_var_int_all(other, same.id, numbers));
  moved_data("ncmpi_get_var_int_all", &same, COLUMNS, 0, NULL, NULL);
  close_file(other, "g.nc");
  close_file(ncid, "g.nc");
  ncid = create_file("g.nc", NC_CLOBBER);
  MUST(ncmpi_def_dim(ncid, "x", 2 * COLUMNS, &dimid));
  line = define(ncid, "g.nc", "line", NC_DOUBLE, 1, &dimid);
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_put_var_int_all(ncid, line.id, numbers));
  moved_data("ncmpi_put_var_int_all", &line, 2 * COLUMNS, 0, NULL, NULL);
  close_file(ncid, "g.nc");
}

/* Aborts the definition of a new file, which removes the file; its record must remain, without
 * transfers. */
void case_aborted(void) {
  int ncid = create_file("h.nc", NC_CLOBBER);
  printf("moved %s 0 0\n", full_path("h.nc"));
  MUST(ncmpi_abort(ncid));
  MUST_FAIL(ncmpi_delete("h.nc", MPI_INFO_NULL), NC_ENOENT);
}

/* Uses a variable by its id, without defining it or looking it up, so that the runtime has to query
 * its name. */
void case_unseen(void) {
  int ncid = create_file("u.nc", NC_CLOBBER), dimid;
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimid));
  struct fact_variable line = define(ncid, "u.nc", "line", NC_SHORT, 1, &dimid);
  close_file(ncid, "u.nc");
  line.ncid = open_file("u.nc", NC_NOWRITE);
  MUST(ncmpi_get_var_int_all(line.ncid, line.id, numbers));
  moved_data("ncmpi_get_var_int_all", &line, COLUMNS, 0, NULL, NULL);
  close_file(line.ncid, "u.nc");
}

/* Uses 1,500 variables of two shapes, more than the module may have records. */
void case_many(void) {
  enum { MANY = 1500 };
  static struct fact_variable variables[MANY];
  int ncid = create_file("m.nc", NC_CLOBBER), dimids[2];
  MUST(ncmpi_def_dim(ncid, "x", COLUMNS, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "y", ROWS, &dimids[1]));
  for (int i = 0; i < MANY; i++) {
    char name[16];
    snprintf(name, sizeof(name), "v%d", i);
    variables[i] = define(ncid, "m.nc", name, NC_INT, 1 + i % 2, dimids);
  }
  MUST(ncmpi_enddef(ncid));
  for (int i = 0; i < MANY; i++) {
    MUST(ncmpi_put_var_int_all(ncid, variables[i].id, numbers));
    moved_data("ncmpi_put_var_int_all", &variables[i], i % 2 ? COLUMNS * ROWS : COLUMNS, 0, NULL,
               NULL);
  }
  close_file(ncid, "m.nc");
}
