/*
 * The strict JSON text form, read token by token with the server's lexer into
 * a draft.
 */
#include "postgres.h"
#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port.h"
#include "utils/memutils.h"

#include <errno.h>
#include <math.h>

#include "trajectory/fields.h"
#include "trajectory/layout.h"

#if PG_VERSION_NUM >= 170000
#define make_lexer(json, len)                                                                      \
	makeJsonLexContextCstringLen(NULL, json, len, GetDatabaseEncoding(), true)
#else
#define make_lexer(json, len) makeJsonLexContextCstringLen(json, len, GetDatabaseEncoding(), true)
#endif

/* longer tokens are left out of messages */
#define TOKEN_SHOWN 100
/* longer strings are lexed in pieces, so that the query can be cancelled in between */
#define PIECE (1024 * 1024)
#define SPACE " \t\n\r"

typedef struct JsonReader {
	JsonLexContext *lex;
	Node *escontext;
	char *texts; /* unescaped texts; as large as the input, which bounds them */
	char *end;	 /* of the texts so far */
	int64 step;	 /* -1 outside steps */
	const char *key;
	int64 *turn; /* where the key "turn" of a part goes; NULL: no such key */
	const char *input_end;
	TextView long_text; /* the token at hand, when it was lexed in pieces */
} JsonReader;

static bool
BadSyntax(JsonReader *reader, const char *detail)
{
	errsave(reader->escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type trajectory"), errdetail_internal("%s", detail)));
	return false;
}

static size_t
ByteNumber(JsonReader *reader, const char *at)
{
	return at - reader->lex->input + 1;
}

static bool
LexerError(JsonReader *reader, JsonLexContext *lex, JsonParseErrorType error, const char *at)
{
	if (lex->token_terminator - lex->token_start > TOKEN_SHOWN)
		return BadSyntax(reader,
						 psprintf("The JSON is malformed at byte %zu.", ByteNumber(reader, at)));
	return BadSyntax(reader, json_errdetail(error, lex));
}

/* The quote that ends the string whose first byte is at; NULL: none does. */
static const char *
StringEnd(const char *at, const char *input_end)
{
	const char *from = at;

	while (at < input_end) {
		size_t reach = Min(input_end - at, PIECE);
		const char *quote = memchr(at, '"', reach);
		const char *slash = quote;

		CHECK_FOR_INTERRUPTS();
		at = quote ? quote + 1 : at + reach;
		if (!quote)
			continue;
		while (slash > from && slash[-1] == '\\')
			slash--;
		if ((quote - slash) % 2 == 0)
			return quote;
		from = at;
	}
	return NULL;
}

/* Bytes of the escape sequence at a backslash; both halves of a surrogate pair. */
static size_t
EscapeLength(const char *slash)
{
	if (slash[1] != 'u')
		return 2;
	return pg_tolower(slash[2]) == 'd' && strchr("89abAB", slash[3]) ? 12 : 6;
}

/* Where a piece of about PIECE bytes ends without cutting an escape sequence. */
static const char *
PieceEnd(const char *at, const char *end)
{
	const char *cut = at + PIECE;
	const char *slash;

	if (end - at <= PIECE)
		return end;
	while (at < cut && (slash = memchr(at, '\\', cut - at)) != NULL)
		at = slash + EscapeLength(slash);
	return Min(Max(at, cut), end);
}

/* One piece, as a string of its own, into the texts. */
static bool
LexPiece(JsonReader *reader, const char *from, const char *to)
{
	size_t len = to - from;
	char *quoted = palloc(len + 3);
	JsonLexContext *lex;
	JsonParseErrorType error;

	quoted[0] = quoted[len + 1] = '"';
	quoted[len + 2] = '\0';
	memcpy(quoted + 1, from, len);
	lex = make_lexer(quoted, len + 2);
	error = json_lex(lex);
	if (error != JSON_SUCCESS)
		return LexerError(reader, lex, error, from);
	memcpy(reader->end, lex->strval->data, lex->strval->len);
	reader->end += lex->strval->len;
	return true;
}

/* The string from first to before end; leaves the lexer as if it had read it. */
static bool
LexLongString(JsonReader *reader, const char *first, const char *end)
{
	JsonLexContext *lex = reader->lex;
	const char *start = reader->end;
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "piece of a string", ALLOCSET_DEFAULT_SIZES);

	for (const char *at = first; at < end;) {
		const char *to = PieceEnd(at, end);
		MemoryContext caller = MemoryContextSwitchTo(scratch);
		bool good;

		CHECK_FOR_INTERRUPTS();
		good = LexPiece(reader, at, to);
		MemoryContextSwitchTo(caller);
		if (!good)
			return false;
		MemoryContextReset(scratch);
		at = to;
	}
	MemoryContextDelete(scratch);
	reader->long_text = (TextView){start, reader->end - start};
	lex->prev_token_terminator = lex->token_terminator;
	lex->token_start = (char *) first - 1;
	lex->token_terminator = (char *) end + 1;
	lex->token_type = JSON_TOKEN_STRING;
	/* its beginning is enough to tell that it is no key and no status */
	resetStringInfo(lex->strval);
	appendBinaryStringInfo(lex->strval, start, Min(reader->long_text.len, TOKEN_SHOWN));
	return true;
}

