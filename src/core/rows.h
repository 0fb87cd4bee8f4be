/*
 * Filling the columns of a result row.
 */
#ifndef AGENTRL_ROWS_H
#define AGENTRL_ROWS_H

#include "postgres.h"
#include "access/tupdesc.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

static inline void
put_float(Datum *values, bool *nulls, int i, double value, bool valid)
{
	values[i] = Float8GetDatum(valid ? value : 0.0);
	nulls[i] = !valid;
}

/* value NULL: the column is null */
static inline void
put_bigint(Datum *values, bool *nulls, int i, const int64 *value)
{
	values[i] = value == NULL ? (Datum) 0 : Int64GetDatum(*value);
	nulls[i] = value == NULL;
}

static inline void
put_text(Datum *values, bool *nulls, int i, const char *value)
{
	values[i] = value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
	nulls[i] = value == NULL;
}

/* Adds the row to the result; its values were made for it, and are freed. */
static inline void
put_row(ReturnSetInfo *rsinfo, const Datum *values, const bool *nulls)
{
	TupleDesc desc = rsinfo->setDesc;

	tuplestore_putvalues(rsinfo->setResult, desc, (Datum *) values, (bool *) nulls);
	for (int i = 0; i < desc->natts; i++) {
		if (!nulls[i] && !TupleDescAttr(desc, i)->attbyval)
			pfree(DatumGetPointer(values[i]));
	}
}

#endif
