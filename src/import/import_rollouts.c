/*
 * import_rollouts: the server's side of the importer.
 *
 * All memory is the server's: documents lie in one context, the rest of a rollout
 * in another, which is reset after its row. So an error leaves nothing behind.
 * This file must not see jansson.h: the server exports a json_object() too.
 */
#include "postgres.h"

#include <math.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "regex/regex.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#include "import/encoding.h"
#include "summary/keymap.h"
#include "import/host.h"
#include "trajectory/trajectory.h"

PG_FUNCTION_INFO_V1(import_rollouts);
PG_FUNCTION_INFO_V1(rollout_formats);

#define DEFAULT_THRESHOLD (1 - 1e-6)
#define ROW_COLUMNS		  6
/* bytes of a tool result that an error pattern is tried on */
#define MATCH_MAX (1024 * 1024)
/* bytes of a document from which the memory is given back to the system */
#define TRIM_MIN (1024 * 1024)

typedef struct ImportState {
	ReturnSetInfo *result;
	MemoryContext memory; /* holds the other two, and documents */
	MemoryContext row;
	MemoryContext keys;
	KeyMap seen;  /* task, NUL, attempt */
	int64 *first; /* by key: ordinal of the rollout that came first */
	uint32 first_capacity;
	int64 ordinal;
} ImportState;

/* The callbacks have no state of their own; a nested call restores what it found. */
static text *error_pattern = NULL;

static void *
Alloc(size_t size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, size);
}

static void *
Hold(void *state, size_t size)
{
	return MemoryContextAllocHuge(((ImportState *) state)->memory, size);
}

static void
Release(void *state, void *memory)
{
	pfree(memory);
}

static void
Poll(void)
{
	CHECK_FOR_INTERRUPTS();
}

static bool
MatchError(TextView result)
{
	int64_t lacking = 0;
	int len;

	if (result.len > MATCH_MAX)
		result.len = pg_encoding_mbcliplen(PG_UTF8, result.data, MATCH_MAX, MATCH_MAX);
	result = encoding_from_utf8(result, &lacking);
	len = result.len;
	return RE_compile_and_execute(error_pattern, unconstify(char *, result.data), len,
								  REG_ADVANCED | REG_NOSUB, DEFAULT_COLLATION_OID, 0, NULL);
}

static Datum
ViewDatum(TextView view)
{
	return PointerGetDatum(cstring_to_text_with_len(view.data, view.len));
}

/*
 * Packs a draft. What the type rejects becomes the reason for a row without a
 * trajectory: packing only computes and allocates, so its error can be taken
 * without a subtransaction.
 */
static bool
PackDraft(const TrajectoryDraft *draft, Datum *value, char **reason)
{
	MemoryContext context = CurrentMemoryContext;
	bool ok = true;

	PG_TRY();
	{
		*value = trajectory_from_draft(draft, NULL);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION &&
			error->sqlerrcode != ERRCODE_PROGRAM_LIMIT_EXCEEDED)
			PG_RE_THROW();
		FlushErrorState();
		*reason = error->message;
		ok = false;
	}
	PG_END_TRY();
	return ok;
}

/* The ordinal of an earlier rollout of the same task and attempt, or 0. */
static int64
EarlierOrdinal(ImportState *state, const ImportedRow *row)
{
	StringInfoData buffer;
	Key key = {0};
	uint32 at;
	bool is_new;

	if (!row->task_id.data || !row->attempt_id.data)
		return 0;
	initStringInfo(&buffer);
	appendBinaryStringInfo(&buffer, row->task_id.data, row->task_id.len);
	appendStringInfoChar(&buffer, '\0');
	appendBinaryStringInfo(&buffer, row->attempt_id.data, row->attempt_id.len);
	key.data = buffer.data;
	key.len = buffer.len;
	at = keymap_add(&state->seen, &key, &is_new);
	if (!is_new)
		return state->first[at];
	if (at == state->first_capacity) {
		state->first_capacity *= 2;
		state->first = repalloc_huge(state->first, state->first_capacity * sizeof(int64));
	}
	state->first[at] = state->ordinal;
	return 0;
}