/* How many bytes from at on are among a set, or are not; at most `most`. The input ends with a zero
 * byte. */
static size_t
Span(const char *at, const char *set, bool among, size_t most)
{
	size_t n = 0;

	while (n < most && at[n] != '\0' && (strchr(set, at[n]) != NULL) == among)
		n++;
	return n;
}

static void
SkipSpace(JsonLexContext *lex)
{
	size_t n;

	while ((n = Span(lex->token_terminator, SPACE, true, PIECE)) > 0) {
		CHECK_FOR_INTERRUPTS();
		lex->token_terminator += n;
	}
}

/* The next token, where more than PIECE bytes follow: the lexer reads no more than that at once. */
static bool
NextOfLong(JsonReader *reader, bool *done)
{
	JsonLexContext *lex = reader->lex;
	const char *at, *end;

	SkipSpace(lex);
	at = lex->token_terminator;
	if (*at != '"') {
		if (Span(at, SPACE ",:{}[]\"", false, PIECE) < PIECE)
			return true;
		return BadSyntax(reader,
						 psprintf("The token at byte %zu is too long.", ByteNumber(reader, at)));
	}
	end = StringEnd(at + 1, reader->input_end);
	if (!end)
		return BadSyntax(reader,
						 psprintf("The string at byte %zu does not end.", ByteNumber(reader, at)));
	*done = end - at > PIECE;
	return !*done || LexLongString(reader, at + 1, end);
}

/* Moves to the next token. */
static bool
Next(JsonReader *reader)
{
	JsonLexContext *lex = reader->lex;
	JsonParseErrorType error;
	bool done = false;

	reader->long_text = (TextView){NULL, 0};
	if (reader->input_end - lex->token_terminator > PIECE && !NextOfLong(reader, &done))
		return false;
	if (done)
		return true;
	error = json_lex(lex);
	if (error != JSON_SUCCESS)
		return LexerError(reader, lex, error, lex->token_start);
	return true;
}

/* Reports the token at hand, at a place where another was due. */
static bool
Unexpected(JsonReader *reader, const char *wanted)
{
	JsonLexContext *lex = reader->lex;
	size_t len = lex->token_terminator - lex->token_start;

	if (lex->token_type == JSON_TOKEN_END)
		return BadSyntax(reader, psprintf("Expected %s, but the input ended.", wanted));
	if (len > TOKEN_SHOWN)
		return BadSyntax(reader, psprintf("Expected %s at byte %zu.", wanted,
										  ByteNumber(reader, lex->token_start)));
	return BadSyntax(
		reader, psprintf("Expected %s, but found \"%.*s\".", wanted, (int) len, lex->token_start));
}

static bool
Reject(JsonReader *reader, int sqlstate, const char *problem)
{
	return trajectory_reject(reader->escontext, sqlstate, reader->step, reader->key, problem);
}

static bool
WrongType(JsonReader *reader, const char *problem)
{
	/* a missing value is a matter of syntax, not of type */
	switch (reader->lex->token_type) {
		case JSON_TOKEN_STRING:
		case JSON_TOKEN_NUMBER:
		case JSON_TOKEN_OBJECT_START:
		case JSON_TOKEN_ARRAY_START:
		case JSON_TOKEN_TRUE:
		case JSON_TOKEN_FALSE:
		case JSON_TOKEN_NULL:
			return Reject(reader, ERRCODE_INVALID_TEXT_REPRESENTATION, problem);
		default:
			return Unexpected(reader, "a JSON value");
	}
}

static bool
ReadBool(JsonReader *reader, uint8 *truth)
{
	if (reader->lex->token_type == JSON_TOKEN_TRUE)
		*truth = TRUTH_TRUE;
	else if (reader->lex->token_type == JSON_TOKEN_FALSE)
		*truth = TRUTH_FALSE;
	else
		return WrongType(reader, "expected boolean");
	return true;
}

