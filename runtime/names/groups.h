/* Which files share a record, by their names alone: program files of one tree, and, past the
 * limit of records, files of one folder and ending. */
#ifndef DARSHAN_GROUPS_H
#define DARSHAN_GROUPS_H

#include <stddef.h>

enum { GROUP_TREES = 64 }; /* rows of the user's own */

/* What settings say; set once, before anything is recorded. */
struct darshan_group_rules {
  int each_program_file; /* 1: program files have records of their own */
  int count;
  const char *tree[GROUP_TREES];
};
extern struct darshan_group_rules darshan_group_rules __attribute__((visibility("hidden")));

/* Bytes of the name, with the last "/", that name the tree of which this is a program file; 0: it
 * is none.  What counts is the folder, and whether the ending is one of data. */
size_t darshan_program_tree(const char *name, size_t length);
/* 1: the ending says that it is data. */
int darshan_is_data(const char *name, size_t length);
/* Where the ending begins, with its dot; length: there is none that tells a kind of file. */
size_t darshan_ending(const char *name, size_t length);
/* Bytes of the name up to its last "/", with it; 0: there is none. */
size_t darshan_folder_part(const char *name, size_t length);
/* 1: such a name is that of a group, "<folder>/" and a star, and perhaps an ending. */
int darshan_names_a_group(const char *name, size_t length);

#endif
