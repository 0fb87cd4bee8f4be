/*
 * From a document to its rollouts: splitting, choosing the format, and the rules
 * that hold whatever the format is.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/formats.h"

/* Cutting a text by bytes may leave half a character. */
static void
KeepUtf8(char *text, size_t len)
{
	const unsigned char *end = (unsigned char *) text + len;

	for (unsigned char *p = (unsigned char *) text; p < end;) {
		int length = *p < 0x80 ? 1 : utf8_length(p, end);

		if (length == 0)
			*p = '?';
		p += length ? length : 1;
	}
}

void
rollout_warn(Rollout *r, const char *format, ...)
{
	char buffer[400];
	Text text = {.host = r->importer->host};
	va_list args;
	int len;

	if (r->nwarnings >= MAX_WARNINGS)
		return;
	va_start(args, format);
	len = vsnprintf(buffer, sizeof(buffer), format, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t) len >= sizeof(buffer))
		len = sizeof(buffer) - 1;
	KeepUtf8(buffer, len);
	if (r->nwarnings == MAX_WARNINGS - 1)
		len = snprintf(buffer, sizeof(buffer), "further warnings are left out");
	for (int i = 0; i < r->nwarnings; i++)
		if (r->warnings[i].len == (size_t) len && memcmp(r->warnings[i].data, buffer, len) == 0)
			return;
	text_append(&text, buffer, len);
	r->warnings[r->nwarnings].data = text.data;
	r->warnings[r->nwarnings++].len = len;
}

/* Adds one group to the sum of those that a rollout is told of. */
static void
AddMends(MendGroup *sum, const MendGroup *group)
{
	if (!sum->line)
		sum->line = group->line;
	for (int kind = 0; kind < MEND_KINDS; kind++)
		sum->counts[kind] += group->counts[kind];
}

static void
WarnOfMends(Rollout *r, const MendGroup *sum, const char *where)
{
	for (int kind = 0; kind < MEND_KINDS; kind++)
		if (sum->counts[kind])
			rollout_warn(r, "%s%s (%zu times, from line %zu)", where, mend_description(kind),
						 sum->counts[kind], sum->line);
}

/* What was mended outside all rollouts is told with the first of them. */
static void
WarnOfMendsBeside(Rollout *r)
{
	const Importer *importer = r->importer;
	MendGroup sum = {0};

	if (importer->beside_told)
		return;
	r->importer->beside_told = true;
	for (size_t i = 0; i < importer->doc.ngroups; i++)
		if (importer->doc.groups[i].member != importer->container)
			AddMends(&sum, &importer->doc.groups[i]);
	WarnOfMends(r, &sum, "beside the rollouts: ");
}

/* Mends lie in the order of the document, and so do rollouts. */
static void
AttachMends(Rollout *r)
{
	Importer *importer = r->importer;
	Parsed *doc = &importer->doc;
	MendGroup sum = {0};

	if (!importer->whole && importer->container >= 0)
		WarnOfMendsBeside(r);
	for (; importer->next_group < doc->ngroups; importer->next_group++) {
		const MendGroup *group = &doc->groups[importer->next_group];
		bool inside = importer->container < 0 || group->member == importer->container;

		if (!importer->whole && !inside)
			continue;
		if (!importer->whole && (importer->container >= 0 ? group->element > importer->element
														  : group->member > importer->member))
			break;
		AddMends(&sum, group);
	}
	WarnOfMends(r, &sum, "");
}

json_t *
element(const Importer *importer, const json_t *array, size_t i)
{
	importer->host->poll();
	return json_array_get(array, i);
}

Rollout *
rollout_begin(Importer *importer, const char *format)
{
	const ImportHost *host = importer->host;
	Rollout *r = host->alloc(sizeof(Rollout));

	host->poll();
	memset(r, 0, sizeof(*r));
	r->importer = importer;
	r->format = format;
	r->prompt.text.host = r->observation.text.host = r->meta.host = host;
	meta_text(r, "format", view(format));
	AttachMends(r);
	return r;
}

static void
EndObservation(Rollout *r)
{
	if (r->draft.nsteps && r->observation.count)
		r->draft.steps[r->draft.nsteps - 1].observation = joined(&r->observation);
	memset(&r->observation, 0, sizeof(r->observation));
	r->observation.text.host = r->importer->host;
}

