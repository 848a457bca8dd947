/* Calls each function of transfers.def once, on a variable of the type in the function's name. If
 * this program can be linked, the library has all functions. */
#include "facts.h"

/* An argument or a result of any function, which is a number or a pointer. */
typedef long long word;
typedef int function(word, word, word, word, word, word, word, word, word, word);

/* The types in a file by the type in memory; the flexible functions use ints. */
enum {
  TYPE_,
  TYPE__text,
  TYPE__schar,
  TYPE__uchar,
  TYPE__short,
  TYPE__ushort,
  TYPE__int,
  TYPE__uint,
  TYPE__long,
  TYPE__float,
  TYPE__double,
  TYPE__longlong,
  TYPE__ulonglong,
  TYPES
};
static const struct {
  const char *name;
  nc_type type;
} types[TYPES] = {{"flexible", NC_INT},    {"text", NC_CHAR},     {"schar", NC_BYTE},
                  {"uchar", NC_UBYTE},     {"short", NC_SHORT},   {"ushort", NC_USHORT},
                  {"int", NC_INT},         {"uint", NC_UINT},     {"long", NC_INT64},
                  {"float", NC_FLOAT},     {"double", NC_DOUBLE}, {"longlong", NC_INT64},
                  {"ulonglong", NC_UINT64}};

/* The functions: name, kind of call, kind of selection, type in memory, and whether it is
 * collective. */
static const struct row {
  const char *name, *api, *form;
  int type;
  int collective;
  function *call;
} rows[] = {
#define TRANSFER(api, form, type, mode, arguments)                                                 \
  {"ncmpi_" #api "_" #form #type #mode,                                                            \
   #api,                                                                                           \
   #form,                                                                                          \
   TYPE_##type,                                                                                    \
   sizeof(#mode) > 1,                                                                              \
   (function *)(void (*)(void))ncmpi_##api##_##form##type##mode},
#include "modules/pnetcdf/transfers.def"
};

enum { WIDTH = 12, HEIGHT = 10, EXTENT = 2 };
static const MPI_Offset start[EXTENT] = {1, 2}, length[EXTENT] = {3, 4}, stride[EXTENT] = {2, 2},
                        imap[EXTENT] = {4, 1}, origin[EXTENT] = {7, 9};
static const MPI_Offset *const starts[] = {start, origin}, *const imaps[] = {imap, imap};
static const MPI_Offset one[EXTENT] = {1, 1};
static const MPI_Offset *const lengths[] = {length, one}, *const strides[] = {stride, one};
static char memory[2][8 * WIDTH * HEIGHT];

/* Returns whether the form of a function is in a list of forms with four letters. */
static int has(const struct row *row, const char *forms) {
  return strlen(row->form) == 4 && strstr(forms, row->form) != NULL;
}

/* Appends the arguments `count` and `type`, which follow the buffer in flexible functions only, to
 * the n arguments in a. */
static void add_count(const struct row *row, word *a, int *n, word count, word type) {
  if (row->type != TYPE_) return;
  a[(*n)++] = count;
  a[(*n)++] = type;
}

/* Returns the number of elements that a call moves. i: index of the variable in the call. */
static MPI_Offset elements_of(const struct row *row, int i) {
  if (strcmp(row->form, "var") == 0) return WIDTH * HEIGHT;
  if (strcmp(row->form, "varn") == 0) return 13;
  return strcmp(row->form, "var1") == 0 || i ? 1 : 12;
}

/* Prints a line about a call. i: index of the variable in the call. */
static void say(const struct row *row, const struct fact_variable *variable, int i) {
  int boxed = has(row, "vara vars varm");
  moved_data(row->name, variable, elements_of(row, i), boxed ? EXTENT : 0, lengths[i],
             has(row, "vars varm") ? strides[i] : NULL);
}

/* Calls a function that moves data of several variables: twice the same variable. */
static void call_several(const struct row *row, const struct fact_variable *variable) {
  word a[10];
  int n = 0, ids[2] = {variable->id, variable->id};
  char *buffers[2] = {memory[0], memory[1]};
  MPI_Offset counts[2] = {elements_of(row, 0), elements_of(row, 1)};
  MPI_Datatype datatypes[2] = {MPI_INT, MPI_INT};
  a[n++] = variable->ncid;
  a[n++] = 2;
  a[n++] = (word)ids;
  if (strcmp(row->form, "var") != 0) a[n++] = (word)starts;
  if (has(row, "vara vars varm")) a[n++] = (word)lengths;
  if (has(row, "vars varm")) a[n++] = (word)strides;
  if (strcmp(row->form, "varm") == 0) a[n++] = (word)imaps;
  a[n++] = (word)buffers;
  add_count(row, a, &n, (word)counts, (word)datatypes);
  MUST(row->call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]));
  say(row, variable, 0);
  say(row, variable, 1);
}

