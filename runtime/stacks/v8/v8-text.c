/* Reads texts of V8 (v8-text.h). A string is an array of bytes or of 16-bit characters, or refers
 * to other strings. */
#include "v8-text.h"

/* Stores the number of characters of a string. Returns true, or false if it cannot be read. */
static bool length_of(uintptr_t value, uint32_t *length) {
  return python_read_few(length, value - V8_TAG + (uintptr_t)v8.at.text_length, sizeof(*length));
}

/* Replaces a concatenated string by its first part, if that has all characters: V8 stores the whole
 * text there when it is read for the first time. Returns true, or false if it does not have all
 * characters or cannot be read. */
static bool step_into_first(uintptr_t *value) {
  uint32_t whole, first;
  return length_of(*value, &whole) && v8_field(*value, v8.at.text_first, value) &&
         length_of(*value, &first) && first == whole;
}

bool v8_text_of(uintptr_t value, struct v8_text *text) {
  enum { HOPS = 8, DATA_BEHIND = 8 };
  const struct v8_layout *at = &v8.at;
  uint32_t length;
  *text = (struct v8_text){0};
  for (int i = 0; i < HOPS; i++) {
    int type = v8_type(value), form = type & at->text_form;
    if (type < 0 || type >= at->type_no_text) return false;
    if (i == 0 && !length_of(value, &length)) return false;
    uintptr_t word = 0;
    text->length = length;
    text->width = type & at->text_one_byte ? 1 : 2;
    if (form == 0) {
      text->bytes = value - V8_TAG + (uintptr_t)at->text_bytes;
      return true;
    }
    if (form == at->form_external)
      return v8_field(value, at->text_resource + DATA_BEHIND, &text->bytes) && text->bytes;
    if (form == at->form_sliced) {
      if (!v8_field(value, at->text_offset, &word)) return false;
      text->offset += word >> V8_SMI_BITS;
      if (!v8_field(value, at->text_parent, &value)) return false;
    } else if (form == at->form_cons) {
      if (!step_into_first(&value)) return false;
    } else if (form == at->form_thin) {
      if (!v8_field(value, at->text_actual, &value)) return false;
    } else {
      return false;
    }
  }
  return false;
}

/* Reads characters, from index `from` on, as many as fit into the buffer and can be read. Returns
 * their number. */
static size_t read_characters(const struct v8_text *text, size_t from, void *to, size_t room) {
  size_t n = room / text->width, left = text->length - from;
  if (n > left) n = left;
  uintptr_t at = text->bytes + (text->offset + from) * text->width;
  return python_read_some(to, at, n * text->width) / text->width;
}

static unsigned character(const struct v8_text *text, const unsigned char *bytes, size_t i) {
  return text->width == 1 ? bytes[i] : bytes[2 * i] | (unsigned)bytes[2 * i + 1] << 8;
}

size_t v8_copy(const struct v8_text *text, char *to, size_t room, bool *is_cut) {
  unsigned char bytes[256];
  size_t n = 0;
  for (size_t done = 0; done < text->length;) {
    size_t got = read_characters(text, done, bytes, sizeof(bytes));
    if (got == 0) break;
    for (size_t i = 0; i < got; i++) {
      unsigned c = character(text, bytes, i);
      if (n + 2 >= room) {
        *is_cut = true;
        to[n] = '\0';
        return n;
      }
      if (c < ' ' || c == 127 || c > 0x7ff) {
        to[n++] = '?';
      } else if (c < 128) {
        to[n++] = (char)c;
      } else {
        to[n++] = (char)(0xc0 | c >> 6);
        to[n++] = (char)(0x80 | (c & 0x3f));
      }
    }
    done += got;
  }
  to[n] = '\0';
  return n;
}

uint32_t v8_line(const struct v8_text *source, size_t position) {
  enum { MOST = 4 << 20 };
  unsigned char bytes[1024];
  uint32_t line = 1;
  if (position > source->length || position > MOST) return 0;
  for (size_t done = 0; done < position;) {
    size_t got = read_characters(source, done, bytes, sizeof(bytes));
    if (got == 0) return 0;
    for (size_t i = 0; i < got && done + i < position; i++)
      line += character(source, bytes, i) == '\n';
    done += got;
  }
  return line;
}
