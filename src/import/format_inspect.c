/*
 * Inspect: a whole .json log, or the parts of an .eval archive one at a time.
 */
#include <string.h>

#include "import/formats.h"

#define NAME "inspect"

static const ChatRules rules = {.error_prefixes = NULL};

static bool
IsSample(const json_t *value)
{
	return json_object_get(value, "epoch") && json_is_array(json_object_get(value, "messages"));
}

static bool
IsLog(const json_t *value)
{
	return json_is_object(json_object_get(value, "eval")) && json_object_get(value, "version");
}

/* summaries.json and reductions.json of an archive repeat what the samples say */
bool
inspect_is_list(const json_t *first)
{
	return (json_object_get(first, "epoch") && json_object_get(first, "input") &&
			json_object_get(first, "target") && !json_object_get(first, "messages")) ||
		   (json_object_get(first, "scorer") && json_object_get(first, "samples"));
}

bool
inspect_detect(const json_t *value)
{
	return IsSample(value) || IsLog(value) || inspect_is_list(value);
}

static void
CopyLogMeta(Rollout *r, const json_t *log)
{
	static const char *const keys[] = {"eval.task",
									   "eval.task_version",
									   "eval.model",
									   "eval.run_id",
									   "eval.eval_id",
									   "eval.created",
									   "eval.model_generate_config",
									   "eval.task_args",
									   NULL};
	static const char *const limits[] = {
		"message_limit", "token_limit", "time_limit", "working_limit",
		"cost_limit",	 "epochs",		NULL};

	meta_copy(r, log, keys);
	meta_copy(r, at(log, "eval.config"), limits);
}

/* C, I, P and N are Inspect's letters for correct, incorrect, partial and no answer. */
static void
ReadScore(Rollout *r, const json_t *value)
{
	static const struct {
		const char *word;
		double reward;
	} words[] = {{"C", 1}, {"I", 0}, {"P", 0.5}, {"N", 0}, {"yes", 1}, {"no", 0}};
	TextView text = text_of(value);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (view_is(text, words[i].word)) {
			r->draft.reward = words[i].reward;
			r->draft.has |= ROLLOUT_REWARD;
			return;
		}
	if (json_is_object(value) || json_is_array(value))
		rollout_warn(r, "a score of several values is left to meta");
	else
		rollout_reward(r, value);
}

/* The first scorer gives the reward; all values go to meta. */
static void
ReadScores(Rollout *r, const json_t *sample)
{
	const json_t *scores = json_object_get(sample, "scores");
	const char *key;
	json_t *score;
	Text all = {.host = r->importer->host};
	bool first = true;

	if (json_is_object(json_object_get(sample, "score")) && !scores)
		ReadScore(r, at(sample, "score.value"));
	json_object_foreach((json_t *) scores, key, score)
	{
		const json_t *value = json_object_get(score, "value");

		if (first)
			ReadScore(r, value);
		text_append(&all, first ? "{" : ",", 1);
		text_json_string(&all, key, strlen(key));
		text_append(&all, ":", 1);
		if (value)
			text_json(&all, value);
		else
			text_append(&all, "null", 4);
		first = false;
	}
	if (first || all.len > MAX_META)
		return;
	text_append(&r->meta, ",\"scores\":", 10);
	text_append(&r->meta, all.data, all.len);
	text_append(&r->meta, "}", 1);
}

static void
SetStatus(Rollout *r, const json_t *sample)
{
	TextView limit = text_of(at(sample, "limit.type"));

	if (!limit.data)
		limit = text_of(json_object_get(sample, "limit"));
	if (json_is_object(json_object_get(sample, "error")))
		rollout_status(r, STATUS_INFRA_ERROR, view("error"));
	else if (view_is(limit, "operator"))
		rollout_status(r, STATUS_AGENT_ERROR, limit);
	else if (limit.data)
		rollout_status(r, STATUS_TRUNCATED, limit);
	else
		rollout_status(r, STATUS_COMPLETED,
					   text_of(at(json_array_get(at(sample, "output.choices"), 0), "stop_reason")));
}

static void
ImportSample(Importer *importer, const json_t *sample, const json_t *log)
{
	static const char *const keys[] = {"uuid",	 "total_time", "working_time", "model_usage",
									   "target", "started_at", "completed_at", NULL};
	const json_t *messages = json_object_get(sample, "messages");
	Rollout *r = rollout_begin(importer, NAME);

	rollout_task(r, json_object_get(sample, "id"));
	rollout_attempt(r, json_object_get(sample, "epoch"));
	if (log)
		CopyLogMeta(r, log);
	else
		meta_json(r, "model", at(sample, "output.model"));
	meta_copy(r, sample, keys);
	meta_json(r, "limit", json_object_get(sample, "limit"));
	meta_json(r, "error", at(sample, "error.message"));
	r->no_steps = !json_is_array(messages);
	chat_import(r, messages, &rules);
	ReadScores(r, sample);
	SetStatus(r, sample);
	rollout_finish(r);
}

/* A header or a list of an archive: no rollout, but what joins to one. */
static void
ImportPart(Importer *importer, const json_t *log, const char *part, const char *warning)
{
	Rollout *r = rollout_begin(importer, NAME);

	meta_text(r, "part", view(part));
	meta_json(r, "status", json_object_get(log, "status"));
	if (json_is_object(log))
		CopyLogMeta(r, log);
	if (warning)
		rollout_warn(r, "%s", warning);
	r->no_traj = true;
	rollout_finish(r);
}

void
inspect_import(Importer *importer, const json_t *value)
{
	const json_t *samples = json_object_get(value, "samples");
	size_t count = json_array_size(samples);

	if (IsSample(value)) {
		ImportSample(importer, value, NULL);
		return;
	}
	if (!json_is_object(json_object_get(value, "eval"))) {
		if (json_is_array(value))
			ImportPart(importer, value, "summary", NULL);
		else
			rollout_fail(importer, NAME, "neither a log nor a sample of Inspect");
		return;
	}
	if (count == 0) {
		ImportPart(importer, value, "header",
				   json_object_get(value, "samples") ? "the log holds no samples" : NULL);
		return;
	}
	importer_container(importer, value, "samples");
	for (size_t i = 0; i < count; i++) {
		importer->element = i;
		ImportSample(importer, element(importer, samples, i), value);
	}
}
