/* The users whose journals are followed: their names, and limits of the time spent on their
 * journals, so that one user's journals never delay the journals of other users. */
#ifndef DARSHAN_EXPORT_USERS_H
#define DARSHAN_EXPORT_USERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { USERS_NAME = 64 };

struct user {
  uid_t uid;
  char name[USERS_NAME]; /* the number if there is no name */
  uint64_t bytes;        /* of journals read in this look */
  uint64_t opened_bytes; /* of new files */
  unsigned opened;       /* new files in this look */
  unsigned held;         /* open journals */
  unsigned known;        /* files that are remembered */
  double wait_until;     /* time before which this user's journals are not read */
  double open_until;     /* no new file of this user before */
};

struct users {
  struct user **all;
  size_t count;
};

/* Returns the user with this id, and adds a new user; NULL if there are too many users or out of
 * memory. Looks up a new user's name for at most a second. */
struct user *users_get(struct users *users, uid_t uid);

/* Ends a look at time `now` (seconds): decides, by its cost for each user, when that user's
 * journals may be read next. */
void users_end_look(struct users *users, double now);
/* Returns 1 if this user's journals may be read now: the user's pause is over, and the user's share
 * of this look is not used up. */
int users_may_read(const struct user *user, double now);
/* Returns 1 if a new file of this user may be opened now, by the rule of users_may_read. */
int users_may_open(const struct user *user, double now);

void users_free(struct users *users);

#endif
