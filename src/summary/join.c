#include "summary/join.h"

void
join_start(KeyJoin *join, JoinSide first, JoinSide second)
{
	const SummaryReader *a = first.summary, *b = second.summary;

	if (a->kind != b->kind && a->keys > 0 && b->keys > 0)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("cannot pair a %s keyed by bigint with one keyed by text",
							   a->methods->type_name),
						errhint("Cast the tasks to text on both sides.")));
	*join = (KeyJoin){.first = first, .second = second};
}

/* Advances whichever side has been passed; false at the end of both. */
bool
join_next(KeyJoin *join)
{
	if (!join->started || (join->has_first && join->order <= 0))
		join->has_first = join->first.next(join->first.reader);
	if (!join->started || (join->has_second && join->order >= 0))
		join->has_second = join->second.next(join->second.reader);
	join->started = true;
	if (!join->has_first && !join->has_second)
		return false;
	if (join->has_first && join->has_second)
		join->order = key_compare(join->first.summary->kind, &join->first.summary->key,
								  &join->second.summary->key);
	else
		join->order = join->has_first ? -1 : 1;
	return true;
}
