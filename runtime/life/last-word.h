/* A job that ends without MPI_Finalize is told of once, by whichever rank comes to
 * it first: launchers kill the others as soon as one has gone. */
#ifndef DARSHAN_LAST_WORD_H
#define DARSHAN_LAST_WORD_H

/* Says that the ranks' journals are kept, if there are any and nobody of the job has
 * said so yet; subject: what happened. */
void last_word_say(const char *subject);

#endif
