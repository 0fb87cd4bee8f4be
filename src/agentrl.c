/*
 * agentrl: trajectory analytics for LLM agents.
 */
#include "postgres.h"
#include "fmgr.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "agentrl", .version = "0.1.0");
#else
PG_MODULE_MAGIC;
#endif
