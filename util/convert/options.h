/* What the new log shall be. */
#ifndef DARSHAN_CONVERT_OPTIONS_H
#define DARSHAN_CONVERT_OPTIONS_H

#include "hide.h"

struct convert_options {
  const char *in, *out;
  int compression;
  struct hiding hiding;
  char *annotation; /* lines, tabs between them; NULL: none */
  bool reset_metadata;
  bool annex;
  bool one_file; /* only records of this id: */
  uint64_t file;
};

#endif
