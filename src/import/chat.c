/*
 * Message lists: one turn per assistant message, what follows it its observation.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/formats.h"

bool
is_messages(const json_t *value)
{
	return json_is_array(value) &&
		   json_is_string(json_object_get(json_array_get(value, 0), "role"));
}

/* name(arguments), the arguments as compact JSON */
void
append_call(Text *text, TextView name, const json_t *arguments)
{
	if (text->len)
		text_append(text, "\n", 1);
	text_append(text, name.data, name.len);
	text_append(text, "(", 1);
	if (json_is_string(arguments))
		text_append(text, json_string_value(arguments), json_string_length(arguments));
	else if (arguments && !json_is_null(arguments))
		text_json(text, arguments);
	text_append(text, ")", 1);
}

static void
AppendToolCall(Rollout *r, Text *text, const json_t *call)
{
	const json_t *function = json_object_get(call, "function");
	TextView name = text_of(function);
	const json_t *arguments;

	if (json_is_string(call)) {
		if (text->len)
			text_append(text, "\n", 1);
		text_append(text, json_string_value(call), json_string_length(call));
		return;
	}
	if (!json_is_object(function))
		function = call;
	if (!name.data)
		name = text_of(json_object_get(function, "name"));
	arguments = json_object_get(function, "arguments");
	if (!arguments)
		arguments = json_object_get(function, "input");
	append_call(text, name, arguments);
}

/* Calls of a message, whichever way it carries them. */
static const json_t *
ToolCalls(const json_t *message)
{
	const json_t *calls = json_object_get(message, "tool_calls");

	return json_array_size(calls) ? calls : NULL;
}

/* The content, then each call on a line of its own; reasoning when there is neither. */
TextView
chat_action(Rollout *r, const json_t *message)
{
	static const char *const reasoning[] = {"reasoning_content", "reasoning", "thought"};
	TextView content = content_of(r, json_object_get(message, "content"));
	const json_t *calls = ToolCalls(message);
	const json_t *call = json_object_get(message, "function_call");
	Text text = {.host = r->importer->host};
	size_t count = json_array_size(calls);

	if (count == 0 && !json_is_object(call)) {
		for (size_t i = 0; content.len == 0 && i < 3; i++) {
			TextView other = text_of(json_object_get(message, reasoning[i]));

			if (other.len)
				return other;
		}
		return content.data ? content : view("");
	}
	text_append(&text, content.data, content.len);
	for (size_t i = 0; i < count; i++)
		AppendToolCall(r, &text, element(r->importer, calls, i));
	if (count == 0)
		AppendToolCall(r, &text, call);
	content.data = text.data;
	content.len = text.len;
	return content;
}

/* The number in <returncode>N</returncode>. */
bool
return_code(TextView text, long *code)
{
	static const char tag[] = "<returncode>";
	const char *p = view_find(text, tag);
	const char *end;
	long sign = 1, value = 0;

	if (!p)
		return false;
	end = text.data + text.len;
	p += sizeof(tag) - 1;
	if (p < end && *p == '-') {
		sign = -1;
		p++;
	}
	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9' && value < 1000000; p++)
		value = value * 10 + (*p - '0');
	*code = sign * value;
	return true;
}

void
judge_code(Rollout *r, long code)
{
	rollout_judge(r, code != 0, view("return_code"));
}

/* The caller's pattern, else the format's prefixes. */
void
judge_text(Rollout *r, TextView text, const char *const *prefixes)
{
	const ImportHost *host = r->importer->host;
	bool failed = false;

	if (host->error_match)
		failed = text.data && host->error_match(text);
	else
		for (; prefixes && *prefixes && !failed; prefixes++)
			failed = view_starts(text, *prefixes);
	rollout_judge(r, failed, view(NULL));
}

/* A flag of the format's own: true or false, or an error that is an object or a text. */
static bool
JudgeByFlag(Rollout *r, const json_t *message)
{
	const json_t *flag = json_object_get(message, "error");

	if (!flag)
		flag = json_object_get(message, "is_error");
	if (json_is_boolean(flag)) {
		rollout_judge(r, json_is_true(flag), view(NULL));
		return true;
	}
	if (json_is_object(flag)) {
		rollout_judge(r, true, text_of(json_object_get(flag, "type")));
		return true;
	}
	if (json_is_string(flag) && json_string_length(flag)) {
		const char *word = json_string_value(flag);
		bool no = strcasecmp(word, "false") == 0;

		if (no || strcasecmp(word, "true") == 0)
			rollout_warn(r, "an error flag read from a string");
		rollout_judge(r, !no, view(NULL));
		return true;
	}
	return false;
}

static void
JudgeResult(Rollout *r, const json_t *message, TextView text, const ChatRules *rules)
{
	const json_t *code = at(message, "extra.returncode");
	long number;

	if (JudgeByFlag(r, message))
		return;
	if (json_is_integer(code))
		judge_code(r, json_integer_value(code));
	else if (rules->user_results && return_code(text, &number))
		judge_code(r, number);
	else
		judge_text(r, text, rules->error_prefixes);
}

static void
AssistantTurn(Rollout *r, const json_t *message, const ChatRules *rules)
{
	static const char *const counts[] = {"usage.completion_tokens", "usage.output_tokens",
										 "completion_tokens",
										 "extra.response.usage.completion_tokens"};
	StepDraft *step = rollout_turn(r);
	const json_t *logprobs = json_object_get(message, "logprobs");
	bool calls = ToolCalls(message) || json_is_object(json_object_get(message, "function_call"));

	step->action = chat_action(r, message);
	step->error = calls || rules->user_results ? TRUTH_UNKNOWN : TRUTH_FALSE;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		step_tokens(r, step, at(message, counts[i]));
		if (step->has & STEP_TOKENS)
			break;
	}
	step_logprobs(r, step, logprobs);
}

static bool
IsResult(TextView role, const ChatRules *rules)
{
	return view_is(role, "tool") || view_is(role, "function") || view_is(role, "observation") ||
		   (rules->user_results && view_is(role, "user"));
}

static void
ImportMessage(Rollout *r, const json_t *message, const ChatRules *rules)
{
	TextView role = text_of(json_object_get(message, "role"));
	TextView text;

	if (!json_is_object(message)) {
		rollout_warn(r, "a message that is no object is left out");
		return;
	}
	if (rules->skip_demos && json_is_true(json_object_get(message, "is_demo"))) {
		rollout_prompt(r, content_of(r, json_object_get(message, "content")));
		return;
	}
	if (view_is(role, "assistant") || view_is(role, "model")) {
		AssistantTurn(r, message, rules);
		return;
	}
	text = content_of(r, json_object_get(message, "content"));
	rollout_observe(r, text);
	/* a simulated user's own tools are no doing of the policy */
	if (IsResult(role, rules) && !has_string(message, "requestor", "user"))
		JudgeResult(r, message, text, rules);
}

void
chat_import(Rollout *r, const json_t *messages, const ChatRules *rules)
{
	size_t count = json_array_size(messages);

	for (size_t i = 0; i < count; i++)
		ImportMessage(r, element(r->importer, messages, i), rules);
}
