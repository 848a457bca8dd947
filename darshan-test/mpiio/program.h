/* Calls of MPI-IO, each with a line about what it did, from which model.py works
 * out what the log must hold. */
#ifndef TEST_MPIIO_H
#define TEST_MPIIO_H

#include <mpi.h>
#include <stdint.h>

enum { ROOM = 1 << 16 }; /* bytes of a file for each rank, and of the buffer */

extern int rank, ranks;
extern char data[ROOM];

/* A file of a case: its name, and the handle once it is open. */
struct target {
  const char *name;
  MPI_File fh;
};

/* Ends the job if a call fails. */
void check(int result, const char *call);
#define CHECK(call) check((call), #call)

/* A line for model.py: the file's name, then as printf. */
void note(const struct target *target, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The function has been called; rows of the runtime's tables that no one names
 * here fail the test. */
void covered(const char *function);

/* Fills a file with the room of all ranks, without MPI-IO. */
void fill(const char *name);
/* Opens on all ranks; classic: the mode in the numbering of logs. */
void open_file(struct target *target, int mode, int classic);
void close_file(struct target *target);
/* Every byte from the displacement on, in etypes of four bytes. */
void view_of_ints(struct target *target, MPI_Offset displacement);

/* transfers.c, requests.c, metadata.c */
void all_transfers(void);
void all_requests(void);
void all_metadata(void);

#endif
