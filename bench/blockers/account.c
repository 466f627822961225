/* Payments from an account. */
#include "blockers.h"

#include <sonde.h>

enum { PAYMENTS_MAX = 200 };

int account_currency = HELD(840, 978);

struct account {
    long balance;
    int n;
};

APART void pay(struct account *a, int amount)
{
    if (account_currency == 978) passed("account-euro"); /* blocked: constant */
    if (amount > 10000) passed("account-large");         /* blocked: range amount */
    a->balance -= amount;
    if (a->balance < 0) passed("account-overdrawn"); /* blocked: assume covered */
    a->n++;
}

APART void print_statement(const struct account *a, uint32_t pin)
{
    if (a->n > 64) passed("account-page"); /* blocked: range xs */
    uint64_t hash = digest(&pin, sizeof pin);
    if (hash == UINT64_C(0xf4fe44183e1e23e4)) passed("account-pin"); /* blocked: open pin */
}

SONDE_PROPERTY(account)
{
    int amounts[PAYMENTS_MAX], n = 0;
    long sum = 0;
    struct account a = {.balance = 10000};
    sonde_list xs = sonde_list_of(t, "xs", 0, HELD(10, PAYMENTS_MAX));
    while (sonde_more(&xs)) sum += amounts[n++] = sonde_int(t, "amount", 1, HELD(5000, 50000));
    uint32_t pin = sonde_u32(t, "pin", 0, UINT32_MAX);
#ifndef UNBLOCKED
    sonde_assume(t, sum <= 10000); /* assume: covered */
#endif
    for (int i = 0; i < n; i++) pay(&a, amounts[i]);
    print_statement(&a, pin);
    sonde_check(t, a.n == n);
}
