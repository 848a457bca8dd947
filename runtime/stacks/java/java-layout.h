/* The Java machine of this process, and the layout of its structures. Only for files of this
 * folder; others include ../script/script-frames.h. */
#ifndef DARSHAN_JAVA_LAYOUT_H
#define DARSHAN_JAVA_LAYOUT_H

#include "../script/script-layout.h"

struct java_layout {
#define STATIC(member, type, field, need) uintptr_t member;
#define OFFSET(member, type, field, need) uintptr_t member;
#define ALSO(member, type, field)
#define SIZE(member, type, need) uintptr_t member;
#include "java-layout.def"
#undef STATIC
#undef OFFSET
#undef ALSO
#undef SIZE
};
/* Value of a member that this release of Java does not have. */
#define JAVA_MISSING UINTPTR_MAX

struct java {
  struct java_layout at;
  unsigned number_base; /* subtracted from each byte of a compressed number: 1 from release 20 on */
  uintptr_t inside;     /* an address in the machine's library */
  void *(*own_value)(unsigned); /* pthread_getspecific */
};
/* The facts about the Java machine of this process. Written once, before script_kind becomes
 * SCRIPT_JAVA. */
extern struct java java __attribute__((visibility("hidden")));

/* Value of python_frame.instruction if the line of a frame is unknown; otherwise the value is the
 * index of a bytecode. */
#define JAVA_NO_INSTRUCTION UINTPTR_MAX

static inline bool java_word(uintptr_t from, uintptr_t *word) {
  return python_read_few(word, from, sizeof(*word));
}
static inline bool java_number(uintptr_t from, uint32_t *number) {
  return python_read_few(number, from, sizeof(*number));
}
static inline bool java_short(uintptr_t from, uint16_t *number) {
  return python_read_few(number, from, sizeof(*number));
}

/* Reads a compressed number (one to five bytes) and moves *at behind it. Returns true, or false if
 * the memory cannot be read. */
bool java_compressed(uintptr_t *at, uint32_t *number) __attribute__((visibility("hidden")));

/* A block of compiled code or a stub. start: address of the block; code: address of its code. */
struct java_blob {
  uintptr_t start, code;
  uintptr_t frame;  /* size of its stack frames, in bytes */
  bool is_compiled; /* it is a method, into which other methods may be inlined */
};
/* Finds the compiled code or stub that contains the address. Returns true, or false if there is
 * none. */
bool java_blob_of(uintptr_t address, struct java_blob *blob) __attribute__((visibility("hidden")));

/* Passes a Java frame to a sink: its method, and the index of its current bytecode or
 * JAVA_NO_INSTRUCTION. Returns false if the sink needs no further frames, otherwise true. */
typedef bool java_give(struct script_sink *sink, uintptr_t method, uintptr_t instruction);

/* Passes the methods of a compiled frame to `give`, the innermost first. If the inlined methods
 * cannot be read, passes only the method to which the code belongs, without an instruction. stack:
 * the frame's address. code: the address at which the frame continues. Returns false if the sink
 * needs no further frames, or if the code has no method; otherwise true. */
bool java_give_compiled(struct script_sink *sink, const struct java_blob *blob, uintptr_t stack,
                        uintptr_t code, java_give *give) __attribute__((visibility("hidden")));

/* Addresses that are read from a method. */
struct java_method {
  uintptr_t constant, pool, holder; /* its ConstMethod, its ConstantPool, and the class of that */
  uintptr_t bytecodes;
  uint16_t size; /* number of bytes of the bytecodes; 0: a native method */
};
/* Reads a method. Returns true, or false if there is none at the address. */
bool java_method_at(uintptr_t address, struct java_method *method)
    __attribute__((visibility("hidden")));

/* Returns true if the method is ClassLoader.loadClass or a similar method of the JDK. */
bool java_loads_classes(uintptr_t method) __attribute__((visibility("hidden")));

#endif
