/* The message about a job that ends without MPI_Finalize.  The first rank that ends prints it once
 * for all, because launchers kill the other ranks as soon as a rank has ended. */
#ifndef DARSHAN_UNFINALIZED_H
#define DARSHAN_UNFINALIZED_H

/* Prints one line on stderr that the ranks' journals are retained, unless no journal exists or
 * another rank has printed it. subject: the beginning of the line, why the job ended. */
void last_word_say(const char *subject);

#endif
