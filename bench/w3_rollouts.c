/*
 * Canonical rollouts, one JSON object a line: w3_rollouts COUNT [TURNS BYTES]
 *
 * The same lines on every machine: a rollout of 0.5 to 1.5 times TURNS turns
 * (20), each with about BYTES bytes of text (1500) that reads and compresses
 * somewhat like tool calls and their output: words by Zipf's law, punctuation,
 * paths, numbers, escapes, and now and then a line that came before.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 6000
#define LINES 16

static uint64_t state;
static char words[WORDS][16];

/* xorshift64*, all in integers so that no library decides the text */
static uint32_t
Random(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((state * UINT64_C(0x2545f4914f6cdd1d)) >> 32) * below >> 32;
}

static void
MakeWords(void)
{
	static const char *const syllables[] = {"ta", "re", "in", "con", "de",	"er", "lo", "mi",
											"st", "un", "pa", "ve",	 "ion", "al", "fi", "ge"};

	state = 88172645463325252u;
	for (int i = 0; i < WORDS; i++)
		for (int left = 1 + Random(4); left > 0; left--)
			strcat(words[i], syllables[Random(16)]);
}

/* rank r about as often as 1/r: a uniform pick within a random power of two */
static const char *
Word(void)
{
	return words[Random(8u << Random(10)) % WORDS];
}

static char *
Line(char *out)
{
	static const char *const marks[] = {" ",   " ", " ",   " ",	   " ", " ",	" ",		 ", ",
										"\\n", "/", " = ", "\\\"", "(", ")\\n", "\xc3\xa9 ", ": "};

	for (int i = 4 + Random(12); i > 0; i--)
		out += sprintf(out, "%s%s", Word(), marks[Random(16)]);
	if (Random(3) == 0)
		out += sprintf(out, "%u.%02u ", Random(5000), Random(100));
	return out + sprintf(out, "\\n");
}

static char *
Text(char *out, int bytes, char lines[LINES][512])
{
	char *end = out + bytes;

	while (out < end) {
		int slot = Random(LINES);

		if (Random(4) != 0 || !lines[slot][0])
			Line(lines[slot]);
		out += sprintf(out, "%s", lines[slot]);
	}
	return out;
}

static char *
Step(char *out, int number, int bytes, char lines[LINES][512])
{
	out += sprintf(out, "%s{\"action\":\"", number > 0 ? "," : "");
	out = Text(out, bytes / 4, lines);
	out += sprintf(out, "\",\"observation\":\"");
	out = Text(out, bytes / 2 + Random(bytes / 2 + 1), lines);
	return out + sprintf(out, "\",\"error\":%s,\"tokens\":%u,\"logprob\":-%u.%06u}",
						 Random(100) < 15 ? "true" : "false", 100 + Random(400), Random(300),
						 1 + Random(999999));
}

int
main(int argc, char **argv)
{
	uint32_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint32_t turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
	uint32_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 1500;
	char *line = malloc((size_t) (turns * 2 + 1) * (bytes * 2 + 8192));

	if (!line)
		return 1;
	MakeWords();
	for (uint32_t i = 0; i < count; i++) {
		char lines[LINES][512] = {{0}};
		char *out = line;
		uint32_t n;

		state = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		n = turns / 2 + Random(turns + 1);
		if (Random(10) < 4)
			out += sprintf(out, "{\"success\":true,\"reward\":1,\"status\":\"completed\"");
		else
			out += sprintf(out, "{\"success\":false,\"reward\":0.%04u,\"status\":\"truncated\"",
						   1 + Random(9999));
		out += sprintf(out, ",\"budget\":%u,\"steps\":[", turns + turns / 2);
		for (uint32_t k = 0; k < n || k < 1; k++)
			out = Step(out, k, bytes, lines);
		out += sprintf(out, "]}\n");
		fwrite(line, 1, out - line, stdout);
	}
	return 0;
}
