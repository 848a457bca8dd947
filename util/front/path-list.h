/* A list of paths that owns its strings. */
#ifndef DARSHAN_FRONT_PATH_LIST_H
#define DARSHAN_FRONT_PATH_LIST_H

#include <stddef.h>

struct path_list {
  char **paths;
  size_t count;
};

void path_list_add(struct path_list *list, const char *path);
/* Sorts by name, from index `first` on. */
void path_list_sort(struct path_list *list, size_t first);
void path_list_free(struct path_list *list);

#endif
