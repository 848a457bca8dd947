/* A process in its run: it tells of itself in the run's folder, leaves its part there,
 * and who finds himself the last has one log made of all parts (runtime/format/run.h).
 * Nobody waits for anybody.  All of this is nothing where each process has its own log. */
#ifndef DARSHAN_LIFE_RUN_H
#define DARSHAN_LIFE_RUN_H

#include <sys/types.h>

#include "unwatched.h"

/* At start: of a program that was started in a run, it is known from here on. */
void run_started(void);

/* Before there is a second process, or program: the folder is made, if this is the top. */
void run_grows(void);
/* What is recorded could not be made a file. */
void run_note_unkept(void);
/* Around a fork, in the parent: before it, and after one that failed; after one that did
 * not, where its result is seen, the child (0 or less: nothing is done). */
void run_forking(void);
void run_fork_failed(void);
void run_has_forked(pid_t child);
/* In the child. */
void run_forked(void);
/* The child of a vfork is about to become another program that will be watched: of its
 * parent's memory nothing is changed that would not be true there. */
void run_vforked(void);
/* This process is; if it will not be watched, this is its end (run_left). */
void run_exec(void);
/* The program that this process, or with 1 its vforked child, is about to become will tell
 * nothing, or not all (unwatched.h): who says so now, and when its own end is told. */
void run_becomes_unwatched(struct run_event *row, int is_vforked);
/* A program was started in a process of its own: will it tell by itself (watched.h)? */
void run_spawned(pid_t child, char *const *envp);
/* Around a wait, which has told of a child; status: as it gave it. */
void run_waits(struct run_waiting *waiting);
void run_reaped(pid_t child, int status, const struct run_waiting *waiting);
/* The same as waitid tells it: the code and status of its siginfo_t. */
void run_told(pid_t child, int code, int status, const struct run_waiting *waiting);

/* 1: the records of this process are to be a part of its run's log, and the part has
 * its name. */
int run_takes_part(void);
/* The part is written, or could not be (result is negative).  1: that is how it stays; 0:
 * the run was closed meanwhile, and the part is taken back. */
int run_part_stays(int result);
/* A rank of an MPI job, whose log is written. */
void run_note_job(void);

/* How exit was asked to end the process. */
void run_note_status(int status);
/* The process ends; what is to be written is written. */
void run_left(void);

#endif
