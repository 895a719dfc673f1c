/* Hides AVX-512, VNNI and AMX from the processes that load it (LD_PRELOAD): they compute as on a
   processor that has AVX2 alone. Linux on x86-64 with cpuid_fault. See older_processor.py. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ARCH_SET_CPUID 0x1012 /* asm/prctl.h; 0: the instruction faults, until the next exec */
#define BIT(n) (1u << (n))

struct answer {
    uint32_t leaf, subleaf, a, b, c, d;
};

static struct answer answers[512];
static int known;

static void hide(struct answer *r)
{
    if (r->leaf == 7 && r->subleaf == 0) {
        r->b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
        r->c &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
        r->d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
    }
    if (r->leaf == 7 && r->subleaf == 1) { /* AVX-VNNI, -BF16, -IFMA, AMX-FP16, -COMPLEX */
        r->a &= ~(BIT(4) | BIT(5) | BIT(21) | BIT(23));
        r->d &= ~(BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19));
    }
    if (r->leaf == 0x1d || r->leaf == 0x1e || r->leaf == 0x24) /* tiles, AVX10 */
        r->a = r->b = r->c = r->d = 0;
}

static int has_subleaves(uint32_t leaf)
{
    return leaf == 4 || leaf == 7 || leaf == 0xb || leaf == 0xd || leaf == 0x14 || leaf == 0x1f;
}

static void ask(uint32_t leaf, uint32_t subleaf)
{
    struct answer *r = &answers[known++];
    r->leaf = leaf;
    r->subleaf = subleaf;
    __asm__ volatile("cpuid"
                     : "=a"(r->a), "=b"(r->b), "=c"(r->c), "=d"(r->d)
                     : "a"(leaf), "c"(subleaf));
    hide(r);
}

static void ask_from(uint32_t first)
{
    ask(first, 0);
    uint32_t last = answers[known - 1].a;
    for (uint32_t leaf = first + 1; leaf <= last && leaf < first + 0x40; leaf++)
        for (uint32_t sub = 0; sub < (has_subleaves(leaf) ? 8u : 1u) && known < 512; sub++)
            ask(leaf, sub);
}

static void answer_it(int signal_number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)registers[REG_RIP];
    if (info->si_code != SI_KERNEL || at[0] != 0x0f || at[1] != 0xa2) {
        signal(signal_number, SIG_DFL); /* a real fault: happens again, and ends the process */
        return;
    }
    uint32_t leaf = registers[REG_RAX], sub = registers[REG_RCX];
    struct answer none = {0}, *found = &none;
    for (int i = 0; i < known; i++)
        if (answers[i].leaf == leaf && (answers[i].subleaf == sub || !has_subleaves(leaf)))
            found = &answers[i];
    registers[REG_RAX] = found->a;
    registers[REG_RBX] = found->b;
    registers[REG_RCX] = found->c;
    registers[REG_RDX] = found->d;
    registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void)
{
    ask_from(0);
    ask_from(0x40000000u);
    ask_from(0x80000000u);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = answer_it;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigaction(SIGSEGV, &action, 0);
    syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0);
}
