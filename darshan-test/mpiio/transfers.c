/* Calls each function that reads or writes by MPI-IO, with the same sequence of steps. */
#include "program.h"

#include <stdlib.h>

/* Start of the view in bytes. */
enum { DISPLACEMENT = 64 };
/* How a transfer ends: in its own call, in a second call, or with its request. */
enum how { AT_ONCE, SPLIT, WITH_REQUEST };
/* The origin of a transfer's offset: an argument, or a file pointer of the rank or of all ranks. */
enum pointer { EXPLICIT, INDIVIDUAL, SHARED };

/* One transfer of n elements of a type. */
struct step {
  struct target *target;
  MPI_Offset at; /* in ints; for explicit offsets */
  int n;
  MPI_Datatype type;
  MPI_Status *status;
  MPI_Request *request;
};

/* One function of MPI-IO, or the two of a split collective. */
struct row {
  const char *name;
  int (*begin)(const struct step *);
  const char *end_name; /* the second half of a split collective */
  int (*end)(const struct step *);
  int writes;
  const char *kind; /* of the counter */
  enum pointer pointer;
  enum how how;
};

#define FORM_PLAIN(f) f(s->target->fh, data, s->n, s->type, s->status)
#define FORM_AT(f) f(s->target->fh, s->at, data, s->n, s->type, s->status)
#define FORM_BEGIN(f) f(s->target->fh, data, s->n, s->type)
#define FORM_AT_BEGIN(f) f(s->target->fh, s->at, data, s->n, s->type)
#define FORM_END(f) f(s->target->fh, data, s->status)
#define FORM_REQUEST(f) f(s->target->fh, data, s->n, s->type, s->request)
#define FORM_AT_REQUEST(f) f(s->target->fh, s->at, data, s->n, s->type, s->request)

/* Defines a function for each call. */
#define ROW(f, form, writes, kind, pointer, how)                                                   \
  static int call_##f(const struct step *s) {                                                      \
    return FORM_##form(f);                                                                         \
  }
#define SPLIT_ROW(f, end, form, writes, pointer) ROW(f, form, writes, SPLIT, pointer, SPLIT)
#define SPLIT_END(end)                                                                             \
  static int call_##end(const struct step *s) {                                                    \
    return FORM_END(end);                                                                          \
  }
#include "transfers.def"
#undef ROW
#undef SPLIT_ROW
#undef SPLIT_END

/* The table of these functions. */
static const struct row rows[] = {
#define ROW(f, form, writes, kind, pointer, how)                                                   \
  {#f, call_##f, NULL, NULL, writes, #kind, pointer, how},
#define SPLIT_ROW(f, end, form, writes, pointer)                                                   \
  {#f, call_##f, #end, call_##end, writes, "SPLIT", pointer, SPLIT},
#define SPLIT_END(end)
#include "transfers.def"
};

/* Returns the offset in bytes at which the step begins in the file, from MPI's own file pointer; -1
 * if the step uses the shared file pointer. */
static MPI_Offset place(const struct row *row, const struct step *step) {
  MPI_Offset at = step->at;
  if (row->pointer == SHARED) return -1;
  if (row->pointer == INDIVIDUAL) CHECK(MPI_File_get_position(step->target->fh, &at));
  return DISPLACEMENT + 4 * at;
}

/* Returns the bytes that MPI says were moved. */
static long long moved(MPI_Status *status) {
  int bytes;
  CHECK(MPI_Get_count(status, MPI_BYTE, &bytes));
  return bytes;
}

/* Performs a step, and writes a line about it. keep_status: whether to pass a status to MPI. */
static void run_step(const struct row *row, struct step *step, int keep_status) {
  static const char *const pointers[] = {"EXPLICIT", "INDIVIDUAL", "SHARED"};
  MPI_Status status;
  MPI_Request request;
  MPI_Offset byte = place(row, step);
  int size;
  MPI_Type_size(step->type, &size);
  long long asked = (long long)size * step->n, done = asked;
  step->status = keep_status ? &status : MPI_STATUS_IGNORE;
  step->request = &request;
  CHECK(row->begin(step));
  if (row->how == SPLIT) CHECK(row->end(step));
  if (row->how == WITH_REQUEST) CHECK(MPI_Wait(&request, step->status));
  if (keep_status) done = moved(&status);
  note(step->target, "transfer %d %s %s %lld %lld %lld", row->writes, row->kind,
       pointers[row->pointer], asked, done, (long long)byte);
  if (row->how == WITH_REQUEST) {
    note(step->target, "ext NB_WAITS 1");
    note(step->target, "most 1");
  }
}

/* Returns a committed datatype for memory with holes: three pairs of ints, of which each begins 16
 * bytes after the previous one. The caller frees it. */
static MPI_Datatype holes(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(3, 2, 4, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  return type;
}

/* Performs all steps with a function, on a file of the function's name. */
static void run(const struct row *row) {
  struct target target = {.name = row->name};
  MPI_Datatype with_holes = holes();
  MPI_Offset mine = (MPI_Offset)rank * ROOM / 4 / 2;
  fill(row->name);
  open_file(&target, row->writes ? MPI_MODE_RDWR : MPI_MODE_RDONLY, row->writes ? 8 : 2);
  view_of_ints(&target, DISPLACEMENT);
  struct step steps[] = {{&target, mine, 100, MPI_INT, NULL, NULL},
                         {&target, mine + 100, 2500, MPI_INT, NULL, NULL},
                         {&target, mine + 7, 7, with_holes, NULL, NULL},
                         {&target, mine, 0, MPI_INT, NULL, NULL},
                         {&target, mine + 300, 50, MPI_DOUBLE, NULL, NULL},
                         {&target, mine + 500, 2500, MPI_INT, NULL, NULL},
                         {&target, mine + 9, 1, MPI_INT, NULL, NULL}};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
    run_step(row, &steps[i], i % 2 == 0);
  /* This step reaches past the end of the file; Open MPI 4.1 never completes such a request. */
  if (!row->writes && row->pointer == EXPLICIT && row->how == AT_ONCE) {
    struct step last = {&target, (MPI_Offset)ranks * ROOM / 4 - 26, 100, MPI_INT, NULL, NULL};
    run_step(row, &last, 1);
  }
  close_file(&target);
  CHECK(MPI_Type_free(&with_holes));
  covered(row->name);
  if (row->end_name) covered(row->end_name);
}

void all_transfers(void) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
    run(&rows[i]);
}
