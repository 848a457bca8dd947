/* Prints what the program did, for model.py. Its standard output is the file facts.RANK. Each
 * operation has a line:
 *
 * file COUNTER path                   a call about a file that succeeded
 *
 * moved path read written             the bytes that the library reports before a close
 *
 * shape variable type record extents  a variable was defined or looked up
 *
 * name variable ... (see moved_data)  data was moved */
#ifndef PNETCDF_FACTS_H
#define PNETCDF_FACTS_H

#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACT_DIMENSIONS = 8 };

/* A variable of an open file, and its name in the lines of output. */
struct fact_variable {
  int ncid, id;
  char name[512]; /* <path>:<name> */
};

/* Ends the program if a call did not do what it should. */
#define MUST(call) must((call), NC_NOERR, #call, __FILE__, __LINE__)
#define MUST_FAIL(call, error) must((call), (error), #call, __FILE__, __LINE__)
/* Ends the job if the result of a call is not the expected one. The other arguments are for the
 * message. */
void must(int result, int expected, const char *call, const char *file, int line);

/* Returns the absolute path of a file in the working directory, in static memory that the next call
 * changes. */
const char *full_path(const char *name);

/* Creates a file on all ranks, and prints a line about it. Returns its id. The next two open a file
 * and close it in the same way.
 */
int create_file(const char *name, int mode);
int open_file(const char *name, int mode);
void close_file(int ncid, const char *name);
/* Prints that a call about a file succeeded. counter: of the call. */
void said_file(const char *counter, const char *name);

/* Define or look up a variable, and print its shape. file: its name as it was opened; name: of the
 * variable. Return the variable; end the program on failure. */
struct fact_variable define(int ncid, const char *file, const char *name, nc_type type,
                            int dimensions, const int *dimids);
struct fact_variable look_up(int ncid, const char *file, const char *name);

/* Prints that a function moved this many elements. lengths, strides: one number for each dimension;
 * NULL if the function has none. A missing stride is treated as 1. */
void moved_data(const char *function, const struct fact_variable *variable, MPI_Offset elements,
                int dimensions, const MPI_Offset *lengths, const MPI_Offset *strides);

/* The cases of every.c and cases.c. */
void case_every(void);
#define CASES(CASE)                                                                                \
  CASE(records)                                                                                    \
  CASE(shapes)                                                                                     \
  CASE(boxes)                                                                                      \
  CASE(datatypes)                                                                                  \
  CASE(failures)                                                                                   \
  CASE(requests)                                                                                   \
  CASE(files)                                                                                      \
  CASE(aborted)                                                                                    \
  CASE(unseen)                                                                                     \
  CASE(many)

#define DECLARE(name) void case_##name(void);
CASES(DECLARE)
#undef DECLARE

#endif
