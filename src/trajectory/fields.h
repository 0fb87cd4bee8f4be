/*
 * The fields of a rollout and of a step, in canonical order. Text input and
 * output, binary input and output, validation and comparison all walk these
 * tables, so a field is described once.
 */
#ifndef AGENTRL_FIELDS_H
#define AGENTRL_FIELDS_H

#include "postgres.h"

#include "trajectory/draft.h"

typedef enum FieldType {
	FIELD_BOOL,	  /* uint8 Truth */
	FIELD_STATUS, /* uint8 RolloutStatus */
	FIELD_TEXT,	  /* TextView */
	FIELD_NUMBER, /* double, present by its bit of `has` */
	FIELD_INT,	  /* int64, present by its bit of `has` */
	FIELD_STEPS
} FieldType;

typedef struct Field {
	const char *name;
	uint8 len; /* of the name */
	uint8 type;
	uint8 bit;	   /* of `has` */
	uint16 offset; /* within the struct */
	int64 min;	   /* FIELD_INT: the smallest value */
} Field;

typedef struct FieldSet {
	const Field *fields;
	int count;
	size_t has_offset; /* of the uint8 `has` within the struct */
} FieldSet;

extern const FieldSet rollout_fields;
extern const FieldSet step_fields;

/* Names of RolloutStatus; NULL for unknown. */
extern const char *const status_names[];
#define STATUS_COUNT (STATUS_UNSCORED + 1)

static inline void *
FieldPointer(const Field *field, const void *record)
{
	return (char *) record + field->offset;
}

static inline uint8 *
FieldHas(const FieldSet *set, const void *record)
{
	return (uint8 *) record + set->has_offset;
}

static inline bool
FieldPresent(const FieldSet *set, const Field *field, const void *record)
{
	switch (field->type) {
		case FIELD_BOOL:
		case FIELD_STATUS:
			return *(uint8 *) FieldPointer(field, record) != 0;
		case FIELD_TEXT:
			return ((TextView *) FieldPointer(field, record))->data != NULL;
		default:
			return (*FieldHas(set, record) & field->bit) != 0;
	}
}

#endif
