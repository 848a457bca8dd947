/* Determines why a program left no log (no-log-reason.h). */
#define _GNU_SOURCE
#include "no-log-reason.h"

#include <config.h>
#include <elf.h>
#include <fcntl.h>
#include <libc-loader.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../message.h"

enum { HEAD = 65536, SHORT_HEAD = 4096, MAX_SCRIPTS = 4 };

/* Writes the path of the program that execvp would start for a name. Returns 0, or -1 if none is
 * found or the path is too long. */
static int find_program(char out[PATH_MAX], const char *name) {
  const char *path = getenv("PATH");
  if (strchr(name, '/')) return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX ? 0 : -1;
  for (path = path ? path : "/bin:/usr/bin"; *path; path += strspn(path, ":")) {
    int n = (int)strcspn(path, ":");
    if (snprintf(out, PATH_MAX, "%.*s/%s", n, path, name) < PATH_MAX && access(out, X_OK) == 0)
      return 0;
    path += n;
  }
  return -1;
}

/* Returns 1 if no more bytes of the file are needed: it is not a program, or these bytes contain
 * its program headers and the data of PT_INTERP and PT_NOTE. Otherwise returns 0, also for a 32-bit
 * program. */
static int is_enough(const char *head, size_t n) {
  ElfW(Ehdr) file;
  if (n < sizeof(file) || memcmp(head, ELFMAG, SELFMAG) != 0) return 1;
  memcpy(&file, head, sizeof(file));
  if (file.e_ident[EI_CLASS] == ELFCLASS32) return 0;
  for (unsigned i = 0; i < file.e_phnum; i++) {
    ElfW(Phdr) part;
    size_t at = (size_t)file.e_phoff + i * sizeof(part);
    if (at > n || n - at < sizeof(part)) return 0;
    memcpy(&part, head + at, sizeof(part));
    if (part.p_type != PT_INTERP && part.p_type != PT_NOTE) continue;
    if (part.p_offset > n || part.p_filesz > n - part.p_offset) return 0;
  }
  return 1;
}

/* Reads the start of a file: a page, or up to HEAD bytes if its headers need more. Returns the
 * number of bytes, or 0 on an error. */
static size_t read_head(const char *path, char head[HEAD]) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd < 0 ? -1 : read(fd, head, SHORT_HEAD);
  if (n == SHORT_HEAD && !is_enough(head, (size_t)n)) {
    ssize_t more = read(fd, head + n, HEAD - 1 - SHORT_HEAD);
    if (more > 0) n += more;
  }
  if (fd >= 0) close(fd);
  if (n < 0) n = 0;
  head[n] = '\0';
  return (size_t)n;
}

/* Returns the path of the dynamic linker (PT_INTERP); "" if the path is not in the bytes that were
 * read; NULL if the program has none, or its headers are not in these bytes. */
static const char *loader_of(const char *head, size_t n) {
  ElfW(Ehdr) file;
  memcpy(&file, head, sizeof(file));
  for (unsigned i = 0; i < file.e_phnum; i++) {
    ElfW(Phdr) part;
    size_t at = (size_t)file.e_phoff + i * sizeof(part);
    if (at > n || n - at < sizeof(part)) return NULL;
    memcpy(&part, head + at, sizeof(part));
    if (part.p_type != PT_INTERP) continue;
    return part.p_offset < n && memchr(head + part.p_offset, 0, n - part.p_offset)
               ? head + part.p_offset
               : "";
  }
  return NULL;
}

/* head: the first n bytes of a program for another word size or processor. Returns 1 if it uses a
 * dynamic linker, which would print an error about the runtime and start the program without it.
 * Returns 0 if it uses none, or if its headers are not in these bytes. */
static int names_a_loader(const char *head, size_t n) {
  Elf32_Ehdr file;
  memcpy(&file, head, sizeof(file));
  if (file.e_ident[EI_CLASS] != ELFCLASS32) return loader_of(head, n) != NULL;
  for (unsigned i = 0; i < file.e_phnum; i++) {
    Elf32_Phdr part;
    size_t at = (size_t)file.e_phoff + i * sizeof(part);
    if (at > n || n - at < sizeof(part)) return 0;
    memcpy(&part, head + at, sizeof(part));
    if (part.p_type == PT_INTERP) return 1;
  }
  return 0;
}

/* The ELF header of this program in memory, to which the linker adds this symbol. Used because
 * /proc may be missing. */
extern const ElfW(Ehdr) own_head __asm__("__ehdr_start");

/* Returns the dynamic linker of this program, which libdarshan.so needs, too; "" if there is
 * none. */
