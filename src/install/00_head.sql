\echo Use "CREATE EXTENSION agentrl" to load this file. \quit

