/*
 * The importer as the server sees it: neither a server header nor jansson.h, so
 * that both sides can include it.
 */
#ifndef AGENTRL_IMPORT_HOST_H
#define AGENTRL_IMPORT_HOST_H

#include "trajectory/draft.h"

/* A row on its way out; all of it lives until emit returns. */
typedef struct ImportedRow {
	TextView task_id;
	TextView attempt_id;
	TextView meta;			/* a JSON object */
	TrajectoryDraft *draft; /* NULL: nothing to import, the warnings say why */
	const TextView *warnings;
	int nwarnings;
} ImportedRow;

typedef struct ImportHost {
	/* Each of these may leave by longjmp; what they gave is then freed by the host. */
	void *(*alloc)(size_t size);			 /* until the row is emitted; never NULL */
	void *(*hold)(void *state, size_t size); /* until released; never NULL */
	void (*release)(void *state, void *memory);
	void (*poll)(void);
	bool (*error_match)(TextView text); /* the caller's error pattern; NULL: none */
	void (*emit)(void *state, ImportedRow *row);
	void *state;
	bool valid_utf8;  /* the documents are known to be */
	size_t max_turns; /* of a rollout; it is rejected when it has more */
} ImportHost;

/* What the caller says where the document does not. */
typedef struct ImportOptions {
	TextView task_id;
	TextView attempt_id;
	double reward;
	double threshold;
	int64_t budget;
	bool has_reward;
	bool has_budget;
	bool own_threshold; /* the caller's threshold outranks a format's verdict */
} ImportOptions;

typedef struct Importer Importer;

extern Importer *importer_create(const ImportHost *host, const ImportOptions *options);
extern bool importer_use_format(Importer *importer, TextView name);
/* NULL, or what is wrong with the second document */
extern const char *importer_set_outcome(Importer *importer, const char *data, size_t len);
extern void importer_run(Importer *importer, const char *data, size_t len);

extern size_t importer_format_count(void);
extern const char *importer_format_name(size_t i);
extern const char *importer_format_description(size_t i);

#endif
