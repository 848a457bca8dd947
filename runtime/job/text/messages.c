/* Formats the problems that a process reports. */
#include "messages.h"

#include <errno.h>

#include "text.h"

struct darshan_messages darshan_problems;

/* Adds untrusted bytes, as many as fit into the buffer; control bytes become question marks. */
static void add_bytes(struct darshan_text *text, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++)
    darshan_text_bytes(text, (unsigned char)bytes[i] < ' ' || bytes[i] == 127 ? "?" : bytes + i, 1);
}

void darshan_message_add(struct darshan_messages *messages, const char *subject,
                         const char *problem, const char *detail, size_t detail_length) {
  enum { MOST = 160 }; /* bytes of the file's path */
  if (messages->count++ > 0) return;
  struct darshan_text text = darshan_text_in(messages->first, sizeof(messages->first));
  if (messages->line != 0) {
    add_bytes(&text, messages->file, strnlen(messages->file, MOST));
    darshan_text_add(&text, ", line ");
    darshan_text_unsigned(&text, messages->line);
    darshan_text_add(&text, ": ");
  }
  darshan_text_add(&text, subject);
  darshan_text_add(&text, " ");
  darshan_text_add(&text, problem);
  if (messages->line != 0 || detail == NULL || detail_length == 0) return;
  darshan_text_add(&text, ": ");
  add_bytes(&text, detail, detail_length);
}

void darshan_message_join(struct darshan_messages *messages, const char *const *strings) {
  enum { MOST = 160 };
  static const char dots[] = "...";
  if (messages->count++ > 0) return;
  struct darshan_text text = darshan_text_in(messages->first, sizeof(messages->first));
  for (; *strings; strings++) {
    size_t length = strlen(*strings);
    int shortened = strings[1] && length > MOST;
    add_bytes(&text, *strings, shortened ? MOST - (sizeof(dots) - 1) : length);
    if (shortened) darshan_text_add(&text, dots);
  }
}

const char *darshan_error_text(int error) {
  switch (error) {
#define E(NUMBER, TEXT)                                                                            \
  case NUMBER:                                                                                     \
    return TEXT;
#include "error-text.def"
#undef E
  default:
    return "unknown error";
  }
}

size_t darshan_messages_line(const struct darshan_messages *messages, char *out, size_t room) {
  struct darshan_text text = darshan_text_in(out, room);
  if (messages->count == 0) return 0;
  darshan_text_add(&text, "darshan_library_warning: ");
  darshan_text_add(&text, messages->first);
  if (messages->count > 1) {
    darshan_text_add(&text, " (and ");
    darshan_text_unsigned(&text, messages->count - 1);
    darshan_text_add(&text, " more)");
  }
  darshan_text_add(&text, "\n");
  return darshan_text_length(&text);
}
