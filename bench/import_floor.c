/*
 * The floor of the import: what jansson alone takes to parse a document that is
 * in memory. Parses it twice, for the first time touches fresh memory; prints the
 * time of the second in microseconds.
 *
 *   import_floor FILE
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char *
read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*len = ftell(file);
	rewind(file);
	data = malloc(*len);
	if (data && fread(data, 1, *len, file) != *len)
		data = NULL;
	fclose(file);
	return data;
}

static double
parse(const char *data, size_t len)
{
	struct timespec from, to;
	json_t *root;

	clock_gettime(CLOCK_MONOTONIC, &from);
	root = json_loadb(data, len, 0, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (!root)
		exit(1);
	json_decref(root);
	return (to.tv_sec - from.tv_sec) * 1e6 + (to.tv_nsec - from.tv_nsec) / 1e3;
}

int
main(int argc, char **argv)
{
	size_t len = 0;
	char *data = argc > 1 ? read_file(argv[1], &len) : NULL;

	if (!data)
		return 1;
	parse(data, len);
	printf("%.0f\n", parse(data, len));
	return 0;
}