static void
GrowSteps(Rollout *r)
{
	size_t size = r->max_steps * 2 + 8;
	StepDraft *steps = r->importer->host->alloc(size * sizeof(StepDraft));

	copy_polled(r->importer->host, steps, r->draft.steps, r->draft.nsteps * sizeof(StepDraft));
	r->draft.steps = steps;
	r->max_steps = size;
}

/*
 * A new last step; earlier pointers to steps may become stale. A rollout that has
 * too many for its type keeps no more of them than tell so.
 */
StepDraft *
rollout_turn(Rollout *r)
{
	StepDraft *step;

	r->importer->host->poll();
	EndObservation(r);
	if (r->draft.nsteps > r->importer->host->max_turns)
		r->draft.nsteps--;
	if (r->draft.nsteps == r->max_steps)
		GrowSteps(r);
	step = &r->draft.steps[r->draft.nsteps++];
	memset(step, 0, sizeof(*step));
	return step;
}

void
rollout_prompt(Rollout *r, TextView text)
{
	join(&r->prompt, text);
}

void
rollout_observe(Rollout *r, TextView text)
{
	join(r->draft.nsteps ? &r->observation : &r->prompt, text);
}

/* One result of the last turn's action; a turn failed when any of them did. */
void
rollout_judge(Rollout *r, bool failed, TextView kind)
{
	StepDraft *step = r->draft.nsteps ? &r->draft.steps[r->draft.nsteps - 1] : NULL;

	if (!step)
		return;
	if (failed) {
		step->error = TRUTH_TRUE;
		if (!step->error_kind.data)
			step->error_kind = kind;
	} else if (step->error != TRUTH_TRUE)
		step->error = TRUTH_FALSE;
}

void
rollout_reward(Rollout *r, const json_t *value)
{
	if (as_number(r, value, "the reward", &r->draft.reward))
		r->draft.has |= ROLLOUT_REWARD;
}

void
rollout_budget(Rollout *r, const json_t *value)
{
	if (!as_int(r, value, "the budget", &r->draft.budget))
		return;
	if (r->draft.budget < 1)
		rollout_warn(r, "a budget of %lld turns is left out", (long long) r->draft.budget);
	else
		r->draft.has |= ROLLOUT_BUDGET;
}

void
rollout_status(Rollout *r, RolloutStatus status, TextView stop_reason)
{
	r->draft.status = status;
	if (stop_reason.len)
		r->draft.stop_reason = stop_reason;
}

void
rollout_task(Rollout *r, const json_t *value)
{
	if (!r->task_id.data)
		r->task_id = as_text(r, value);
}

void
rollout_attempt(Rollout *r, const json_t *value)
{
	if (!r->attempt_id.data)
		r->attempt_id = as_text(r, value);
}

static void
ApplyOptions(Rollout *r)
{
	const ImportOptions *options = &r->importer->options;
	TrajectoryDraft *draft = &r->draft;

	if (!r->task_id.data)
		r->task_id = options->task_id;
	if (!r->attempt_id.data)
		r->attempt_id = options->attempt_id;
	if (!(draft->has & ROLLOUT_REWARD) && options->has_reward) {
		draft->reward = options->reward;
		draft->has |= ROLLOUT_REWARD;
	}
	if (!(draft->has & ROLLOUT_BUDGET) && options->has_budget) {
		draft->budget = options->budget;
		draft->has |= ROLLOUT_BUDGET;
	}
}

static void
SetSuccess(Rollout *r)
{
	TrajectoryDraft *draft = &r->draft;
	bool has_reward = (draft->has & ROLLOUT_REWARD) != 0;

	draft->success = TRUTH_UNKNOWN;
	if (draft->status == STATUS_INFRA_ERROR || draft->status == STATUS_UNSCORED)
		return;
	if (r->verdict != TRUTH_UNKNOWN && !(r->importer->options.own_threshold && has_reward))
		draft->success = r->verdict;
	else if (has_reward)
		draft->success = draft->reward >= r->importer->options.threshold ? TRUTH_TRUE : TRUTH_FALSE;
}

/* What the strict type would reject is mended, so that no rollout is lost by it. */
static void
MendOutcome(Rollout *r)
{
	TrajectoryDraft *draft = &r->draft;

	if (!r->no_steps)
		draft->has |= ROLLOUT_STEPS;
	if (draft->nsteps == 0 && (r->no_steps || draft->success == TRUTH_TRUE)) {
		draft->has &= ~ROLLOUT_STEPS;
		rollout_warn(r, "no turns are recorded, so their number is unknown");
	}
	if (!(draft->has & ROLLOUT_SOLVED_AT))
		return;
	if (draft->success != TRUTH_TRUE)
		draft->has &= ~ROLLOUT_SOLVED_AT;
	else if (draft->solved_at < 1 || draft->solved_at > (int64_t) draft->nsteps) {
		draft->has &= ~ROLLOUT_SOLVED_AT;
		rollout_warn(r, "solved at turn %lld of %zu: left out", (long long) draft->solved_at,
					 draft->nsteps);
	}
}

