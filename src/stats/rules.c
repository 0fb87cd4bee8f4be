#include "stats/rules.h"

#include <math.h>

#include "stats/distribution.h"
#include "stats/elementary.h"

/*
 * Found by simulation (doc/statistics.md). A spread that few tasks carry is
 * pulled toward the largest possible one as FEW / (FEW + d^2) says for d
 * carriers, and as TASKS / m^2 for m tasks. DENSITY lies between
 * Clopper-Pearson's 0 and Jeffreys' 1/2.
 */
#define FEW		9.0
#define TASKS	36.0
#define DENSITY 0.25

/* A beta distribution of so many flips is normal: Wilson's interval is its own. */
#define MANY_FLIPS 1e6

/* Skewness nearer to 0 than this would divide rounding by rounding. */
#define LEAST_SKEWNESS 1e-4

#define LEVEL_ROUNDS 60

static inline double
Least(double a, double b)
{
	return a < b ? a : b;
}

static inline double
Most(double a, double b)
{
	return a > b ? a : b;
}

static inline double
UpperZ(double tail)
{
	return -normal_quantile(tail);
}

static inline double
UpperT(double tail, double df)
{
	return -t_quantile(tail, df);
}

double
participation(double sum, double squares)
{
	return squares > 0 ? sum * sum / squares : 0;
}

double
share_carriers(double tasks, double sum, double squares)
{
	return Least(participation(sum, squares),
				 participation(tasks - sum, tasks - 2 * sum + squares));
}

static inline double
Pull(double carriers)
{
	return FEW / (FEW + carriers * carriers);
}

/* ---- shares, and ratios of counts ---- */

/* The ends of an interval for a share v of N coin flips, between Clopper-Pearson and Jeffreys. */
static Bounds
BetaEnds(double v, double flips, double alpha)
{
	double x = v * flips, y = (1 - v) * flips;
	Bounds ends = {0, 1};

	if (flips * v * (1 - v) > MANY_FLIPS)
		return wilson_interval(v, flips, UpperZ(alpha / 2));
	if (v > 0)
		ends.low = Least(v, beta_quantile(alpha / 2, x + DENSITY, y + 1 - DENSITY));
	if (v < 1)
		ends.high = Most(v, 1 - beta_quantile(alpha / 2, y + DENSITY, x + 1 - DENSITY));
	return ends;
}

/* (t / z)^2: by how much a variance with so many degrees of freedom widens an interval. */
static double
Widening(double df, double alpha)
{
	double ratio;

	if (!(df >= 1))
		return 1;
	ratio = UpperT(alpha / 2, df) / UpperZ(alpha / 2);
	return ratio * ratio;
}

/* rho: the variance as a share of the largest possible one, v (1 - v), after the pull. */
static double
PulledShare(double pull, double variance, double v)
{
	double largest = v * (1 - v);

	if (!(largest > 0))
		return 1;
	return pull + (1 - pull) * Least(1, variance / largest);
}

Inference
share_inference(const ShareEvidence *evidence, double alpha)
{
	double m = evidence->tasks;
	double v = evidence->sum / m;
	double spread = m > 1 ? evidence->deviations / (m - 1) : v * (1 - v);
	double squares = evidence->deviations + evidence->sum * v;
	double failures = m - evidence->sum;
	double carriers = Least(participation(evidence->sum, squares),
							participation(failures, evidence->deviations + failures * (1 - v)));
	double pull = Least(1, Pull(carriers) + TASKS / (m * m));
	double rho = PulledShare(pull, Most(spread, Most(evidence->within, evidence->alike)), v);
	double flips = m / (rho * (1 + (Widening(m - 1, alpha) - 1) * (1 - rho)));

	return (Inference){BetaEnds(v, flips, alpha), NAN, flips};
}

