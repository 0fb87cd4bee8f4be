/*
 * What every format has in common: where its output goes, how a rollout is put
 * together, and the one set of functions that reads foreign JSON. Plain C.
 *
 * Memory of a rollout comes from host->alloc and lives until it is emitted.
 * Any call of the host may leave by longjmp: all memory is the host's.
 */
#ifndef AGENTRL_IMPORT_IMPORTER_H
#define AGENTRL_IMPORT_IMPORTER_H

#include "import/document.h"
#include "import/host.h"
#include "trajectory/draft.h"

#define MAX_INNER	 8	  /* JSON documents held in strings of one rollout */
#define MAX_WARNINGS 64	  /* per rollout */
#define MAX_META	 2048 /* bytes of one value in meta */
#define MAX_META_SUM (256 * 1024)

typedef struct Rollout Rollout;
typedef struct Format Format;

struct Importer {
	const ImportHost *host;
	ImportOptions options;
	const Format *format;	/* NULL: detect */
	const Format *detected; /* of the elements of an array */
	bool in_array;
	Parsed doc;
	Parsed outcome;		   /* root: array of the values of the second document */
	json_t *outcome_index; /* by id, made by the format that needs it */
	Parsed inner[MAX_INNER];
	int ninner;
	/* the place of the rollout in the document, see MendGroup */
	int64_t member;
	int64_t element;
	int64_t container; /* member that holds the rollouts; -1: the members are the rollouts */
	size_t next_group;
	bool whole; /* the document is one rollout */
	bool beside_told;
};

/* Text that grows. */
typedef struct Text {
	const ImportHost *host;
	size_t limit; /* what is over it may lack its end; 0: none */
	char *data;
	size_t len;
	size_t size;
} Text;

/* Texts joined by newlines; one text alone is not copied. */
typedef struct Join {
	TextView only;
	Text text;
	size_t count;
} Join;

struct Rollout {
	Importer *importer;
	const char *format;
	TextView task_id;
	TextView attempt_id;
	TrajectoryDraft draft;
	size_t max_steps;
	Join prompt;
	Join observation; /* of the last step */
	Text meta;		  /* members of the object, without braces */
	TextView warnings[MAX_WARNINGS];
	int nwarnings;
	Truth verdict; /* the format's own word on success */
	bool no_traj;  /* reported only */
	bool no_steps; /* the format did not record turns */
};

/* --- importer.c: documents and rollouts --- */
/* The one way to walk an array: it asks the host whether to go on. */
extern json_t *element(const Importer *importer, const json_t *array, size_t i);
extern void importer_container(Importer *importer, const json_t *root, const char *key);
extern json_t *importer_parse_inner(Rollout *r, const json_t *string);

extern Rollout *rollout_begin(Importer *importer, const char *format);
extern StepDraft *rollout_turn(Rollout *r);
extern void rollout_prompt(Rollout *r, TextView text);
extern void rollout_observe(Rollout *r, TextView text);
extern void rollout_judge(Rollout *r, bool failed, TextView kind);
extern void rollout_finish(Rollout *r);
extern void rollout_fail(Importer *importer, const char *format, const char *reason);
extern void rollout_warn(Rollout *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern void rollout_reward(Rollout *r, const json_t *value);
extern void rollout_budget(Rollout *r, const json_t *value);
extern void rollout_status(Rollout *r, RolloutStatus status, TextView stop_reason);
extern void rollout_task(Rollout *r, const json_t *value);
extern void rollout_attempt(Rollout *r, const json_t *value);

/* --- text.c --- */
extern TextView view(const char *string);
extern bool view_is(TextView text, const char *string);
extern bool view_starts(TextView text, const char *prefix);
extern const char *view_find(TextView text, const char *needle);
extern bool view_has(TextView text, const char *needle);
extern void text_append(Text *text, const char *data, size_t len);
extern void text_json_string(Text *text, const char *data, size_t len);
extern void text_json(Text *text, const json_t *value);
extern void join(Join *join, TextView text);
extern TextView joined(const Join *join);

/* --- value.c: the walker --- */
extern json_t *at(const json_t *object, const char *path); /* "a.b.c" */
extern TextView text_of(const json_t *value);			   /* strings only */
extern TextView as_text(Rollout *r, const json_t *value);  /* anything but null */
extern TextView content_of(Rollout *r, const json_t *content);
extern bool as_number(Rollout *r, const json_t *value, const char *what, double *number);
extern bool as_int(Rollout *r, const json_t *value, const char *what, int64_t *number);
extern Truth as_truth(Rollout *r, const json_t *value, const char *what);
extern bool has_string(const json_t *object, const char *key, const char *prefix);
extern void step_reward(Rollout *r, StepDraft *step, const json_t *value);
extern void step_tokens(Rollout *r, StepDraft *step, const json_t *value);
extern void step_logprobs(Rollout *r, StepDraft *step, const json_t *list);
extern void meta_json(Rollout *r, const char *key, const json_t *value);
extern void meta_whole(Rollout *r, const char *key, const json_t *value);
extern void meta_text(Rollout *r, const char *key, TextView value);
extern void meta_copy(Rollout *r, const json_t *object, const char *const *paths);

#endif