static void
GuessStatus(Rollout *r)
{
	TrajectoryDraft *draft = &r->draft;

	if (draft->status != STATUS_UNKNOWN)
		return;
	if (draft->success == TRUTH_TRUE)
		draft->status = STATUS_COMPLETED;
	else if ((draft->has & ROLLOUT_BUDGET) && (draft->has & ROLLOUT_STEPS) &&
			 (int64_t) draft->nsteps >= draft->budget)
		draft->status = STATUS_TRUNCATED;
}

static void
FreeInner(Importer *importer)
{
	while (importer->ninner > 0)
		document_free(&importer->inner[--importer->ninner]);
}

static void
Emit(Rollout *r)
{
	const ImportHost *host = r->importer->host;
	Text meta = {.host = host};
	ImportedRow row = {.task_id = r->task_id,
					   .attempt_id = r->attempt_id,
					   .draft = r->no_traj ? NULL : &r->draft,
					   .warnings = r->warnings,
					   .nwarnings = r->nwarnings};

	text_append(&meta, "{", 1);
	text_append(&meta, r->meta.data, r->meta.len);
	text_append(&meta, "}", 1);
	row.meta.data = meta.data;
	row.meta.len = meta.len;
	host->emit(host->state, &row);
}

void
rollout_finish(Rollout *r)
{
	Importer *importer = r->importer;

	EndObservation(r);
	r->draft.prompt = joined(&r->prompt);
	ApplyOptions(r);
	SetSuccess(r);
	MendOutcome(r);
	GuessStatus(r);
	Emit(r);
	FreeInner(importer);
}

/* Tells that the rollouts of the document are the elements of this member of it. */
void
importer_container(Importer *importer, const json_t *root, const char *key)
{
	const char *member;
	json_t *value;
	int64_t i = 0;

	if (!importer->whole)
		return;
	json_object_foreach((json_t *) root, member, value)
	{
		importer->host->poll();
		if (strcmp(member, key) == 0)
			break;
		i++;
	}
	importer->whole = false;
	importer->container = i;
}

/* Reports what could not be imported, as a row without a trajectory. */
void
rollout_fail(Importer *importer, const char *format, const char *reason)
{
	Rollout *r = rollout_begin(importer, format);

	rollout_warn(r, "%s", reason);
	r->no_traj = true;
	rollout_finish(r);
}

/* Parses into *parsed, freeing what it held. */
static bool
Parse(Importer *importer, Parsed *parsed, Span span)
{
	importer->host->poll();
	document_free(parsed);
	return document_parse(parsed, importer->host, span);
}

/* Some formats keep JSON inside strings. NULL when it is none. */
json_t *
importer_parse_inner(Rollout *r, const json_t *string)
{
	Importer *importer = r->importer;
	Span span = {json_string_value(string), json_string_length(string), 1};
	Parsed *inner;
	MendGroup sum = {0};

	if (!span.data || importer->ninner == MAX_INNER)
		return NULL;
	inner = &importer->inner[importer->ninner++];
	(void) Parse(importer, inner, span);
	for (size_t i = 0; i < inner->ngroups; i++)
		AddMends(&sum, &inner->groups[i]);
	WarnOfMends(r, &sum, "in a nested document: ");
	return inner->root;
}

static bool
IsMessages(const json_t *root)
{
	const json_t *first = json_array_get(root, 0);

	return json_is_string(json_object_get(first, "role"));
}

static const json_t *
FirstObject(const Importer *importer, const json_t *root)
{
	size_t count = json_array_size(root);

	if (!json_is_array(root) || IsMessages(root))
		return root;
	for (size_t i = 0; i < count; i++) {
		const json_t *value = element(importer, root, i);

		if (json_is_object(value) || json_is_array(value))
			return value;
	}
	return NULL;
}

