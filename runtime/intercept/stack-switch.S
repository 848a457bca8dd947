/* void stack_switch(void (*function)(void *), void *argument, char *top, char **left): runs
 * function(argument) on the stack that ends at top, a multiple of 16. *left receives the previous
 * stack pointer. The frame pointer has it, too, so that debuggers and unwinders find the caller. */
#if defined(__x86_64__)
        .text
        .globl  stack_switch
        .hidden stack_switch
        .type   stack_switch, @function
stack_switch:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rsp, (%rcx)
        movq    %rdx, %rsp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        call    *%rax
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   stack_switch, .-stack_switch
#elif defined(__aarch64__)
        .text
        .globl  stack_switch
        .hidden stack_switch
        .type   stack_switch, %function
stack_switch:
        .cfi_startproc
        hint    34 /* bti c */
        stp     x29, x30, [sp, -16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        str     x29, [x3]
        mov     sp, x2
        mov     x9, x0
        mov     x0, x1
        blr     x9
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], 16
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   stack_switch, .-stack_switch
#endif
#include "elf-notes.inc"
