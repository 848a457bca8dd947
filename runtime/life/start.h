/* Start of recording in a process. */
#ifndef DARSHAN_START_H
#define DARSHAN_START_H

#include "../job/runtime.h"

/* Called by the first constructor. */
void runtime_start(int argc, char **argv, char **envp);

/* A program has told which libraries lie in it: may it become a rank after all? */
void runtime_meet_program(void);

/* Makes the memory for records with the first of them, and the journal, if there is
 * to be one by now; RUNTIME_RECORDING or not afterwards.  Returns 0, or -1 when there
 * is nothing to record into. */
int runtime_begin_recording(void);
/* There will be no log of this process, and that will be said. */
void runtime_note_no_memory(void);

/* In MPI_Init, when mpi_state knows the job: starts recording, or, if that
 * has happened, makes this process a rank. */
void runtime_start_rank(void);

#endif
