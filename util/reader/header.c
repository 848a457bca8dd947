/* Reads the header: version, byte order, offsets of the regions. Converts old formats to the newest
 * layout and module ids. */
#include "bytes.h"
#include "reader.h"

#include <errno.h>
#include <string.h>

enum { FORMAT_H5D = 320, FORMAT_NOW = 341 };
static const int known_formats[] = {300, 310, 320, 321, FORMAT_NOW};

/* Returns 100 times the major version plus the minor one: 341 for "3.41", 304 for "3.4". text: at
 * most 8 characters with NUL. Ignores leading zeros and bytes after the version. Returns -1 if the
 * text is not a version, or one above 9.99. */
static int parse_version(const char *text) {
  long part[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (*text < '0' || *text > '9') return -1;
    for (; *text >= '0' && *text <= '9'; text++)
      part[i] = part[i] * 10 + (*text - '0'); /* at most 8 digits */
    if (i == 0 && *text++ != '.') return -1;
  }
  return part[0] > 9 || part[1] > 99 ? -1 : (int)(part[0] * 100 + part[1]);
}

static int check_version(struct darshan_frame *frame, const char *text,
                         struct darshan_error *error) {
  memcpy(frame->version, text, 8);
  frame->version[8] = '\0';
  frame->format = parse_version(frame->version);
  if (frame->format < 0) return darshan_fail(error, "is not a Darshan log");
  for (size_t i = 0; i < sizeof(known_formats) / sizeof(known_formats[0]); i++)
    if (frame->format == known_formats[i]) return 0;
  return darshan_fail(error, "has log format %d.%02d, which is not supported", frame->format / 100,
                      frame->format % 100);
}

static int check_order(struct darshan_frame *frame, int64_t magic, struct darshan_error *error) {
  frame->swapped = magic != DARSHAN_LOG_MAGIC;
  darshan_swap_words(&magic, frame->swapped);
  if (magic != DARSHAN_LOG_MAGIC) return darshan_fail(error, "is not a Darshan log");
  return 0;
}

/* Fill frame->header from the bytes of the file's header, in host byte order. load_new reads the
 * newest layout, load_old converts the old layout. */
static void load_new(struct darshan_frame *frame, const unsigned char *bytes) {
  struct darshan_header *header = &frame->header;
  memcpy(header, bytes, sizeof(*header));
  if (!frame->swapped) return;
  darshan_swap_words(&header->partial_flag, 1);
  darshan_swap_words(&header->names, 2);
  darshan_swap_words(header->modules, sizeof(header->modules) / 8);
  darshan_swap_halves(header->module_versions, DARSHAN_MAX_MODULES);
}

static void load_old(struct darshan_frame *frame, const unsigned char *bytes) {
  struct darshan_header_old old;
  memcpy(&old, bytes, sizeof(old));
  if (frame->swapped) {
    darshan_swap_halves(&old.partial_flag, 1);
    darshan_swap_words(&old.names, 2);
    darshan_swap_words(old.modules, sizeof(old.modules) / 8);
    darshan_swap_halves(old.module_versions, DARSHAN_MAX_MODULES_OLD);
  }
  struct darshan_header *header = &frame->header;
  header->comp_type = old.comp_type;
  header->partial_flag = old.partial_flag;
  header->names = old.names;
  memcpy(header->modules, old.modules, sizeof(old.modules));
  memcpy(header->module_versions, old.module_versions, sizeof(old.module_versions));
}

/* Shifts the module ids from `id` on by one, because the old format lacks this module. */
static void insert_module(struct darshan_header *header, int id) {
  int behind = DARSHAN_MAX_MODULES - id - 1;
  memmove(&header->modules[id + 1], &header->modules[id], behind * sizeof(header->modules[0]));
  memmove(&header->module_versions[id + 1], &header->module_versions[id],
          behind * sizeof(header->module_versions[0]));
  memset(&header->modules[id], 0, sizeof(header->modules[0]));
  header->module_versions[id] = 0;
  uint64_t below = (UINT64_C(1) << id) - 1;
  header->partial_flag = (header->partial_flag & below) | ((header->partial_flag & ~below) << 1);
}

int darshan_header_read(struct darshan_frame *frame, const struct darshan_file *file,
                        struct darshan_error *error) {
  unsigned char bytes[sizeof(struct darshan_header)];
  long got = darshan_file_read(file, bytes, sizeof(bytes), 0);
  if (got < 0) return darshan_fail(error, "cannot read the header: %s", strerror(errno));
  if (got < 16) return darshan_fail(error, "is not a Darshan log (%ld bytes)", got);
  int64_t magic;
  memcpy(&magic, bytes + 8, sizeof(magic));
  if (check_version(frame, (const char *)bytes, error) != 0 ||
      check_order(frame, magic, error) != 0)
    return -1;
  bool old = frame->format < FORMAT_NOW;
  frame->header_size = old ? sizeof(struct darshan_header_old) : sizeof(struct darshan_header);
  if ((uint64_t)got < frame->header_size)
    return darshan_fail(error, "ends inside the header (truncated log?)");
  memset(&frame->header, 0, sizeof(frame->header));
  if (old)
    load_old(frame, bytes);
  else
    load_new(frame, bytes);
  if (frame->format < FORMAT_H5D) insert_module(&frame->header, DARSHAN_MOD_H5D);
  if (old) insert_module(&frame->header, DARSHAN_MOD_PNETCDF_VAR);
  if (frame->header.comp_type > DARSHAN_UNCOMPRESSED)
    return darshan_fail(error, "has unknown compression method %d", frame->header.comp_type);
  return 0;
}
