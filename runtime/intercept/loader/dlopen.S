/* Wrapper of dlopen() in assembler. A C function cannot wrap dlopen(), because dlopen() takes the
 * RUNPATH and the namespace of the object that contains its return address. This code calls
 * deepbind_note (life/exec/deepbind.c) if RTLD_DEEPBIND is set, shown_settle_late
 * (conditional-export.c) at the first call, and jumps to the real function. glibc itself has dlopen
 * since 2.34, so the real function is always found. */
#include <features.h>
#if defined(__GLIBC__) && !defined(DARSHAN_OLD_GLIBC)
#if __GLIBC_PREREQ(2, 34)
#define DEEPBIND 8
        .text
        .globl  dlopen
#if defined(__x86_64__)
        .type   dlopen, @function
dlopen:
        .cfi_startproc
        endbr64
        testl   $DEEPBIND, %esi
        jne     2f
4:      cmpl    $0, shown_is_due(%rip)
        jne     5f
1:      movq    real_dlopen(%rip), %rax
        testq   %rax, %rax
        je      3f
        jmp     *%rax
2:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    deepbind_note
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     4b
5:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    shown_settle_late
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     1b
3:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        leaq    real_dlopen(%rip), %rdi
        leaq    dlopen_name(%rip), %rsi
        call    real_resolve
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   dlopen, .-dlopen
#elif defined(__aarch64__)
        .type   dlopen, %function
dlopen:
        .cfi_startproc
        hint    34 /* bti c */
        tbnz    w1, 3, 2f
4:      adrp    x9, shown_is_due
        ldr     w9, [x9, :lo12:shown_is_due]
        cbnz    w9, 5f
1:      adrp    x9, real_dlopen
        ldr     x16, [x9, :lo12:real_dlopen]
        cbz     x16, 3f
        br      x16
2:      stp     x29, x30, [sp, -32]!
        .cfi_adjust_cfa_offset 32
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, 16]
        bl      deepbind_note
        ldp     x0, x1, [sp, 16]
        ldp     x29, x30, [sp], 32
        .cfi_adjust_cfa_offset -32
        .cfi_restore x29
        .cfi_restore x30
        b       4b
5:      stp     x29, x30, [sp, -32]!
        .cfi_adjust_cfa_offset 32
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, 16]
        bl      shown_settle_late
        ldp     x0, x1, [sp, 16]
        ldp     x29, x30, [sp], 32
        .cfi_adjust_cfa_offset -32
        .cfi_restore x29
        .cfi_restore x30
        b       1b
3:      stp     x29, x30, [sp, -32]!
        .cfi_adjust_cfa_offset 32
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, 16]
        adrp    x0, real_dlopen
        add     x0, x0, :lo12:real_dlopen
        adrp    x1, dlopen_name
        add     x1, x1, :lo12:dlopen_name
        bl      real_resolve
        mov     x16, x0
        ldp     x0, x1, [sp, 16]
        ldp     x29, x30, [sp], 32
        .cfi_adjust_cfa_offset -32
        .cfi_restore x29
        .cfi_restore x30
        br      x16
        .cfi_endproc
        .size   dlopen, .-dlopen
#endif
        .section .rodata
dlopen_name:
        .asciz  "dlopen"
        .bss
        .balign 8
real_dlopen:
        .zero   8
#endif
#endif
#include "../elf-notes.inc"
