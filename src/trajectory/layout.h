/*
 * A stored trajectory, and what the files of this folder share.
 *
 *   TrajectoryHeader             112 bytes
 *   stop_reason                  stop_len bytes, padded to 8
 *   error flags                  2 bits a turn (Truth), padded to 8
 *   six number columns           each: a presence bitmap padded to 8 when some
 *                                turn lacks the value, then 8 bytes a turn
 *   four text lengths            4 bytes a turn (ABSENT: no text), padded to 8
 *   error kinds                  kind_bytes bytes, turn by turn, padded to 8
 *   block sizes                  4 bytes a block
 *   blocks                       the other texts, prompt first, then turn by turn
 *
 * A column that no turn has is left out (`columns`). The texts are cut into
 * blocks of 1 MB; a block whose stored size is its plain size is not
 * compressed. Everything before the block sizes is a function of the content,
 * and all that is asked of many rollouts at once: error kinds are short words,
 * so they are not among the compressed texts.
 */
#ifndef AGENTRL_LAYOUT_H
#define AGENTRL_LAYOUT_H

#include "postgres.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodes.h"

#include "core/compat.h"
#include "trajectory/trajectory.h"

#define TRAJECTORY_VERSION 1
#define TEXT_BLOCK		   (1024 * 1024)
#define TEXT_ABSENT		   PG_UINT32_MAX

#define NUMBER_COLUMNS		6
#define NUMBER_COLUMNS_MASK ((1 << NUMBER_COLUMNS) - 1)
/* those of int64; the others are double */
#define INT_COLUMNS	 (STEP_TOKENS | STEP_REMAINING)
#define TEXT_COLUMNS 4
/* that of error_kind */
#define KIND_COLUMN 2
/* bits of `columns`: numbers first, then the flags, then texts */
#define COLUMN_ERROR   (1 << NUMBER_COLUMNS)
#define COLUMN_TEXT(i) (1 << (NUMBER_COLUMNS + 1 + (i)))
#define COLUMN_ALL	   ((1 << (NUMBER_COLUMNS + 1 + TEXT_COLUMNS)) - 1)

typedef enum TextMethod { METHOD_PLAIN, METHOD_PGLZ, METHOD_LZ4 } TextMethod;

#define ROLLOUT_HAS_MASK (ROLLOUT_REWARD | ROLLOUT_BUDGET | ROLLOUT_SOLVED_AT | ROLLOUT_STEPS)

/* bits of TrajectoryHeader.has above ROLLOUT_*: sums that every turn contributes to */
enum { HEADER_TOKENS = 1 << 4, HEADER_LOGLIK = 1 << 5, HEADER_REF_LOGLIK = 1 << 6 };
#define HEADER_HAS_ALL ((1 << 7) - 1)

typedef struct TrajectoryHeader {
	int32 vl_len_;
	uint8 version;
	uint8 flags; /* zero */
	uint8 method;
	uint8 unused;		/* zero */
	uint32 total;		/* bytes of the whole value */
	uint32 numbers_end; /* offset of the block sizes */
	uint64 hash;		/* of what follows, up to numbers_end, and of the texts */
	uint16 columns;
	uint16 partial; /* number columns with a presence bitmap */
	uint8 has;
	uint8 success;
	uint8 status;
	uint8 unused2; /* zero */
	uint32 nsteps;
	uint32 error_turns;
	uint32 error_unknown; /* turns without the flag */
	uint32 first_error;	  /* turn, 0: none */
	int64 budget;
	int64 solved_at; /* as given */
	double reward;
	int64 tokens;
	double loglik;
	double ref_loglik;
	uint32 stop_len;
	uint32 prompt_len;
	uint32 text_bytes; /* of the blocks, plain */
	uint32 kind_bytes;
} TrajectoryHeader;

#define HASHED_FROM offsetof(TrajectoryHeader, columns)

/* where a StepDraft keeps each number and text column */
extern const uint16 number_offsets[NUMBER_COLUMNS];
extern const uint16 text_offsets[TEXT_COLUMNS];

