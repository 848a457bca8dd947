/* Declares a tally: the sums of one process's journal by file system. */
#ifndef DARSHAN_EXPORT_TALLY_H
#define DARSHAN_EXPORT_TALLY_H

#include "../../parser/id-table.h"
#include "live.h"
#include "values.h"

enum {
  TALLY_PLACES = 32
}; /* largest number of file systems of a process; "unknown" has the files on others */

struct tally_place {        /* a file system ("place") */
  const char *mount, *type; /* as in the job region; "unknown" if there is no file system */
  struct values now;        /* values at the last tally_look */
  struct values counted;    /* highest values so far, which the sums contain for this process */
  void *sum;                /* used by the caller */
};

struct tally {
  struct darshan_job_region job; /* of the journal */
  struct id_table files;         /* hash of a record id -> struct tally_file */
  int num_places;                /* number of file systems; the first is "unknown" */
  struct tally_place *places;
  signed char *place_of_mount; /* index of each mount's file system; -1: not used yet */
};

/* Begins a tally of an open journal, whose job region it reads. Returns 0, or -1 with an error;
 * tally_free is needed in both cases. */
int tally_begin(struct tally *tally, struct darshan_live *live, struct darshan_error *error);
void tally_free(struct tally *tally);

/* Reads the journal and sets places[].now. elapsed: seconds since the process can have started;
 * values that a process cannot reach in this time are an error. Returns 0, or -1 with an error;
 * places[].now is then undefined. */
int tally_look(struct tally *tally, struct darshan_live *live, struct darshan_live_room *room,
               double elapsed, struct darshan_error *error);

#endif
