/*
 * The options of the lab's commands.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "policy.h"

#define MAX_POLICIES 16

typedef struct Options {
	const char *command;
	const char *mode; /* of training */
	const char *name; /* of the policy that is trained */
	const char *out;
	const char *plan;
	const char *dynamics;
	const char *checkpoints;
	Policy policy[MAX_POLICIES];
	int policies;
	Policy base;
	bool has_base;
	Split split;
	int maps;
	int size;
	int holes; /* percent */
	int world; /* seed of the maps */
	int seed;  /* of all else */
	int attempts;
	int states;
	int budget;
	int epochs;
	int every; /* epochs between checkpoints */
	bool announced;
	bool compact; /* rows without texts, for very many of them */
} Options;

/* Ends the program with a usage message when it cannot make sense of them. */
extern void options_read(Options *options, int argc, char **argv);
extern void options_reject(const char *complaint, const char *subject);

#endif
