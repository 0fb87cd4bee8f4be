/*
 * matched_summary: per task, its rollouts by arm, length and value.
 */
#ifndef AGENTRL_MATCHED_H
#define AGENTRL_MATCHED_H

#include "summary/records.h"
#include "matched/matching.h"

/* The columns of a record. One that lacks a length or a value keeps neither. */
enum { MATCHED_ARM, MATCHED_LENGTH, MATCHED_VALUE, MATCHED_COLUMNS };

#define LENGTH_MISSING (-1)

extern const RecordMethods matched_methods;

/* One arm's rollouts of a task in ascending order of length. */
typedef struct MatchedArm {
	int64 *lengths;
	double *values; /* each the mean over the rollouts of that length */
	int32 *alike;	/* their number */
	int32 n, capacity;
	int64 missing; /* rollouts without length or value */
} MatchedArm;

/* Reads a summary task by task, and matches the two arms of each. */
typedef struct MatchedReader {
	RecordReader records;
	MatchedArm reference, treatment;
	Matcher matcher; /* a is the treatment, b the reference */
} MatchedReader;

extern void matched_open(MatchedReader *reader, Datum summary, double tolerance);
extern bool matched_next_task(MatchedReader *reader);

#endif
