/*
 * Sums of doubles whose error does not grow with their number (Neumaier 1974).
 */
#ifndef AGENTRL_SUM_H
#define AGENTRL_SUM_H

#include <math.h>

typedef struct Sum {
	double total;
	double lost; /* what rounding dropped from total */
} Sum;

static inline void
sum_add(Sum *sum, double value)
{
	double total = sum->total + value;

	if (fabs(sum->total) >= fabs(value))
		sum->lost += (sum->total - total) + value;
	else
		sum->lost += (value - total) + sum->total;
	sum->total = total;
}

static inline double
sum_value(const Sum *sum)
{
	return sum->total + sum->lost;
}

#endif
