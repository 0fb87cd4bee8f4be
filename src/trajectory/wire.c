/*
 * The binary form: fixed-width fields in network order, texts plain.
 *
 *   rollout: version (8 bits), then as a step
 *   step:    presence of the fields in canonical order (16 bits), then each
 *            field that is present
 *   field:   bool and status 8 bits; number 64-bit float; int 64 bits; text a
 *            32-bit length and its bytes in the client's encoding; steps a
 *            32-bit count and each step
 */
#include "postgres.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"

#include "core/interrupts.h"
#include "trajectory/fields.h"
#include "trajectory/layout.h"

static void
BadMessage(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					errmsg("invalid binary form of a trajectory"), errdetail("%s", detail)));
}

static void
SendText(StringInfo out, const TextView *text)
{
	char *converted = pg_server_to_client(text->data, text->len);
	size_t len = converted == text->data ? text->len : strlen(converted);

	pq_sendint32(out, len);
	for (size_t sent = 0; sent < len; sent += BYTES_PER_CHECK) {
		CHECK_FOR_INTERRUPTS();
		pq_sendbytes(out, converted + sent, Min(len - sent, BYTES_PER_CHECK));
	}
	if (converted != text->data)
		pfree(converted);
}

static void SendRecord(StringInfo out, const FieldSet *set, const void *record);

static void
SendSteps(StringInfo out, const TrajectoryDraft *draft)
{
	pq_sendint32(out, draft->nsteps);
	for (size_t i = 0; i < draft->nsteps; i++) {
		CHECK_FOR_INTERRUPTS();
		SendRecord(out, &step_fields, &draft->steps[i]);
	}
}

static void
SendValue(StringInfo out, const Field *field, const void *record)
{
	const void *value = FieldPointer(field, record);

	switch (field->type) {
		case FIELD_BOOL:
			pq_sendint8(out, *(uint8 *) value == TRUTH_TRUE);
			break;
		case FIELD_STATUS:
			pq_sendint8(out, *(uint8 *) value);
			break;
		case FIELD_TEXT:
			SendText(out, value);
			break;
		case FIELD_NUMBER:
			pq_sendfloat8(out, *(double *) value);
			break;
		case FIELD_INT:
			pq_sendint64(out, *(int64 *) value);
			break;
		default:
			SendSteps(out, record);
	}
}

static void
SendRecord(StringInfo out, const FieldSet *set, const void *record)
{
	uint16 present = 0;

	for (int i = 0; i < set->count; i++)
		if (FieldPresent(set, &set->fields[i], record))
			present |= 1 << i;
	pq_sendint16(out, present);
	for (int i = 0; i < set->count; i++)
		if (present & (1 << i))
			SendValue(out, &set->fields[i], record);
}

static uint32
BytesLeft(StringInfo in)
{
	return in->len - in->cursor;
}

/* A text that needs no conversion: checked piece by piece, and left where it is. */
static void
ReceiveUtf8(StringInfo in, uint32 bytes, TextView *text)
{
	const char *data = pq_getmsgbytes(in, bytes);

	for (const char *at = data, *end = data + bytes, *next; at < end; at = next) {
		CHECK_FOR_INTERRUPTS();
		next = at + Min(end - at, BYTES_PER_CHECK);
		/* a character that the piece would cut is the next one's */
		for (int i = 0; i < 3 && next < end && (*next & 0xC0) == 0x80; i++)
			next--;
		pg_verify_mbstr(PG_UTF8, at, next - at, false);
	}
	*text = (TextView){data, bytes};
}

static void
ReceiveText(StringInfo in, TextView *text)
{
	uint32 bytes = pq_getmsgint(in, 4);
	int len;
	char *data;

	if (bytes > BytesLeft(in))
		BadMessage("A text is longer than the message.");
	if (bytes > BYTES_PER_CHECK && GetDatabaseEncoding() == PG_UTF8 &&
		pg_get_client_encoding() == PG_UTF8) {
		ReceiveUtf8(in, bytes, text);
		return;
	}
	data = pq_getmsgtext(in, bytes, &len);
	if (strlen(data) != len)
		BadMessage("A text contains a zero byte.");
	*text = (TextView){data, len};
}

static uint8
ReceiveByte(StringInfo in, uint8 min, uint8 max)
{
	uint8 byte = pq_getmsgbyte(in);

	if (byte < min || byte > max)
		BadMessage("A flag or status is out of range.");
	return byte;
}

static void ReceiveRecord(StringInfo in, const FieldSet *set, void *record);

static void
ReceiveSteps(StringInfo in, TrajectoryDraft *draft)
{
	uint32 nsteps = pq_getmsgint(in, 4);

	if (nsteps > TRAJECTORY_MAX_STEPS || nsteps > BytesLeft(in) / STEP_WIRE_MIN)
		BadMessage("There are more steps than the message or a trajectory can hold.");
	draft->nsteps = nsteps;
	draft->steps = alloc_steps(nsteps);
	for (uint32 i = 0; i < nsteps; i++) {
		CHECK_FOR_INTERRUPTS();
		ReceiveRecord(in, &step_fields, &draft->steps[i]);
	}
}

static void
ReceiveValue(StringInfo in, const Field *field, void *record)
{
	void *value = FieldPointer(field, record);

	switch (field->type) {
		case FIELD_BOOL:
			*(uint8 *) value = ReceiveByte(in, 0, 1) ? TRUTH_TRUE : TRUTH_FALSE;
			break;
		case FIELD_STATUS:
			*(uint8 *) value = ReceiveByte(in, 1, STATUS_COUNT - 1);
			break;
		case FIELD_TEXT:
			ReceiveText(in, value);
			break;
		case FIELD_NUMBER:
			*(double *) value = pq_getmsgfloat8(in);
			break;
		case FIELD_INT:
			*(int64 *) value = pq_getmsgint64(in);
			break;
		default:
			ReceiveSteps(in, record);
	}
}

static void
ReceiveRecord(StringInfo in, const FieldSet *set, void *record)
{
	uint16 present = pq_getmsgint(in, 2);

	if (present >> set->count)
		BadMessage("It names fields that do not exist.");
	for (int i = 0; i < set->count; i++) {
		const Field *field = &set->fields[i];

		if (!(present & (1 << i)))
			continue;
		*FieldHas(set, record) |= field->bit;
		ReceiveValue(in, field, record);
	}
}

void
step_send(StringInfo out, const StepDraft *step)
{
	SendRecord(out, &step_fields, step);
}

void
step_recv(StringInfo in, StepDraft *step)
{
	memset(step, 0, sizeof(*step));
	ReceiveRecord(in, &step_fields, step);
}

void
wire_version_recv(StringInfo in)
{
	int version = pq_getmsgbyte(in);

	if (version != WIRE_VERSION)
		BadMessage(
			psprintf("Its version is %d; this release reads version %d.", version, WIRE_VERSION));
}

void
rollout_send(StringInfo out, const TrajectoryDraft *draft)
{
	pq_sendint8(out, WIRE_VERSION);
	SendRecord(out, &rollout_fields, draft);
}

void
rollout_recv(StringInfo in, TrajectoryDraft *draft)
{
	memset(draft, 0, sizeof(*draft));
	wire_version_recv(in);
	ReceiveRecord(in, &rollout_fields, draft);
	pq_getmsgend(in);
}
