/* The PnetCDF modules: PNETCDF_FILE and PNETCDF_VAR.  Events get the call, with
 * the library that the caller uses and the frame that collected what happened
 * below.  The library is asked only about ids that it has just accepted. */
#ifndef DARSHAN_PNETCDF_H
#define DARSHAN_PNETCDF_H

#include "../../door/door.h"
#include "../layers/layers.h"
#include "../posix/posix-fds.h"
#include "pnetcdf-library.h"
#include "pnetcdf-state.h"

/* A value that did not fit the type in memory or in the file: everything else
 * was moved all the same. */
enum { PN_OUT_OF_RANGE = -60 };

struct pn_call {
  struct pn_library *lib;
  struct layer_frame *frame;
  int result;
  uint64_t t1, t2;
};

/* What is known of an id without asking the library. */
struct pn_known {
  int ncid;
  struct pn_file *file; /* NULL: unknown */
};

struct pn_target {
  struct pn_variable *variable; /* NULL: unknown, or not recorded */
  struct pn_member shape;
};

/* Bytes that the library has moved through an id; -1: it does not tell. */
struct pn_moved {
  int64_t read, written;
};

/* ids.c */
static inline struct pn_file *pn_file_at(uint32_t number) {
  return segments_at(&pnetcdf_state.files, number);
}
static inline struct pn_variable *pn_variable_at(uint32_t number) {
  return segments_at(&pnetcdf_state.variables, number);
}
int pn_start(void);
void pn_prepare(void);
void pn_forked(void);
struct pn_known pn_known(const struct pn_library *lib, int ncid);
struct pn_target pn_known_target(const struct pn_library *lib, int ncid, int varid);
void pn_remember(const struct pn_library *lib, int ncid, uint32_t file);
void pn_remember_member(const struct pn_library *lib, int ncid, int varid,
                        const struct pn_member *member);
void pn_forget(const struct pn_library *lib, int ncid);
void pn_forget_all(const struct pn_library *lib);
/* The variables of an open file that were met, by ascending place from *at,
 * which is moved on; NULL: no more. */
struct pn_variable *pn_next_variable(const struct pn_library *lib, int ncid, uint32_t *at);

/* files.c */
void pn_opened(const struct pn_call *call, int counter, const char *path, const int *ncid);
struct pn_moved pn_before_close(const struct pn_library *lib, const struct pn_known *known);
void pn_closed(const struct pn_call *call, const struct pn_known *known,
               const struct pn_moved *moved);
/* A metadata call; counter -1: none counts it. */
void pn_meta(const struct pn_call *call, const struct pn_known *known, int counter);
void pn_waited(const struct pn_call *call, const struct pn_known *known, int counter);
/* The file of an id; asks the library if need be.  NULL: not recorded. */
struct pn_file *pn_file_of(const struct pn_library *lib, int ncid);
uint32_t pn_file_number(const struct pn_file *file);

/* variables.c */
void pn_variable_opened(const struct pn_call *call, const struct pn_known *known, const int *varid,
                        int defined);
void pn_filled(const struct pn_call *call, const struct pn_known *known, int varid);
/* The variable of an id, which is met if need be. */
struct pn_target pn_target_of(const struct pn_library *lib, int ncid, int varid);
/* Elements of the whole variable as it is now. */
int64_t pn_elements(const struct pn_library *lib, int ncid, const struct pn_member *shape);

/* access.c */
/* As transfers.def writes them. */
enum pn_form {
  PN_FORM_var,
  PN_FORM_var1,
  PN_FORM_vara,
  PN_FORM_vars,
  PN_FORM_varm,
  PN_FORM_varn,
  PN_FORM_vard
};
/* What an access is about; which of the pointers are given depends on the form. */
struct pn_place {
  enum pn_form form;
  const int64_t *count, *stride;
  int boxes; /* varn */
  const int64_t *const *counts;
  uintptr_t filetype; /* vard */
};
/* Bytes, lengths and strides. */
void pn_describe(const struct pn_library *lib, int ncid, const struct pn_member *shape,
                 const struct pn_place *place, int64_t access[ACCESS_FIELDS]);

/* transfers.c: any function of transfers.def, by number; name: for the linker.
 * arguments: six of them, ten with PN_MORE_THAN_SIX. */
enum { PN_API_put, PN_API_get, PN_API_iput, PN_API_iget, PN_API_bput, PN_API_mput, PN_API_mget };
enum { /* traits: an API, a form times PN_FORM, a mode, and flags */
       PN_API_MASK = 15,
       PN_FORM = 16,
       PN_MODE_ = 0,
       PN_MODE__all = 256,
       PN_MORE_THAN_SIX = 512
};
int pn_transfer(int function, unsigned traits, const char *name, const uintptr_t *arguments,
                const void *caller);

/* Where the outermost call is: some versions call their own functions by name, which
 * counts once. */
/* 0: this call only forwards. */
static inline int pn_begin(const struct pn_library *lib) {
  const char *here = __builtin_frame_address(0);
  if (!lib || !darshan_hot.fd_limit || (darshan_guard & GUARD_VFORK)) return 0;
  if (darshan_inside.pnetcdf && here < darshan_inside.pnetcdf) return 0;
  darshan_inside.pnetcdf = here;
  return 1;
}
static inline void pn_end(void) {
  darshan_inside.pnetcdf = NULL;
}

#endif
