#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char usage[] =
	"usage: lab COMMAND [OPTION VALUE]...\n"
	"  train     --mode base|full|budgetmix|process --out FILE [--name NAME] [--epochs N]\n"
	"            [--base FILE] [--plan FILE] [--dynamics FILE] [--checkpoints FOLDER] [--every N]\n"
	"  rollouts  --policy FILE... --base FILE [--attempts N] [--compact]  one line of JSON per "
	"rollout\n"
	"            [--plan FILE --epochs N]   with the budgets of the plan's epoch N\n"
	"  states    --policy FILE... [--states N] [--compact]    states that policies share\n"
	"  truth     --policy FILE...        success within each number of turns, exactly\n"
	"  errors    --policy FILE --base FILE     errors and what follows them, exactly\n"
	"  rewards   --policy FILE...        R_multi and R_single, exactly\n"
	"  maps                              each map with its shortest way\n"
	"  quality                           exact value of each move on each map\n"
	"of all:     [--split train|test] [--maps N] [--size CELLS] [--holes PERCENT] [--world SEED]\n"
	"            [--seed N] [--budget TURNS] [--unannounced]\n";

void
options_reject(const char *complaint, const char *subject)
{
	fprintf(stderr, "lab: %s%s\n%s", complaint, subject, usage);
	exit(2);
}

static int
ReadNumber(const char *name, const char *text, int low, int high)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || end == text || n < low || n > high)
		options_reject("out of range: ", name);
	return (int) n;
}

typedef struct NumberOption {
	const char *name;
	size_t place;
	int low, high;
} NumberOption;

static const NumberOption numbers[] = {
	{"--maps", offsetof(Options, maps), 1, MAX_MAPS},
	{"--size", offsetof(Options, size), 2, MAX_SIZE},
	{"--holes", offsetof(Options, holes), 0, 50},
	{"--world", offsetof(Options, world), 0, INT_MAX},
	{"--seed", offsetof(Options, seed), 0, INT_MAX},
	{"--attempts", offsetof(Options, attempts), 1, 100000},
	{"--states", offsetof(Options, states), 1, 10000},
	{"--budget", offsetof(Options, budget), 1, MAX_HORIZON},
	{"--epochs", offsetof(Options, epochs), 1, 10000},
	{"--every", offsetof(Options, every), 1, 10000},
};

typedef struct TextOption {
	const char *name;
	size_t place;
} TextOption;

static const TextOption texts[] = {
	{"--mode", offsetof(Options, mode)},		 {"--name", offsetof(Options, name)},
	{"--out", offsetof(Options, out)},			 {"--plan", offsetof(Options, plan)},
	{"--dynamics", offsetof(Options, dynamics)}, {"--checkpoints", offsetof(Options, checkpoints)},
};

static bool
ReadPlain(Options *o, const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const NumberOption *n = &numbers[i];

		if (strcmp(n->name, name) != 0)
			continue;
		*(int *) ((char *) o + n->place) = ReadNumber(name, value, n->low, n->high);
		return true;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(texts[i].name, name) != 0)
			continue;
		*(const char **) ((char *) o + texts[i].place) = value;
		return true;
	}
	return false;
}

static void
ReadOption(Options *o, const char *name, const char *value)
{
	if (ReadPlain(o, name, value))
		return;
	if (strcmp(name, "--policy") == 0) {
		if (o->policies == MAX_POLICIES)
			options_reject("too many policies", "");
		policy_read(&o->policy[o->policies++], value);
	} else if (strcmp(name, "--base") == 0) {
		policy_read(&o->base, value);
		o->has_base = true;
	} else if (strcmp(name, "--split") == 0) {
		o->split = strcmp(value, split_names[TRAIN]) == 0 ? TRAIN : TEST;
		if (strcmp(value, split_names[o->split]) != 0)
			options_reject("unknown split: ", value);
	} else
		options_reject("unknown option: ", name);
}

void
options_read(Options *o, int argc, char **argv)
{
	*o = (Options){.split = TEST,
				   .maps = 100,
				   .size = 5,
				   .holes = 15,
				   .world = 1,
				   .seed = 1,
				   .attempts = 16,
				   .states = 2,
				   .budget = 100,
				   .epochs = 30,
				   .every = 3,
				   .announced = true};
	if (argc < 2)
		options_reject("name a command", "");
	o->command = argv[1];
	for (int i = 2; i < argc; i++) {
		const char *name = argv[i];

		if (strcmp(name, "--unannounced") == 0) {
			o->announced = false;
			continue;
		}
		if (strcmp(name, "--compact") == 0) {
			o->compact = true;
			continue;
		}
		if (++i == argc)
			options_reject("a value is missing after ", name);
		ReadOption(o, name, argv[i]);
	}
}