static Datum
WarningsDatum(const ImportedRow *row, const char *extra[], int nextra)
{
	Datum *texts = palloc(sizeof(Datum) * (row->nwarnings + nextra));
	int count = 0;

	for (int i = 0; i < row->nwarnings; i++)
		texts[count++] = ViewDatum(row->warnings[i]);
	for (int i = 0; i < nextra; i++)
		texts[count++] = CStringGetTextDatum(extra[i]);
	return PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The row's texts in the database's encoding; how many characters that lacks. */
static int64_t
ConvertRow(ImportedRow *row)
{
	int64_t lacking = 0;
	TextView *warnings;
	TrajectoryDraft *draft = row->draft;

	if (GetDatabaseEncoding() == PG_UTF8)
		return 0;
	row->task_id = encoding_from_utf8(row->task_id, &lacking);
	row->attempt_id = encoding_from_utf8(row->attempt_id, &lacking);
	row->meta = encoding_from_utf8(row->meta, &lacking);
	warnings = palloc(sizeof(TextView) * row->nwarnings);
	for (int i = 0; i < row->nwarnings; i++)
		warnings[i] = encoding_from_utf8(row->warnings[i], &lacking);
	row->warnings = warnings;
	if (!draft)
		return lacking;
	draft->stop_reason = encoding_from_utf8(draft->stop_reason, &lacking);
	draft->prompt = encoding_from_utf8(draft->prompt, &lacking);
	for (size_t i = 0; i < draft->nsteps; i++) {
		StepDraft *step = &draft->steps[i];

		CHECK_FOR_INTERRUPTS();
		step->action = encoding_from_utf8(step->action, &lacking);
		step->observation = encoding_from_utf8(step->observation, &lacking);
		step->error_kind = encoding_from_utf8(step->error_kind, &lacking);
		step->state = encoding_from_utf8(step->state, &lacking);
	}
	return lacking;
}

static void
EmitRow(void *arg, ImportedRow *row)
{
	ImportState *state = arg;
	Datum values[ROW_COLUMNS];
	bool nulls[ROW_COLUMNS] = {false};
	const char *extra[3];
	int nextra = 0;
	int64 earlier;
	char *reason;
	int64_t lacking = ConvertRow(row);

	values[0] = Int64GetDatum(++state->ordinal);
	nulls[1] = row->task_id.data == NULL;
	nulls[2] = row->attempt_id.data == NULL;
	if (!nulls[1])
		values[1] = ViewDatum(row->task_id);
	if (!nulls[2])
		values[2] = ViewDatum(row->attempt_id);
	nulls[3] = row->draft == NULL;
	if (row->draft && !PackDraft(row->draft, &values[3], &reason)) {
		nulls[3] = true;
		extra[nextra++] = reason;
	}
	values[4] =
		DirectFunctionCall1(jsonb_in, CStringGetDatum(pnstrdup(row->meta.data, row->meta.len)));
	if (lacking)
		extra[nextra++] =
			psprintf("character that the database's encoding lacks read as \"?\" (%lld times)",
					 (long long) lacking);
	earlier = row->draft ? EarlierOrdinal(state, row) : 0;
	if (earlier)
		extra[nextra++] = psprintf("same task and attempt as ordinal %lld", (long long) earlier);
	values[5] = WarningsDatum(row, extra, nextra);
	tuplestore_putvalues(state->result->setResult, state->result->setDesc, values, nulls);
	MemoryContextReset(state->row);
}

static TextView
TextArgument(FunctionCallInfo fcinfo, int i)
{
	TextView view = {NULL, 0};
	text *value;

	if (PG_ARGISNULL(i))
		return view;
	value = PG_GETARG_TEXT_PP(i);
	view.data = VARDATA_ANY(value);
	view.len = VARSIZE_ANY_EXHDR(value);
	return encoding_to_utf8(view);
}

static void
ReadOptions(FunctionCallInfo fcinfo, ImportOptions *options)
{
	memset(options, 0, sizeof(*options));
	options->task_id = TextArgument(fcinfo, 2);
	options->attempt_id = TextArgument(fcinfo, 3);
	options->has_budget = !PG_ARGISNULL(4);
	if (options->has_budget)
		options->budget = PG_GETARG_INT64(4);
	options->has_reward = !PG_ARGISNULL(5);
	if (options->has_reward)
		options->reward = PG_GETARG_FLOAT8(5);
	options->threshold = PG_ARGISNULL(6) ? DEFAULT_THRESHOLD : PG_GETARG_FLOAT8(6);
	options->own_threshold = options->threshold != DEFAULT_THRESHOLD;
	if (options->has_budget && options->budget < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("budget must be at least 1")));
	if (options->has_reward && !isfinite(options->reward))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("reward must be finite")));
	if (!isfinite(options->threshold))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("success_threshold must be finite")));
}

