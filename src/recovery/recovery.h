/*
 * What rollouts did after their errors: the records of a recovery_summary.
 *
 * A rollout gives one record of itself and one of each episode (maximal run of
 * error turns); an episode of errors of several kinds also one of each of its
 * turns. All measures come from their counts, whatever horizon, bins or kinds
 * are asked for later.
 */
#ifndef AGENTRL_RECOVERY_H
#define AGENTRL_RECOVERY_H

#include "summary/records.h"

typedef enum RecordType {
	RECORD_ROLLOUT,
	RECORD_EPISODE,		  /* all its turns are of its kind */
	RECORD_MIXED_EPISODE, /* they are not, and have records of their own */
	RECORD_TURN
} RecordType;

/* the columns of a record */
typedef enum RecoveryColumn {
	COLUMN_CODE,   /* type, what and outcome in one number, see recovery_code */
	COLUMN_FIRST,  /* turn of the rollout's first error; 0 where none, and for RECORD_TURN */
	COLUMN_BUDGET, /* of that rollout; 0: not known, none, or no first error */
	COLUMN_KIND,   /* error kind: of the first error turn of the rollout or episode, of the turn */
	RECOVERY_COLUMNS
} RecoveryColumn;

typedef enum RolloutErrors { ERRORS_NONE, ERRORS_SOME, ERRORS_UNKNOWN } RolloutErrors;

typedef enum EpisodeEnd {
	EPISODE_RECOVERED, /* the next turn is no error */
	EPISODE_UNKNOWN,   /* it is not known whether the next turn is one */
	EPISODE_CENSORED,  /* the rollout was cut there */
	EPISODE_FAILED,	   /* the rollout ended there by itself */
	EPISODE_SOLVED	   /* it ended there with success */
} EpisodeEnd;

typedef enum NextTurn { NEXT_NONE, NEXT_UNKNOWN, NEXT_ERROR, NEXT_FINE } NextTurn;

extern const RecordMethods recovery_methods;

#define RECORD_TYPES	(RECORD_TURN + 1)
#define RECORD_OUTCOMES (EPISODE_SOLVED + 1)

static inline int64
recovery_code(RecordType type, int64 what, int64 outcome)
{
	return (what * RECORD_OUTCOMES + outcome) * RECORD_TYPES + type;
}

/* A record at hand, decoded. */
typedef struct RecoveryRecord {
	RecordType type;
	int64 what;	   /* RolloutErrors, the length of an episode, NextTurn */
	int64 outcome; /* Truth of success, EpisodeEnd, 0 */
	int64 first;
	int64 budget;
	uint64 kind; /* word of the reader's dictionary, RECORD_NO_TEXT: none */
	double count;
} RecoveryRecord;

static inline bool
is_episode(const RecoveryRecord *record)
{
	return record->type == RECORD_EPISODE || record->type == RECORD_MIXED_EPISODE;
}

extern RecoveryRecord recovery_record_at(const RecordReader *reader, uint64 i);

#endif