static inline TextView *
StepText(const StepDraft *step, int column)
{
	return (TextView *) ((char *) step + text_offsets[column]);
}

static inline char *
StepNumber(const StepDraft *step, int column)
{
	return (char *) step + number_offsets[column];
}

static inline size_t
Pad8(size_t bytes)
{
	return (bytes + 7) & ~(size_t) 7;
}

static inline size_t
FlagBytes(size_t nsteps)
{
	return Pad8((nsteps + 3) / 4);
}

static inline size_t
BitmapBytes(size_t nsteps)
{
	return Pad8((nsteps + 7) / 8);
}

static inline uint32
TextBlocks(size_t text_bytes)
{
	return (text_bytes + TEXT_BLOCK - 1) / TEXT_BLOCK;
}

/* offset of the block sizes that the header's counts call for */
extern size_t trajectory_numbers_end(const TrajectoryHeader *header);

/*
 * The header, checked, in at least its first `bytes` bytes (fewer when the
 * value is shorter). The result may point into the value itself.
 */
extern const TrajectoryHeader *trajectory_header(Datum value, size_t bytes);

/* Frees what trajectory_header fetched; a header that lies in the value is not ours to free. */
static inline void
trajectory_free_header(const TrajectoryHeader *header, Datum value)
{
	if ((void *) header != DatumGetPointer(value))
		pfree((void *) header);
}

/* The turn at which the rollout had succeeded; 0 when it did not or it is unknown. */
extern int64 trajectory_solved_turn(const TrajectoryHeader *header);

/*
 * Reports what is wrong at a place: key of the rollout (step < 0), key of a
 * step, or a whole step (key NULL). Always false.
 */
extern bool trajectory_reject(Node *escontext, int sqlstate, int64 step, const char *key,
							  const char *problem);

/* Whether the numbers of a step, counted from 0, may be stored; false when a soft error was saved.
 */
extern bool step_check_numbers(const StepDraft *step, int64 number, Node *escontext);

/*
 * What COPY, and so pg_dump, writes of a value must fit a string of the server
 * (1 GB) beside the other columns of its row. COPY doubles each backslash of
 * the text form, so a byte that is escaped as \u001f takes 7 there.
 */
#define COPY_BYTES_MAX ((size_t) 1000 * 1000 * 1000)
#define COPY_BYTE_MAX  7
#define STEP_COPY_MAX                                                                              \
	400 /* of a step without its texts; of a rollout without its steps and texts */

/* An upper bound of what COPY writes of a step. */
extern size_t step_copy_bytes(const StepDraft *step);

static inline bool
surely_fits_copy(size_t text_bytes, size_t nsteps)
{
	return (nsteps + 1) * STEP_COPY_MAX + text_bytes * COPY_BYTE_MAX <= COPY_BYTES_MAX;
}

/* So many empty steps. */
extern StepDraft *alloc_steps(size_t nsteps);

/* JSON text to drafts; false when a soft error was saved. */
extern bool trajectory_json_in(char *json, TrajectoryDraft *draft, Node *escontext);
extern void trajectory_json_out(StringInfo out, const TrajectoryDraft *draft);

/* Called for each element of a JSON array of parts. */
typedef void (*PartReceiver)(void *arg, int64 turn, const StepDraft *step);
extern bool parts_json_in(char *json, PartReceiver receive, void *arg, Node *escontext);
extern void step_json_out(StringInfo out, const StepDraft *step, const int64 *turn);

/* The binary form; see wire.c. */
#define WIRE_VERSION  1
#define STEP_WIRE_MIN 2 /* bytes of a step without any value */
extern void step_send(StringInfo out, const StepDraft *step);
extern void step_recv(StringInfo in, StepDraft *step);
extern void wire_version_recv(StringInfo in);
extern void rollout_send(StringInfo out, const TrajectoryDraft *draft);
extern void rollout_recv(StringInfo in, TrajectoryDraft *draft);

#endif