static const char *own_loader(void) {
  const char *first = (const char *)&own_head;
  const ElfW(Phdr) *part = (const ElfW(Phdr) *)(const void *)(first + own_head.e_phoff);
  for (const ElfW(Phdr) *end = part + own_head.e_phnum; part < end; part++)
    if (part->p_type == PT_INTERP) return first + part->p_offset;
  return "";
}

/* Returns 1 if this dynamic linker can be read and belongs to another C library: it would not start
 * the program with the runtime. Otherwise returns 0. */
static int is_foreign(const char *loader) {
  static const char mark[] = LIBC_LOADER_MARK;
  struct stat st;
  if (strcmp(loader, own_loader()) == 0) return 0;
  int fd = loader[0] == '/' ? open(loader, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  void *bytes = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0
                    ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                    : MAP_FAILED;
  close(fd);
  if (bytes == MAP_FAILED) return 0;
  int foreign = !memmem(bytes, (size_t)st.st_size, mark, sizeof(mark) - 1);
  munmap(bytes, (size_t)st.st_size);
  return foreign;
}

/* Returns 1 if the program at `path` gets other rights than the user's (set-user-ID, set-group-ID,
 * capabilities), otherwise 0. */
static int raises_rights(const char *path) {
  struct stat st;
  if (stat(path, &st) < 0) return 0;
  if ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) return 1;
  if ((st.st_mode & S_ISGID) && st.st_gid != getegid()) return 1;
  return getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Replaces path by the interpreter of a script, or by the program that `env NAME` starts. Returns
 * 0, or -1 if the file is not a script or that program is not found. */
static int follow_script(char path[PATH_MAX], const char *head) {
  char line[256], *word, *rest = NULL;
  if (strncmp(head, "#!", 2) != 0) return -1;
  snprintf(line, sizeof(line), "%.*s", (int)strcspn(head + 2, "\n"), head + 2);
  word = strtok_r(line, " \t", &rest);
  if (!word) return -1;
  const char *base = strrchr(word, '/');
  if (strcmp(base ? base + 1 : word, "env") == 0) do
      word = strtok_r(NULL, " \t", &rest);
    while (word && (*word == '-' || strchr(word, '=')));
  return word ? find_program(path, word) : -1;
}

static const char other_libc[] =
    "uses another C library than " LIBC_NAME
    ", so libdarshan.so cannot be loaded; it ran without being recorded";

static const char other_size[] =
    "is a 32-bit program, and libdarshan.so is for 64 bits; it ran without being recorded";
#define OTHER_KIND "is built for another processor architecture than libdarshan.so"
static const char other_kind[] = OTHER_KIND,
                  other_processor[] = OTHER_KIND "; it ran without being recorded";

/* Returns 1 if a program with this reason is started without LD_PRELOAD, because its dynamic linker
 * would print an error about the runtime. Otherwise returns 0. */
static int is_left_alone(const char *reason) {
  return reason == other_libc || reason == other_size || reason == other_processor;
}

/* Returns the reason for a program that has another word size or processor. */
static const char *reason_of_kind(const char *head, size_t n, const ElfW(Ehdr) * file) {
  if (!names_a_loader(head, n))
    return other_kind; /* nothing is printed, and its children may be instrumented */
  return file->e_ident[EI_CLASS] == ELFCLASS32 && own_head.e_ident[EI_CLASS] == ELFCLASS64
             ? other_size
             : other_processor;
}
static const char other_rights[] =
    "runs with raised rights, so the dynamic linker preloads no library";

/* Returns 1 for a Go program, which has a note with its build id (life/exec/instrumentable.c).
 * Otherwise returns 0. */
static int is_go(const char *head, size_t n) {
  static const char go[4] = "Go";
  ElfW(Ehdr) file;
  ElfW(Phdr) part;
  ElfW(Nhdr) note;
  if (n < sizeof(file) || memcmp(head, ELFMAG, SELFMAG) != 0) return 0;
  memcpy(&file, head, sizeof(file));
  for (unsigned i = 0; i < file.e_phnum; i++) {
    size_t at = (size_t)file.e_phoff + i * sizeof(part);
    if (at > n || n - at < sizeof(part)) return 0;
    memcpy(&part, head + at, sizeof(part));
    if (part.p_type != PT_NOTE || part.p_offset >= n) continue;
    size_t end = part.p_filesz < n - part.p_offset ? part.p_offset + part.p_filesz : n;
    for (at = part.p_offset; end - at > sizeof(note) + sizeof(go);) {
      memcpy(&note, head + at, sizeof(note));
      at += sizeof(note);
      if (note.n_namesz == sizeof(go) && memcmp(head + at, go, sizeof(go)) == 0) return 1;
      size_t room = ((size_t)note.n_namesz + 3) / 4 * 4 + ((size_t)note.n_descsz + 3) / 4 * 4;
      if (room > end - at) break;
      at += room;
    }
  }
  return 0;
}

/* Returns why the runtime cannot be preloaded into the program at `path`, as a phrase after its
 * name; NULL if no reason is known. head: its first n bytes. */
static const char *reason_of_file(const char *path, const char *head, size_t n) {
  ElfW(Ehdr) file;
  if (raises_rights(path)) return other_rights;
  if (n < sizeof(file) || memcmp(head, ELFMAG, SELFMAG) != 0) return NULL;
  memcpy(&file, head, sizeof(file));
  if (file.e_ident[EI_CLASS] != own_head.e_ident[EI_CLASS] || file.e_machine != own_head.e_machine)
    return reason_of_kind(head, n, &file);
  const char *loader = loader_of(head, n);
  if (!loader)
    return is_go(head, n)
               ? "is a Go program that calls the kernel without the C library, so no library can "
                 "record it"
               : "is statically linked, so no library can be preloaded; link it with the runtime "
                 "(darshan-gen-cc)";
  if (is_foreign(loader)) return other_libc;
  return NULL;
}

/* The reason for the last command. Stored, because it is needed both before and after the run. */
static struct {
  const char *command, *reason;
  char path[PATH_MAX];
  int is_there, is_go;
} looked_at;

/* Examines a command unless it was the last one examined: fills `looked_at` for the program, or for
 * the interpreter of the script. */
static void look_at(const char *command) {
  char head[HEAD];
  if (looked_at.command == command) return;
  looked_at.command = command;
  looked_at.reason = NULL;
  looked_at.is_go = 0;
  looked_at.is_there = find_program(looked_at.path, command) == 0;
  for (int depth = 0; looked_at.is_there && depth < MAX_SCRIPTS; depth++) {
    size_t n = read_head(looked_at.path, head);
    looked_at.reason = reason_of_file(looked_at.path, head, n);
    looked_at.is_go = is_go(head, n);
    if (looked_at.reason || follow_script(looked_at.path, head) < 0) return;
  }
}

/* Returns the reason why the runtime cannot be preloaded into this program, or into the interpreter
 * of this script; NULL if no reason was found. Sets path to that program. */
static const char *reason_of_program(char path[PATH_MAX], const char *command) {
  look_at(command);
  if (looked_at.is_there) memcpy(path, looked_at.path, PATH_MAX);
  return looked_at.reason;
}

enum run_unwatched reason_of_row(const char *command, char name[RUN_PROGRAM]) {
  char path[PATH_MAX] = "";
  const char *slash = strrchr(command, '/');
  snprintf(name, RUN_PROGRAM, "%.*s", RUN_PROGRAM - 1, slash ? slash + 1 : command);
  const char *reason = reason_of_program(path, command);
  if (!reason) return looked_at.is_go ? RUN_GO : RUN_WATCHED;
  if (reason == other_rights) return RUN_RIGHTS;
  return is_left_alone(reason) || reason == other_kind ? RUN_OTHER_LIBC : RUN_STATIC;
}

int program_of_command(char path[PATH_MAX], const char *command) {
  reason_of_program(path, command);
  return looked_at.is_there ? 0 : -1;
}

int reason_to_leave_alone(const char *command) {
  char path[PATH_MAX];
  return is_left_alone(reason_of_program(path, command));
}

int reason_for_no_log(char *out, size_t room, const char *command) {
  char path[PATH_MAX];
  const char *serial = getenv("DARSHAN_ENABLE_NONMPI");
  const char *reason = reason_of_program(path, command);
  if (is_left_alone(reason))
    serial = NULL; /* such a program was not recorded, whatever the setting is */
  if (access(DARSHAN_OFF_FILE, F_OK) == 0) {
    snprintf(out, room, DARSHAN_OFF_FILE " exists and switches recording off");
    return 1;
  }
  if (getenv("DARSHAN_DISABLE")) {
    snprintf(out, room, "DARSHAN_DISABLE is set and switches recording off");
    return 1;
  }
  if (serial && strcmp(serial, "0") == 0) {
    snprintf(out, room,
             "DARSHAN_ENABLE_NONMPI=0 is set, and the application did not initialize MPI");
    return 1;
  }
  if (reason) {
    snprintf(out, room, "%s %s", say_path(path), reason);
    return 1;
  }
  snprintf(out, room,
           "a setting may exclude the application; DARSHAN_DUMP_CONFIG=1 shows the settings");
  return 0;
}
