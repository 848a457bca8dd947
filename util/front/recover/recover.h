/* The subcommand recover, and the recovery after `darshan run`. */
#ifndef DARSHAN_FRONT_RECOVER_H
#define DARSHAN_FRONT_RECOVER_H

/* Runs `darshan recover`. argv[0] is the subcommand. Returns the exit status. */
int command_recover(int argc, char **argv);

/* Makes logs of what this user's processes left in a folder more than an hour ago: at most once a
 * day, a limited number of logs, and never in a rank of a job. */
void recover_by_the_way(const char *folder);

#endif