static void
ImportRoot(Importer *importer, const json_t *root)
{
	const Format *format = importer->format;
	const json_t *first = FirstObject(importer, root);
	size_t count;

	if (!first) {
		rollout_fail(importer, format ? format->name : "unknown", "the document holds no rollouts");
		return;
	}
	if (json_is_object(root) == json_is_array(root)) {
		rollout_fail(importer, format ? format->name : "unknown", "expected an object");
		return;
	}
	if (!format && importer->in_array)
		format = importer->detected;
	if (!format)
		format = importer->detected = format_detect(first);
	if (!format) {
		rollout_fail(importer, "unknown", "no known format; name it in the argument format");
		return;
	}
	importer->container = -1;
	importer->whole = first == root;
	if (importer->whole) {
		format->import(importer, root);
		return;
	}
	if (format->whole && format->whole(first)) {
		importer->whole = true;
		format->import(importer, root);
		return;
	}
	count = json_array_size(root);
	for (size_t i = 0; i < count; i++) {
		const json_t *value = element(importer, root, i);

		importer->member = i;
		if (json_is_object(value) || json_is_array(value))
			format->import(importer, value);
		else
			rollout_fail(importer, format->name, "expected an object");
	}
}

static void
FailToParse(Importer *importer)
{
	char reason[300];
	const Parsed *doc = &importer->doc;
	bool torn = strstr(doc->problem, "end of input") || strstr(doc->problem, "end of file");

	snprintf(reason, sizeof(reason), "line %zu: %s: %s", doc->line,
			 torn ? "not valid JSON, torn" : "not valid JSON", doc->problem);
	rollout_fail(importer, importer->format ? importer->format->name : "unknown", reason);
}

/* False when the span is no JSON. */
static bool
ImportSpan(Importer *importer, Span span)
{
	bool valid = Parse(importer, &importer->doc, span);

	importer->next_group = 0;
	importer->beside_told = false;
	importer->whole = true;
	importer->member = importer->element = 0;
	if (valid)
		ImportRoot(importer, importer->doc.root);
	else
		FailToParse(importer);
	document_free(&importer->doc);
	return valid;
}

/*
 * Is the array one value to its format, such as a list of messages? Also when none
 * of its elements has a known format: one report is enough then.
 */
static bool
ArrayIsOne(Importer *importer, Splitter splitter)
{
	Span span;

	while (document_next(&splitter, &span)) {
		const json_t *value;
		const Format *format = importer->format;

		if (!Parse(importer, &importer->doc, span))
			continue;
		value = importer->doc.root;
		if (json_is_string(json_object_get(value, "role")))
			return true;
		if (!format)
			format = format_detect(value);
		if (format)
			return format->whole && format->whole(value);
	}
	return true;
}

/* An array is read element by element, so that it need not be in memory at once. */
void
importer_run(Importer *importer, const char *data, size_t len)
{
	Splitter splitter;
	Span span;
	bool torn = false;

	document_split(&splitter, importer->host, data, len);
	if (splitter.shape == SHAPE_EMPTY)
		rollout_fail(importer, importer->format ? importer->format->name : "unknown",
					 "the document is empty");
	if (splitter.shape == SHAPE_ARRAY && ArrayIsOne(importer, splitter))
		splitter.shape = SHAPE_VALUE;
	document_free(&importer->doc);
	importer->in_array = splitter.shape == SHAPE_ARRAY;
	while (document_next(&splitter, &span))
		torn = !ImportSpan(importer, span);
	if (splitter.unclosed && !torn)
		rollout_fail(importer, importer->format ? importer->format->name : "unknown",
					 "torn: the array of the document is not closed");
}

const char *
importer_set_outcome(Importer *importer, const char *data, size_t len)
{
	Parsed *outcome = &importer->outcome;
	Splitter splitter;
	Span span;
	json_t *values;

	outcome->arena.host = importer->host;
	arena_use(&outcome->arena);
	values = json_array();
	document_split(&splitter, importer->host, data, len);
	if (splitter.shape == SHAPE_ARRAY)
		splitter.shape = SHAPE_VALUE;
	while (document_next(&splitter, &span)) {
		if (!document_parse(outcome, importer->host, span))
			return outcome->problem;
		json_array_append(values, outcome->root);
	}
	outcome->root = values;
	return NULL;
}

Importer *
importer_create(const ImportHost *host, const ImportOptions *options)
{
	Importer *importer = host->hold(host->state, sizeof(Importer));

	memset(importer, 0, sizeof(*importer));
	importer->host = host;
	importer->options = *options;
	return importer;
}

bool
importer_use_format(Importer *importer, TextView name)
{
	importer->format = format_named(name);
	return importer->format != NULL;
}
