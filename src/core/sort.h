#ifndef AGENTRL_SORT_H
#define AGENTRL_SORT_H

#include "postgres.h"

/* Ascending; no NaN among them. Cancellable. */
extern void sort_doubles(double *values, size_t n);

#endif