RatioEvidence
ratio_evidence(const double *s, const double *n, int64_t clusters, int stride)
{
	RatioEvidence evidence = {0};
	double sum = 0, squares = 0, rest = 0, rest_squares = 0, residuals = 0, within = 0;
	double powers[6] = {0};
	double trace, trace_squares;

	for (int64_t i = 0; i < clusters; i++) {
		double size = n[i * stride], part = s[i * stride];

		if (size == 0)
			continue;
		evidence.clusters += 1;
		evidence.size += size;
		sum += part;
		squares += part * part;
		rest += size - part;
		rest_squares += (size - part) * (size - part);
		if (size > 1)
			within += part * (size - part) / (size - 1);
	}
	if (evidence.clusters == 0)
		return evidence;
	evidence.ratio = sum / evidence.size;
	for (int64_t i = 0; i < clusters; i++) {
		double share = n[i * stride] / evidence.size;
		double residual = s[i * stride] - evidence.ratio * n[i * stride];
		double power = share;

		residuals += residual * residual;
		for (int j = 2; j < 6; j++)
			powers[j] += power *= share;
	}
	trace = powers[2] - 2 * powers[3] + powers[2] * powers[2];
	trace_squares = powers[4] + 4 * powers[2] * powers[4] - 4 * powers[5] +
					powers[2] * powers[2] * powers[2] * powers[2] -
					4 * powers[2] * powers[2] * powers[3] + 2 * powers[3] * powers[3];
	evidence.evenness = powers[2];
	evidence.df = trace_squares > 1e-300 ? Most(1, trace * trace / trace_squares) : 1;
	evidence.correction = trace > 1e-12 ? powers[2] / trace : 1;
	evidence.variance = evidence.correction * residuals / (evidence.size * evidence.size);
	evidence.variance = Most(evidence.variance, within / (evidence.size * evidence.size));
	evidence.carriers = Least(participation(sum, squares), participation(rest, rest_squares));
	return evidence;
}

/* N: the coin flips that would be as uncertain as the ratio. */
static double
RatioFlips(const RatioEvidence *evidence, double alpha)
{
	double rho = evidence->clusters < 2
					 ? 1
					 : PulledShare(Pull(evidence->carriers),
								   evidence->variance / evidence->evenness, evidence->ratio);

	return 1 / (evidence->evenness * rho * (1 + (Widening(evidence->df, alpha) - 1) * (1 - rho)));
}

Inference
ratio_inference(const RatioEvidence *evidence, double alpha)
{
	double flips;

	if (evidence->clusters == 0)
		return (Inference){{NAN, NAN}, NAN, 0};
	flips = RatioFlips(evidence, alpha);
	return (Inference){BetaEnds(evidence->ratio, flips, alpha), NAN, flips};
}

/* ---- product limits ---- */

/*
 * The beta distribution with the mean and variance of a product of independent
 * ones, one for each stage (Fay, Brittain and Proschan 2013, by moments); more
 * is what the survivors' parameter gets beyond their number.
 */
static void
ProductOfBetas(const LimitEvidence *evidence, double alpha, double more, double *a, double *b)
{
	double mean = 1, square = 1;

	for (int i = 0; i < evidence->stages; i++) {
		const RatioEvidence *stage = &evidence->stage[i];
		double flips = RatioFlips(stage, alpha) / evidence->inflation;
		double x = (1 - stage->ratio) * flips + more;
		double y = stage->ratio * flips + 1 - more;

		mean *= x / (x + y);
		square *= x / (x + y) * (x + 1) / (x + y + 1);
	}
	*a = mean * (mean * (1 - mean) / (square - mean * mean) - 1);
	*b = *a * (1 - mean) / mean;
}

static double
Survival(const LimitEvidence *evidence)
{
	double survival = 1;

	for (int i = 0; i < evidence->stages; i++)
		survival *= 1 - evidence->stage[i].ratio;
	return survival;
}

