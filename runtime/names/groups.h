/* Decides by a file's name whether the file shares a record: program files share the record of
 * their tree and, beyond the limit of records, files share the record of their folder and
 * extension. */
#ifndef DARSHAN_GROUPS_H
#define DARSHAN_GROUPS_H

#include <stddef.h>

enum { GROUP_TREES = 64 }; /* largest number of trees in the user's setting */

/* Settings, which do not change once recording has begun. */
struct darshan_group_rules {
  int each_program_file; /* 1: each program file has its own record */
  int count;
  const char *tree[GROUP_TREES];
  const char *
      ending; /* ending of program files of this process's interpreter, in any folder; NULL: none */
};
extern struct darshan_group_rules darshan_group_rules __attribute__((visibility("hidden")));

/* Returns the length of the program tree's path, with its "/", at the beginning of the name; 0 if
 * the file is not a program file. The folder decides this, except for names with an ending of data
 * files. */
size_t darshan_program_tree(const char *name, size_t length);
/* Sets the ending that program files have in any folder, according to the name of this process's
 * program. */
void darshan_group_program(const char *program);
/* Returns 1 if the name has the ending that darshan_group_program set, otherwise 0. */
int darshan_has_program_ending(const char *name, size_t length);
/* Returns 1 if the name has an ending of data files (DATA in program-trees.def). Otherwise returns
 * 0. */
int darshan_is_data(const char *name, size_t length);
/* Returns the offset of the ending, with its dot; length if no ending identifies a kind of file. */
size_t darshan_ending(const char *name, size_t length);
/* Returns the offset of the name's ending, as darshan_ending does, for a caller that already has
 * `folder`: the number of bytes up to the last "/" of the name, inclusive. */
size_t darshan_ending_after(size_t folder, const char *name, size_t length);
/* Returns the bytes of the name up to its last "/", inclusive; 0 if there is none. */
size_t darshan_folder_part(const char *name, size_t length);
/* Returns 1 if this is the name of a group: "<folder>/", a star, and an optional ending. Otherwise
 * returns 0. */
int darshan_names_a_group(const char *name, size_t length);

#endif
