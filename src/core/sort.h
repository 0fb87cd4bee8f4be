#ifndef AGENTRL_SORT_H
#define AGENTRL_SORT_H

#include "postgres.h"

/* Ascending; no NaN among them. Cancellable. */
extern void sort_doubles(double *values, size_t n);
extern void sort_bigints(int64 *values, size_t n);

/* Leaves each of the sorted values once; gives how many there are. */
extern size_t drop_equal_bigints(int64 *sorted, size_t n);

#endif
