/* Defines a hidden function for every STRAIGHT row of libc-calls.def. The function jumps to the
 * address in its slot. At first that is straight_first, which calls straight_bind to fill all slots
 * (libc-direct.c) and jumps again. A call costs as much as one by a procedure linkage table. The
 * target function sees the caller's return address and frame: dlsym needs the address, setjmp the
 * frame. All arguments of these functions are integers and pointers. */
#define BY_NAME(name)
#if defined(__x86_64__)
#define STRAIGHT_AS(row, name)                                                                      \
        .globl  name; .hidden name; .type name, @function; .balign 16;                             \
name:   endbr64; jmp *slot_##name(%rip);                                                           \
first_##name: endbr64; leaq slot_##name(%rip), %r11; jmp straight_first;                           \
        .size   name, .-name
#define STRAIGHT(name) STRAIGHT_AS(name, name)
        .text
#include <libc-calls.def>
#undef STRAIGHT
#undef STRAIGHT_AS
        .type   straight_first, @function
straight_first:
        .cfi_startproc
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        pushq   %rax
        pushq   %r10
        pushq   %r11
        .cfi_def_cfa_offset 80
        call    straight_bind
        popq    %r11
        popq    %r10
        popq    %rax
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        .cfi_def_cfa_offset 8
        jmp     *(%r11)
        .cfi_endproc
        .size   straight_first, .-straight_first
#elif defined(__aarch64__)
#define STRAIGHT_AS(row, name)                                                                      \
        .globl  name; .hidden name; .type name, %function; .balign 16;                             \
name:   hint 34; adrp x16, slot_##name; ldr x16, [x16, :lo12:slot_##name]; br x16;                 \
first_##name: hint 34; adrp x17, slot_##name; add x17, x17, :lo12:slot_##name; b straight_first;   \
        .size   name, .-name
#define STRAIGHT(name) STRAIGHT_AS(name, name)
        .text
#include <libc-calls.def>
#undef STRAIGHT
#undef STRAIGHT_AS
        .type   straight_first, %function
straight_first:
        .cfi_startproc
        stp     x29, x30, [sp, -96]!
        .cfi_def_cfa_offset 96
        .cfi_offset x29, -96
        .cfi_offset x30, -88
        stp     x0, x1, [sp, 16]
        stp     x2, x3, [sp, 32]
        stp     x4, x5, [sp, 48]
        stp     x6, x7, [sp, 64]
        stp     x8, x17, [sp, 80]
        bl      straight_bind
        ldp     x8, x17, [sp, 80]
        ldp     x6, x7, [sp, 64]
        ldp     x4, x5, [sp, 48]
        ldp     x2, x3, [sp, 32]
        ldp     x0, x1, [sp, 16]
        ldp     x29, x30, [sp], 96
        .cfi_def_cfa_offset 0
        ldr     x16, [x17]
        br      x16
        .cfi_endproc
        .size   straight_first, .-straight_first
#endif
        .data
        .balign 64
        .globl  straight_slots
        .hidden straight_slots
straight_slots:
#define STRAIGHT_AS(name, ours) slot_##ours: .quad first_##ours
#define STRAIGHT(name) STRAIGHT_AS(name, name)
#include <libc-calls.def>
#include "../elf-notes.inc"