static void
ReportUnknownFormat(TextView name)
{
	StringInfoData names;

	initStringInfo(&names);
	for (size_t i = 0; i < importer_format_count(); i++)
		appendStringInfo(&names, "%s%s", i ? ", " : "", importer_format_name(i));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown rollout format \"%s\"", pnstrdup(name.data, name.len)),
					errhint("Known are auto, %s.", names.data)));
}

static void
Configure(FunctionCallInfo fcinfo, Importer *importer)
{
	TextView format = TextArgument(fcinfo, 1);
	TextView outcome = TextArgument(fcinfo, 8);
	bool automatic = !format.data || (format.len == 4 && memcmp(format.data, "auto", 4) == 0);
	const char *problem;

	if (!automatic && !importer_use_format(importer, format))
		ReportUnknownFormat(format);
	if (!outcome.data)
		return;
	problem = importer_set_outcome(importer, outcome.data, outcome.len);
	if (problem)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("the outcome is not valid JSON"), errdetail("%s.", problem)));
}

static void
InitState(ImportState *state, FunctionCallInfo fcinfo)
{
	state->result = (ReturnSetInfo *) fcinfo->resultinfo;
	state->memory =
		AllocSetContextCreate(CurrentMemoryContext, "import_rollouts", ALLOCSET_DEFAULT_SIZES);
	state->row = AllocSetContextCreate(state->memory, "rollout", ALLOCSET_DEFAULT_SIZES);
	state->keys = AllocSetContextCreate(state->memory, "task and attempt", ALLOCSET_DEFAULT_SIZES);
	keymap_init(&state->seen, KEYS_TEXT, state->keys);
	state->first_capacity = 64;
	state->first = MemoryContextAlloc(state->keys, state->first_capacity * sizeof(int64));
}

/* The allocator of the C library keeps much of what it is given back. */
static void
TrimMemory(size_t document)
{
#ifdef __GLIBC__
	if (document >= TRIM_MIN)
		malloc_trim(0);
#endif
}

static void
Import(FunctionCallInfo fcinfo, ImportState *state, TextView doc, const ImportOptions *options)
{
	ImportHost host = {
		.alloc = Alloc,
		.hold = Hold,
		.release = Release,
		.poll = Poll,
		.emit = EmitRow,
		.state = state,
		.valid_utf8 = GetDatabaseEncoding() == PG_UTF8,
		.max_turns = TRAJECTORY_MAX_STEPS,
	};
	Importer *importer = importer_create(&host, options);
	MemoryContext old;

	if (!PG_ARGISNULL(7)) {
		error_pattern = PG_GETARG_TEXT_PP(7);
		host.error_match = MatchError;
		/* an invalid pattern is told even when nothing is matched */
		(void) MatchError((TextView){"", 0});
	}
	Configure(fcinfo, importer);
	old = MemoryContextSwitchTo(state->row);
	importer_run(importer, doc.data, doc.len);
	MemoryContextSwitchTo(old);
}

Datum
import_rollouts(PG_FUNCTION_ARGS)
{
	ImportState state = {0};
	ImportOptions options;
	TextView doc;
	text *outer_pattern = error_pattern;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	doc = TextArgument(fcinfo, 0);
	ReadOptions(fcinfo, &options);
	InitState(&state, fcinfo);
	PG_TRY();
	{
		Import(fcinfo, &state, doc, &options);
	}
	PG_FINALLY();
	{
		error_pattern = outer_pattern;
		MemoryContextDelete(state.memory);
		TrimMemory(doc.len);
	}
	PG_END_TRY();
	return (Datum) 0;
}

Datum
rollout_formats(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (size_t i = 0; i < importer_format_count(); i++) {
		Datum values[2] = {CStringGetTextDatum(importer_format_name(i)),
						   CStringGetTextDatum(importer_format_description(i))};
		bool nulls[2] = {false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