static bool
ReadStatus(JsonReader *reader, uint8 *status)
{
	if (reader->lex->token_type != JSON_TOKEN_STRING)
		return WrongType(reader, "expected string");
	for (int i = 1; i < STATUS_COUNT; i++)
		if (strcmp(reader->lex->strval->data, status_names[i]) == 0) {
			*status = i;
			return true;
		}
	return Reject(reader, ERRCODE_INVALID_TEXT_REPRESENTATION,
				  "expected completed, truncated, agent_error, infra_error or unscored");
}

static bool
ReadText(JsonReader *reader, TextView *text)
{
	size_t len;

	if (reader->lex->token_type != JSON_TOKEN_STRING)
		return WrongType(reader, "expected string");
	if (reader->long_text.data) {
		*text = reader->long_text;
		return true;
	}
	len = reader->lex->strval->len;
	memcpy(reader->end, reader->lex->strval->data, len);
	*text = (TextView){reader->end, len};
	reader->end += len;
	return true;
}

/* The token lies within a terminated string and what follows it is no part of a number. */
static bool
ReadNumber(JsonReader *reader, double *number)
{
	if (reader->lex->token_type != JSON_TOKEN_NUMBER)
		return WrongType(reader, "expected number");
	errno = 0;
	*number = strtod(reader->lex->token_start, NULL);
	if (errno == ERANGE && (*number == 0 || isinf(*number)))
		return Reject(reader, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "out of range");
	return true;
}

static bool
ReadInt(JsonReader *reader, int64 *number)
{
	const char *token = reader->lex->token_start;
	const char *end = reader->lex->token_terminator;

	if (reader->lex->token_type != JSON_TOKEN_NUMBER)
		return WrongType(reader, "expected integer");
	for (const char *c = token; c < end; c++)
		if (*c != '-' && (*c < '0' || *c > '9'))
			return Reject(reader, ERRCODE_INVALID_TEXT_REPRESENTATION, "expected integer");
	errno = 0;
	*number = strtoll(token, NULL, 10);
	if (errno == ERANGE)
		return Reject(reader, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "out of range");
	return true;
}

static bool ReadSteps(JsonReader *reader, TrajectoryDraft *draft);

/* A null is as good as an absent key. */
static bool
ReadField(JsonReader *reader, const FieldSet *set, const Field *field, void *record)
{
	void *target = FieldPointer(field, record);

	if (reader->lex->token_type == JSON_TOKEN_NULL)
		return true;
	*FieldHas(set, record) |= field->bit;
	switch (field->type) {
		case FIELD_BOOL:
			return ReadBool(reader, target);
		case FIELD_STATUS:
			return ReadStatus(reader, target);
		case FIELD_TEXT:
			return ReadText(reader, target);
		case FIELD_NUMBER:
			return ReadNumber(reader, target);
		case FIELD_INT:
			return ReadInt(reader, target);
		default:
			return ReadSteps(reader, record);
	}
}

static bool
UnknownKey(JsonReader *reader)
{
	StringInfo key = reader->lex->strval;
	int shown = pg_mbcliplen(key->data, key->len, NAMEDATALEN);

	reader->key = pnstrdup(key->data, shown);
	return Reject(reader, ERRCODE_INVALID_TEXT_REPRESENTATION, "unknown key");
}

static const Field *
FindField(const FieldSet *set, const char *name, size_t len)
{
	for (int i = 0; i < set->count; i++)
		if (set->fields[i].len == len && memcmp(set->fields[i].name, name, len) == 0)
			return &set->fields[i];
	return NULL;
}

static bool
ReadColon(JsonReader *reader)
{
	if (!Next(reader))
		return false;
	if (reader->lex->token_type != JSON_TOKEN_COLON)
		return Unexpected(reader, "\":\"");
	return Next(reader);
}

/* The key at hand and its value. */
static bool
ReadMember(JsonReader *reader, const FieldSet *set, void *record, uint32 *seen)
{
	StringInfo name = reader->lex->strval;
	const Field *field;
	bool is_turn;
	uint32 bit;

	if (reader->lex->token_type != JSON_TOKEN_STRING)
		return Unexpected(reader, "a key");
	is_turn = reader->turn && reader->step >= 0 && strcmp(name->data, "turn") == 0;
	field = FindField(set, name->data, name->len);
	if (!field && !is_turn)
		return UnknownKey(reader);
	bit = is_turn ? 1U << 31 : 1U << (field - set->fields);
	reader->key = is_turn ? "turn" : field->name;
	if (*seen & bit)
		return Reject(reader, ERRCODE_INVALID_TEXT_REPRESENTATION, "given twice");
	*seen |= bit;
	if (!ReadColon(reader))
		return false;
	return is_turn ? ReadInt(reader, reader->turn) : ReadField(reader, set, field, record);
}