/* Calls a function that takes a datatype in place of start and count: 12 consecutive ints from the
 * first byte of the variable. Prints what it moved. */
static void call_datatype(const struct row *row, const struct fact_variable *variable) {
  MPI_Datatype type;
  MPI_Type_contiguous(12, MPI_INT, &type);
  MPI_Type_commit(&type);
  MUST(row->call(variable->ncid, variable->id, (word)type, (word)memory[0], 12, (word)MPI_INT, 0, 0,
                 0, 0));
  moved_data(row->name, variable, 12, 0, NULL, NULL);
  MPI_Type_free(&type);
}

/* Calls a function that moves data of one variable, and waits for its request if it returns one. */
static void call_one(const struct row *row, const struct fact_variable *variable) {
  word a[10];
  int n = 0, request = NC_REQ_NULL, status = 0;
  int posted = strchr("ib", row->api[0]) != NULL;
  a[n++] = variable->ncid;
  a[n++] = variable->id;
  if (strcmp(row->form, "varn") == 0) {
    a[n++] = 2;
    a[n++] = (word)starts;
    a[n++] = (word)lengths;
  } else if (strcmp(row->form, "var") != 0)
    a[n++] = (word)start;
  if (has(row, "vara vars varm")) a[n++] = (word)length;
  if (has(row, "vars varm")) a[n++] = (word)stride;
  if (strcmp(row->form, "varm") == 0) a[n++] = (word)imap;
  a[n++] = (word)memory[0];
  add_count(row, a, &n, elements_of(row, 0), (word)MPI_INT);
  if (posted) a[n++] = (word)&request;
  MUST(row->call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]));
  say(row, variable, 0);
  if (posted) {
    MUST(ncmpi_wait_all(variable->ncid, 1, &request, &status));
    said_file("COLL_WAITS", "every.nc");
  }
}

/* Calls all functions of one mode. independent: those that are called between begin_indep_data and
 * end_indep_data. */
static void call_all(const struct fact_variable *variables, int independent) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const struct row *row = &rows[i];
    int posted = strchr("ib", row->api[0]) != NULL;
    if (independent != (!row->collective && !posted)) continue;
    if (row->api[0] == 'm')
      call_several(row, &variables[row->type]);
    else if (strcmp(row->form, "vard") == 0)
      call_datatype(row, &variables[row->type]);
    else
      call_one(row, &variables[row->type]);
  }
}

void case_every(void) {
  struct fact_variable variables[TYPES];
  int ncid = create_file("every.nc", NC_CLOBBER | NC_64BIT_DATA), dimids[EXTENT];
  MUST(ncmpi_def_dim(ncid, "y", HEIGHT, &dimids[0]));
  MUST(ncmpi_def_dim(ncid, "x", WIDTH, &dimids[1]));
  for (int i = 0; i < TYPES; i++)
    variables[i] = define(ncid, "every.nc", types[i].name, types[i].type, EXTENT, dimids);
  MUST(ncmpi_enddef(ncid));
  MUST(ncmpi_buffer_attach(ncid, sizeof(memory)));
  call_all(variables, 0);
  MUST(ncmpi_begin_indep_data(ncid));
  call_all(variables, 1);
  MUST(ncmpi_end_indep_data(ncid));
  MUST(ncmpi_buffer_detach(ncid));
  close_file(ncid, "every.nc");
}
