/* Start of recording in a process. */
#ifndef DARSHAN_START_H
#define DARSHAN_START_H

#include "../job/runtime.h"

/* Reads the settings and the run, and switches recording on if the process is to be
 * instrumented.  Called by the first constructor. */
void runtime_start(int argc, char **argv, char **envp);

/* Called after an executable has registered its statically linked libraries.  If MPI is one of
 * them, the process may become a rank, and recording starts. */
void runtime_meet_program(void);

/* Called for the first event.  Makes the memory for records, and the journal if the process may
 * leave files.  Returns 0 if the process records, else -1. */
int runtime_begin_recording(void);
/* Notes that there will be no log for lack of memory; the message is printed later. */
void runtime_note_no_memory(void);

/* Called in MPI_Init, when mpi_state knows the job.  Starts recording, or makes a process that
 * records already a rank. */
void runtime_start_rank(void);

#endif
