/* Before a process image is replaced. */
#ifndef DARSHAN_EXEC_H
#define DARSHAN_EXEC_H

/* 1 if an exec of this path, or of this name by way of PATH, is likely to
 * succeed: the log is then written before.  A wrong guess is repaired. */
int exec_may_work(const char *path);
int exec_in_path(const char *file);

#endif
