/*
 * The table of formats, and what the families share.
 */
#ifndef AGENTRL_IMPORT_FORMATS_H
#define AGENTRL_IMPORT_FORMATS_H

#include "import/importer.h"

struct Format {
	const char *name;
	const char *description;
	/* Looks at a document that is no array, at an array of messages, or at the first
	 * element of another array. */
	bool (*detect)(const json_t *value);
	/* Emits the rollouts of one such value. */
	void (*import)(Importer *importer, const json_t *value);
	/* When true for its first element, the array as a whole is imported. May be NULL. */
	bool (*whole)(const json_t *first);
};

extern const Format formats[];
extern const size_t format_count;

extern const Format *format_detect(const json_t *value);
extern const Format *format_named(TextView name);

/* How a chat's tool results are judged when they carry no flag and no return code. */
typedef struct ChatRules {
	const char *const *error_prefixes; /* ends with NULL; NULL: no text rule */
	bool user_results;				   /* user messages answer the action */
	bool skip_demos;				   /* messages marked is_demo are prompt */
} ChatRules;

extern const char *const error_word[]; /* {"Error"} */

/* chat.c */
extern bool is_messages(const json_t *value);
extern void chat_import(Rollout *r, const json_t *messages, const ChatRules *rules);
extern TextView chat_action(Rollout *r, const json_t *message);
extern void judge_text(Rollout *r, TextView text, const char *const *prefixes);
extern void append_call(Text *text, TextView name, const json_t *arguments);
extern bool return_code(TextView text, long *code);
extern void judge_code(Rollout *r, long code);

/* a format's detect and import, by name */
#define DECLARE_FORMAT(name)                                                                       \
	extern bool name##_detect(const json_t *value);                                                \
	extern void name##_import(Importer *importer, const json_t *value)

DECLARE_FORMAT(canonical);
DECLARE_FORMAT(rows);
DECLARE_FORMAT(tau);
DECLARE_FORMAT(tau2);
DECLARE_FORMAT(inspect);
DECLARE_FORMAT(atif);
DECLARE_FORMAT(swe_agent);
DECLARE_FORMAT(mini_swe_agent);
DECLARE_FORMAT(openhands);
DECLARE_FORMAT(intercode);
DECLARE_FORMAT(verifiers);
DECLARE_FORMAT(nemo);
DECLARE_FORMAT(bfcl);
DECLARE_FORMAT(terminal_bench);
DECLARE_FORMAT(verl);
DECLARE_FORMAT(openai);

extern bool inspect_is_list(const json_t *first);
extern void tau2_simulation(Importer *importer, const json_t *simulation, const json_t *info,
							const char *format, const json_t *wrapper);
extern void harbor_outcome(Rollout *r, const json_t *result);

#endif
