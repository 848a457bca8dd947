/* The options for the new log. */
#ifndef DARSHAN_CONVERT_OPTIONS_H
#define DARSHAN_CONVERT_OPTIONS_H

#include "hide.h"

struct convert_options {
  const char *in, *out;
  int compression;
  struct hiding hiding;
  char *annotation; /* lines separated by tabs; NULL: none */
  bool reset_metadata;
  bool annex;
  bool one_file; /* only records with the id `file` */
  uint64_t file;
};

#endif