static bool
ReadObject(JsonReader *reader, const FieldSet *set, void *record)
{
	uint32 seen = 0;

	reader->key = NULL;
	if (reader->lex->token_type != JSON_TOKEN_OBJECT_START)
		return WrongType(reader, "expected object");
	if (!Next(reader))
		return false;
	if (reader->lex->token_type == JSON_TOKEN_OBJECT_END)
		return true;
	for (;;) {
		if (!ReadMember(reader, set, record, &seen) || !Next(reader))
			return false;
		if (reader->lex->token_type == JSON_TOKEN_OBJECT_END)
			return true;
		if (reader->lex->token_type != JSON_TOKEN_COMMA)
			return Unexpected(reader, "\",\" or \"}\"");
		if (!Next(reader))
			return false;
	}
}

/* After an element: more says whether another follows, whose first token is then at hand. */
static bool
ReadSeparator(JsonReader *reader, bool *more)
{
	CHECK_FOR_INTERRUPTS();
	if (!Next(reader))
		return false;
	*more = reader->lex->token_type == JSON_TOKEN_COMMA;
	if (*more)
		return Next(reader);
	if (reader->lex->token_type != JSON_TOKEN_ARRAY_END)
		return Unexpected(reader, "\",\" or \"]\"");
	return true;
}

/* The bracket at hand; more says whether an element follows, whose first token is then at hand. */
static bool
ReadArrayStart(JsonReader *reader, bool *more)
{
	if (reader->lex->token_type != JSON_TOKEN_ARRAY_START)
		return WrongType(reader, "expected array");
	if (!Next(reader))
		return false;
	*more = reader->lex->token_type != JSON_TOKEN_ARRAY_END;
	return true;
}

static bool
ReadSteps(JsonReader *reader, TrajectoryDraft *draft)
{
	size_t capacity = 32;
	bool more = false;

	if (!ReadArrayStart(reader, &more))
		return false;
	draft->steps = palloc(capacity * sizeof(StepDraft));
	while (more) {
		if (draft->nsteps == TRAJECTORY_MAX_STEPS)
			return Reject(reader, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						  psprintf("more than %d turns", TRAJECTORY_MAX_STEPS));
		if (draft->nsteps == capacity) {
			capacity *= 2;
			draft->steps = repalloc(draft->steps, capacity * sizeof(StepDraft));
		}
		memset(&draft->steps[draft->nsteps], 0, sizeof(StepDraft));
		reader->step = draft->nsteps;
		if (!ReadObject(reader, &step_fields, &draft->steps[draft->nsteps]))
			return false;
		reader->step = -1;
		reader->key = "steps";
		draft->nsteps++;
		if (!ReadSeparator(reader, &more))
			return false;
	}
	return true;
}

static bool
ReadEnd(JsonReader *reader)
{
	if (!Next(reader))
		return false;
	if (reader->lex->token_type != JSON_TOKEN_END)
		return Unexpected(reader, "the end of the input");
	return true;
}

static void
OpenReader(JsonReader *reader, char *json, Node *escontext)
{
	size_t len = strlen(json);

	memset(reader, 0, sizeof(*reader));
	reader->lex = make_lexer(json, len);
	reader->escontext = escontext;
	reader->texts = reader->end = palloc(len + 1);
	reader->step = -1;
	reader->input_end = json + len;
}

bool
trajectory_json_in(char *json, TrajectoryDraft *draft, Node *escontext)
{
	JsonReader reader;

	OpenReader(&reader, json, escontext);
	memset(draft, 0, sizeof(*draft));
	return Next(&reader) && ReadObject(&reader, &rollout_fields, draft) && ReadEnd(&reader);
}

bool
parts_json_in(char *json, PartReceiver receive, void *arg, Node *escontext)
{
	JsonReader reader;
	StepDraft step;
	int64 turn;
	bool more = false;

	OpenReader(&reader, json, escontext);
	reader.turn = &turn;
	if (!Next(&reader) || !ReadArrayStart(&reader, &more))
		return false;
	for (int64 i = 0; more; i++) {
		memset(&step, 0, sizeof(step));
		turn = 0;
		reader.step = i;
		reader.end = reader.texts;
		if (!ReadObject(&reader, &step_fields, &step))
			return false;
		if (turn < 1)
			return trajectory_reject(escontext, ERRCODE_INVALID_PARAMETER_VALUE, i, "turn",
									 "must be at least 1");
		if (!step_check_numbers(&step, i, escontext))
			return false;
		receive(arg, turn, &step);
		if (!ReadSeparator(&reader, &more))
			return false;
	}
	return ReadEnd(&reader);
}
