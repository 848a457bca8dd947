/* MPI-IO calls, each with a line about it, from which model.py computes the expected log. */
#ifndef TEST_MPIIO_H
#define TEST_MPIIO_H

#include <mpi.h>
#include <stdint.h>

enum { ROOM = 1 << 16 }; /* bytes per rank in a file, and of the buffer */

extern int rank, ranks;
extern char data[ROOM];

/* A file of a case: its name, and its handle when open. */
struct target {
  const char *name;
  MPI_File fh;
};

/* Ends the job if a call fails. */
void check(int result, const char *call);
#define CHECK(call) check((call), #call)

/* Writes a line for model.py: the file's name, then a printf format. */
void note(const struct target *target, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Records that the function was called. The test fails if a row of the runtime's tables is never
 * named here. */
void covered(const char *function);

/* Fills a file with the data of all ranks, without MPI-IO. */
void fill(const char *name);
/* Opens on all ranks; classic: the mode in the numbering of logs. */
void open_file(struct target *target, int mode, int classic);
void close_file(struct target *target);
/* Sets a view of every byte from the displacement on, in etypes of four bytes. */
void view_of_ints(struct target *target, MPI_Offset displacement);

/* transfers.c, requests.c, metadata.c */
void all_transfers(void);
void all_requests(void);
void all_metadata(void);

#endif
