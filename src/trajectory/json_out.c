/*
 * The canonical text form: keys in the order of the field tables, absent when
 * null, no whitespace, escapes only where JSON asks for them.
 */
#include "postgres.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "trajectory/fields.h"
#include "trajectory/layout.h"

static void
AppendEscape(StringInfo out, unsigned char c)
{
	static const char *const names[] = {
		['\b'] = "\\b", ['\f'] = "\\f", ['\n'] = "\\n", ['\r'] = "\\r",
		['\t'] = "\\t", ['"'] = "\\\"", ['\\'] = "\\\\"};

	if (c < lengthof(names) && names[c])
		appendBinaryStringInfo(out, names[c], 2);
	else
		appendStringInfo(out, "\\u%04x", c);
}

static void
AppendText(StringInfo out, const TextView *text)
{
	const char *from = text->data;
	const char *end = text->data + text->len;

	appendStringInfoCharMacro(out, '"');
	for (const char *at = from; at < end; at++) {
		unsigned char c = *at;

		if (c >= ' ' && c != '"' && c != '\\' && at - from < TEXT_BLOCK)
			continue;
		CHECK_FOR_INTERRUPTS();
		appendBinaryStringInfo(out, from, at - from);
		from = at;
		if (c < ' ' || c == '"' || c == '\\') {
			AppendEscape(out, c);
			from++;
		}
	}
	appendBinaryStringInfo(out, from, end - from);
	appendStringInfoCharMacro(out, '"');
}

static void
AppendInt(StringInfo out, int64 number)
{
	char buffer[MAXINT8LEN + 1];

	appendBinaryStringInfo(out, buffer, pg_lltoa(number, buffer));
}

static void
AppendNumber(StringInfo out, double number)
{
	char buffer[DOUBLE_SHORTEST_DECIMAL_LEN];

	appendBinaryStringInfo(out, buffer, double_to_shortest_decimal_bufn(number, buffer));
}

static void
AppendSteps(StringInfo out, const TrajectoryDraft *draft)
{
	appendStringInfoChar(out, '[');
	for (size_t i = 0; i < draft->nsteps; i++) {
		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoChar(out, ',');
		step_json_out(out, &draft->steps[i], NULL);
	}
	appendStringInfoChar(out, ']');
}

static void
AppendValue(StringInfo out, const Field *field, const void *record)
{
	const void *value = FieldPointer(field, record);

	switch (field->type) {
		case FIELD_BOOL:
			appendStringInfoString(out, *(uint8 *) value == TRUTH_TRUE ? "true" : "false");
			break;
		case FIELD_STATUS:
			appendStringInfo(out, "\"%s\"", status_names[*(uint8 *) value]);
			break;
		case FIELD_TEXT:
			AppendText(out, value);
			break;
		case FIELD_NUMBER:
			AppendNumber(out, *(double *) value);
			break;
		case FIELD_INT:
			AppendInt(out, *(int64 *) value);
			break;
		default:
			AppendSteps(out, record);
	}
}

static void
AppendMembers(StringInfo out, const FieldSet *set, const void *record)
{
	for (int i = 0; i < set->count; i++) {
		const Field *field = &set->fields[i];

		if (!FieldPresent(set, field, record))
			continue;
		if (out->data[out->len - 1] != '{')
			appendStringInfoCharMacro(out, ',');
		appendStringInfoCharMacro(out, '"');
		appendBinaryStringInfo(out, field->name, field->len);
		appendBinaryStringInfo(out, "\":", 2);
		AppendValue(out, field, record);
	}
}

void
step_json_out(StringInfo out, const StepDraft *step, const int64 *turn)
{
	appendStringInfoCharMacro(out, '{');
	if (turn) {
		appendStringInfoString(out, "\"turn\":");
		AppendInt(out, *turn);
	}
	AppendMembers(out, &step_fields, step);
	appendStringInfoCharMacro(out, '}');
}

void
trajectory_json_out(StringInfo out, const TrajectoryDraft *draft)
{
	appendStringInfoChar(out, '{');
	AppendMembers(out, &rollout_fields, draft);
	appendStringInfoChar(out, '}');
}
