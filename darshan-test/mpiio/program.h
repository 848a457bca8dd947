/* MPI-IO calls, each with a line about it, from which model.py computes the expected log. */
#ifndef TEST_MPIIO_H
#define TEST_MPIIO_H

#include <mpi.h>
#include <stdint.h>

enum { ROOM = 1 << 16 }; /* bytes per rank in a file, and of the buffer */

/* The rank and the number of ranks, and the buffer of all transfers. */
extern int rank, ranks;
extern char data[ROOM];

/* A file that a case uses: its name, and its handle while it is open. */
struct target {
  const char *name;
  MPI_File fh;
};

/* Ends the job with a message if a call failed. */
void check(int result, const char *call);
/* Ends the job with a message if a call failed. call: for the message. */
#define CHECK(call) check((call), #call)

/* Writes a line for model.py: the file's name, then the text of a printf format. */
void note(const struct target *target, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Notes that an MPI-IO function was called. The test fails if a function in the runtime's tables is
 * never noted. */
void covered(const char *function);

/* Fills a file with the data of all ranks by rank 0, without MPI-IO. Collective. */
void fill(const char *name);
/* Opens the file on all ranks and notes it. mode: of MPI_File_open; classic: the same mode in the
 * numbers that logs use. */
void open_file(struct target *target, int mode, int classic);
/* Closes the file on all ranks. */
void close_file(struct target *target);
/* Sets and notes a view that shows every byte from the displacement (in bytes) on, with etypes of
 * four bytes. */
void view_of_ints(struct target *target, MPI_Offset displacement);

/* Makes all calls of transfers.c; the next two make those of requests.c and metadata.c. */
void all_transfers(void);
void all_requests(void);
void all_metadata(void);

#endif
