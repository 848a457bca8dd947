/* Formats the problems that a process reports. */
#include "messages.h"

#include "text.h"

struct darshan_messages darshan_problems;

void darshan_message_add(struct darshan_messages *messages, const char *subject,
                         const char *problem, const char *detail, size_t detail_length) {
  if (messages->count++ > 0) return;
  struct darshan_text text = darshan_text_in(messages->first, sizeof(messages->first));
  darshan_text_add(&text, subject);
  darshan_text_add(&text, ": ");
  darshan_text_add(&text, problem);
  if (messages->line != 0) {
    darshan_text_add(&text, ": line ");
    darshan_text_unsigned(&text, messages->line);
    return;
  }
  if (detail == NULL) return;
  darshan_text_add(&text, ": ");
  for (size_t i = 0; i < detail_length; i++)
    darshan_text_bytes(&text, (unsigned char)detail[i] < ' ' || detail[i] == 127 ? "?" : detail + i,
                       1);
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
