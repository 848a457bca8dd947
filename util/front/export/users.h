/* The users whose journals are followed: their names, and limits of the time that is spent on the
 * journals of each user, so that they never delay those of other users. */
#ifndef DARSHAN_EXPORT_USERS_H
#define DARSHAN_EXPORT_USERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { USERS_NAME = 64 };

struct user {
  uid_t uid;
  char name[USERS_NAME]; /* the user's number if the user has no name */
  uint64_t bytes;        /* bytes of journals read in this look */
  uint64_t opened_bytes; /* bytes of new files in this look */
  unsigned opened;       /* number of new files in this look */
  unsigned held;         /* number of open journals */
  unsigned known;        /* number of files in the table of processes */
  double wait_until;     /* monotonic seconds before which this user's journals are not read */
  double open_until;     /* monotonic seconds before which no new file of this user is opened */
};

struct users {
  struct user **all;
  size_t count;
};

/* Returns the user with this id, who is added if necessary; NULL if there are too many users or
 * memory is exhausted. Looks up a new user's name, for at most a second. */
struct user *users_get(struct users *users, uid_t uid);

/* Ends a look at time `now` (monotonic seconds): decides when each user's journals may be read
 * next, by the bytes that were read of them. */
void users_end_look(struct users *users, double now);
/* Returns 1 if this user's journals may be read now: the user's pause is over, and the user's limit
 * for this look is not reached. Otherwise returns 0. */
int users_may_read(const struct user *user, double now);
/* Returns 1 if a new file of this user may be opened now, by the rule of users_may_read. Otherwise
 * returns 0. */
int users_may_open(const struct user *user, double now);

void users_free(struct users *users);

#endif
