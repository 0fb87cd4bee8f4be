/*
 * The rules for intervals and p values, each from what a figure's tasks sum up
 * to. This is the one place that says how wide an interval is; doc/statistics.md
 * says why. Plain C without server headers; the same bits on every machine.
 *
 * alpha is 1 - confidence throughout. No rule resamples, and none switches: what
 * moves with the data moves smoothly.
 */
#ifndef AGENTRL_RULES_H
#define AGENTRL_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/intervals.h"

typedef struct Inference {
	Bounds interval; /* NaN: there is none */
	double p_value;	 /* two-sided, that the figure is 0; NaN: none */
	double tasks_effective;
} Inference;

/*
 * (sum x)^2 / sum x^2: how many values carry the sum; 0 where all are 0. squares
 * is the sum of squares.
 */
extern double participation(double sum, double squares);

/*
 * How many of `tasks` values in [0, 1] carry their mean, or how many carry what
 * it lacks of 1, whichever are fewer.
 */
extern double share_carriers(double tasks, double sum, double squares);

/* A share: the mean of values in [0, 1], one for each task. */
typedef struct ShareEvidence {
	double tasks;
	double sum;
	double deviations; /* sum of squared deviations from the mean */
	double within;	   /* mean over tasks of the unbiased variance within, 0 where not known */
	double alike;	   /* mean over tasks of what it were, were all tasks alike */
} ShareEvidence;

extern Inference share_inference(const ShareEvidence *evidence, double alpha);

/* A paired difference of two shares: d = v1 - v0 in [-1, 1] for each task. */
typedef struct PairEvidence {
	double tasks;
	double sum;			/* of d */
	double sizes;		/* of |d| */
	double squares;		/* of d^2 */
	double carriers[2]; /* share_carriers of v, by arm */
	/* means over tasks, summed over the arms, of variances within a task's arm: from its own
	 * attempts, from those of both arms where the arm's own would do, and where they would not */
	double own;
	double pooled;
	double pooled_only;
} PairEvidence;

extern Inference pair_inference(const PairEvidence *evidence, double alpha);

/* The share of tasks that could carry a gain or a loss and not be seen. */
extern double unseen_share(double tasks, double alpha);

/* A ratio of sums over clusters, 0 <= s <= n. */
typedef struct RatioEvidence {
	double clusters;
	double ratio;	   /* valid when clusters > 0 */
	double size;	   /* sum of n */
	double variance;   /* of the ratio */
	double evenness;   /* sum of (n / sum n)^2: 1 / effective clusters */
	double carriers;   /* min of the participations of s and of n - s */
	double df;		   /* of the variance, by Bell and McCaffrey (2002) */
	double correction; /* of the residuals' variance, for what fitting the ratio took */
} RatioEvidence;

/* s and n: those of cluster i at [i * stride]; clusters with n = 0 play no part. */
extern RatioEvidence ratio_evidence(const double *s, const double *n, int64_t clusters, int stride);
extern Inference ratio_inference(const RatioEvidence *evidence, double alpha);

/* 1 - prod (1 - h) over stages, each a ratio h over clusters. */
typedef struct LimitEvidence {
	int stages;
	const RatioEvidence *stage;
	double inflation; /* of its variance over that of independent stages, at least 1 */
} LimitEvidence;

extern Inference limit_inference(const LimitEvidence *evidence, double alpha);

/* A ratio, or a limit where stages > 0. */
typedef struct RateEvidence {
	double rate;
	RatioEvidence ratio;
	LimitEvidence limit;
} RateEvidence;

extern Inference rate_inference(const RateEvidence *evidence, double alpha);

/* The difference of two rates on shared clusters, whose influence values have this correlation. */
typedef struct RateDifferenceEvidence {
	RateEvidence first, second;
	double correlation;
} RateDifferenceEvidence;

extern Inference rate_difference_inference(const RateDifferenceEvidence *evidence, double alpha);

/* A mean of any numbers over clusters, or a ratio of such sums. */
typedef struct MeanEvidence {
	double clusters;
	double mean;
	double std_error;
	double df;
	double skewness;
	bool flat; /* all values are equal but for rounding: there is no interval */
} MeanEvidence;

extern Inference mean_inference(const MeanEvidence *evidence, double alpha);

/* What is known of a figure, and so which rule holds. */
typedef enum Rule {
	RULE_NONE, /* no task has the figure */
	RULE_SHARE,
	RULE_PAIR,
	RULE_RATE,
	RULE_RATE_DIFFERENCE,
	RULE_MEAN
} Rule;

typedef struct Evidence {
	Rule rule;
	union {
		ShareEvidence share;
		PairEvidence pair;
		RateEvidence rate;
		RateDifferenceEvidence rate_difference;
		MeanEvidence mean;
	} of;
} Evidence;

extern Inference infer(const Evidence *evidence, double alpha);

/* The name that reports give the rule; NULL: there is no interval. */
extern const char *evidence_method(const Evidence *evidence);

#endif
