/* The sub-command recover, and what `run` does of it by the way. */
#ifndef DARSHAN_FRONT_RECOVER_H
#define DARSHAN_FRONT_RECOVER_H

/* argv[0] is the sub-command; an exit status. */
int command_recover(int argc, char **argv);

/* Makes logs of what this user's processes left in this folder more than an hour ago;
 * at most once a day, a bounded number of them, and never for ranks of a job. */
void recover_by_the_way(const char *folder);

#endif