Inference
limit_inference(const LimitEvidence *evidence, double alpha)
{
	double survival = Survival(evidence);
	Bounds ends = {0, 1}; /* of the survival */
	double a, b;

	if (survival > 0) {
		ProductOfBetas(evidence, alpha, DENSITY, &a, &b);
		ends.low = Least(survival, beta_quantile(alpha / 2, a, b));
	}
	if (survival < 1) {
		ProductOfBetas(evidence, alpha, 1 - DENSITY, &a, &b);
		ends.high = Most(survival, 1 - beta_quantile(alpha / 2, b, a));
	}
	return (Inference){{1 - ends.high, 1 - ends.low}, NAN, NAN};
}

Inference
rate_inference(const RateEvidence *evidence, double alpha)
{
	if (evidence->limit.stages > 0)
		return limit_inference(&evidence->limit, alpha);
	return ratio_inference(&evidence->ratio, alpha);
}

/* ---- differences of rates: Zou and Donner (2008) ---- */

static double
MoverDistance(double a, double b, double correlation)
{
	return sqrt(Most(0, a * a + b * b - 2 * correlation * a * b));
}

static Bounds
RateDifference(const RateDifferenceEvidence *evidence, double alpha)
{
	Bounds first = rate_inference(&evidence->first, alpha).interval;
	Bounds second = rate_inference(&evidence->second, alpha).interval;
	double r1 = evidence->first.rate, r2 = evidence->second.rate;

	return (Bounds){
		r1 - r2 - MoverDistance(r1 - first.low, second.high - r2, evidence->correlation),
		r1 - r2 + MoverDistance(first.high - r1, r2 - second.low, evidence->correlation)};
}

/* The level at which an end is 0, by bisection on its normal quantile; none is told below 2e-16. */
static double
RateDifferenceP(const RateDifferenceEvidence *evidence)
{
	double low = 0, high = 8.2;

	if (evidence->first.rate == evidence->second.rate)
		return 1;
	for (int i = 0; i < LEVEL_ROUNDS; i++) {
		double z = 0.5 * (low + high);
		Bounds interval = RateDifference(evidence, 2 * normal_sf(z));

		if (interval.low > 0 || interval.high < 0)
			low = z;
		else
			high = z;
	}
	return 2 * normal_sf(low);
}

Inference
rate_difference_inference(const RateDifferenceEvidence *evidence, double alpha)
{
	Bounds bounds = RateDifference(evidence, alpha);

	return (Inference){
		{Most(-1, bounds.low), Least(1, bounds.high)}, RateDifferenceP(evidence), NAN};
}

/* ---- paired differences ---- */

/* What the pseudo-tasks make of the mean difference and its error. */
typedef struct Shrunk {
	double mean;
	double std_error;
} Shrunk;

/*
 * Two pseudo-tasks of weight w at +1 and -1, and two of weight e at plus and
 * minus the typical size: a difference that few tasks carry is uncertain as
 * coins are. The floor is what attempts alone make of the variance.
 */
static Shrunk
Shrink(const PairEvidence *evidence)
{
	double m = evidence->tasks;
	double carriers = participation(evidence->sizes, evidence->squares);
	double w = Pull(carriers) * Most(0, 1 - 1.5 * carriers / m);
	double e = TASKS / (m * m);
	double size = evidence->sizes > 0 ? evidence->squares / evidence->sizes : 1;
	double all = m + 2 * w + 2 * e;
	double mean = evidence->sum / all;
	double variance =
		(evidence->squares + 2 * w + 2 * e * size * size - all * mean * mean) / (all - 1);
	double plain = (evidence->squares - evidence->sum * evidence->sum / m) / (m - 1);
	double pull = Most(Pull(evidence->carriers[0]), Pull(evidence->carriers[1]));
	double floor = pull * evidence->pooled + (1 - pull) * evidence->own + evidence->pooled_only;

	variance += Most(0, floor - plain);
	return (Shrunk){mean, sqrt(variance / all)};
}

