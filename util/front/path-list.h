/* A list of paths, which owns its strings. An empty list is {NULL, 0}. */
#ifndef DARSHAN_FRONT_PATH_LIST_H
#define DARSHAN_FRONT_PATH_LIST_H

#include <stddef.h>

struct path_list {
  char **paths;
  size_t count;
};

/* Appends a copy of the path; does nothing if out of memory. */
void path_list_add(struct path_list *list, const char *path);
/* Sorts the paths from index `first` on by name. */
void path_list_sort(struct path_list *list, size_t first);
/* Frees the strings and leaves an empty list. */
void path_list_free(struct path_list *list);

#endif