Inference
pair_inference(const PairEvidence *evidence, double alpha)
{
	double m = evidence->tasks;
	double diff = evidence->sum / m;
	Shrunk shrunk;
	double reach;

	if (m < 2)
		return (Inference){{-1, 1}, 1, m};
	shrunk = Shrink(evidence);
	reach = UpperT(alpha / 2, m - 1) * shrunk.std_error;
	return (Inference){
		.interval = {Most(-1, Least(diff, shrunk.mean - reach)),
					 Least(1, Most(diff, shrunk.mean + reach))},
		.p_value = evidence->sum == 0
					   ? 1
					   : Least(1, 2 * t_sf(fabs(shrunk.mean) / shrunk.std_error, m - 1)),
		.tasks_effective = m,
	};
}

double
unseen_share(double tasks, double alpha)
{
	return tasks > 0 ? -exp_minus_one(dist_log(alpha) / tasks) : 1;
}

/* ---- means of any numbers ---- */

/* Hall's (1992) transformation of a t value, in standard deviations of the mean's error. */
static double
HallPoint(const MeanEvidence *evidence, double t)
{
	double root = sqrt(evidence->clusters);
	double g = evidence->skewness;
	double divisor = fabs(g) < LEAST_SKEWNESS ? LEAST_SKEWNESS : g;

	return root * 3 / divisor *
		   (cube_root(1 + divisor * (t / root - g / (6 * evidence->clusters))) - 1);
}

/* The hull of Student's interval and Hall's, which reaches at most three times as far. */
static Bounds
HullEnds(const MeanEvidence *evidence, double t)
{
	double down = Most(t, Least(3 * t, HallPoint(evidence, t)));
	double up = Most(t, Least(3 * t, -HallPoint(evidence, -t)));

	return (Bounds){evidence->mean - down * evidence->std_error,
					evidence->mean + up * evidence->std_error};
}

/* The level at which an end of the hull is 0: by bisection on t. */
static double
HullP(const MeanEvidence *evidence)
{
	double low = 0, high = fabs(evidence->mean) / evidence->std_error;

	if (evidence->mean == 0)
		return 1;
	/* the hull reaches at least t, so 0 is within it by then */
	for (int i = 0; i < LEVEL_ROUNDS; i++) {
		double t = 0.5 * (low + high);
		Bounds ends = HullEnds(evidence, t);

		if (ends.low > 0 || ends.high < 0)
			low = t;
		else
			high = t;
	}
	return Least(1, 2 * t_sf(low, evidence->df));
}

Inference
mean_inference(const MeanEvidence *evidence, double alpha)
{
	if (!(evidence->clusters >= 2) || evidence->flat)
		return (Inference){{NAN, NAN}, NAN, evidence->clusters};
	return (Inference){HullEnds(evidence, UpperT(alpha / 2, evidence->df)), HullP(evidence),
					   evidence->clusters};
}

/* ---- the choice ---- */

Inference
infer(const Evidence *evidence, double alpha)
{
	switch (evidence->rule) {
		case RULE_SHARE:
			return share_inference(&evidence->of.share, alpha);
		case RULE_PAIR:
			return pair_inference(&evidence->of.pair, alpha);
		case RULE_RATE:
			return rate_inference(&evidence->of.rate, alpha);
		case RULE_RATE_DIFFERENCE:
			return rate_difference_inference(&evidence->of.rate_difference, alpha);
		case RULE_MEAN:
			return mean_inference(&evidence->of.mean, alpha);
		default:
			return (Inference){{NAN, NAN}, NAN, 0};
	}
}

const char *
evidence_method(const Evidence *evidence)
{
	static const char *const names[] = {NULL, "beta", "paired", "beta", "mover", "hull"};
	const MeanEvidence *mean = &evidence->of.mean;

	if (evidence->rule == RULE_MEAN && (mean->flat || !(mean->clusters >= 2)))
		return NULL;
	return names[evidence->rule];
}
