#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "rollout.h"
#include "train.h"
#include "truth.h"

#define BATCH 20 /* maps per update */
#define RATE  0.05
#define KL	  0.01

typedef struct Course {
	const Options *options;
	World *worlds;
	Lesson *lessons;
	FILE *dynamics; /* NULL: not asked for */
	World *tests;
	View *test_views;
} Course;

static FILE *
OpenOutput(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out) {
		perror(path);
		exit(1);
	}
	return out;
}

static void
CloseOutput(FILE *out, const char *path)
{
	if (fclose(out) != 0) {
		perror(path);
		exit(1);
	}
}

static void
SavePolicy(const Policy *policy, const char *path)
{
	FILE *out = OpenOutput(path);

	policy_write(policy, out);
	CloseOutput(out, path);
}

/* ---- checkpoints ---- */

static void
SaveCheckpoint(const Options *o, int epoch, const Policy *policy)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s-%04d.policy", o->checkpoints, policy->name, epoch);
	SavePolicy(policy, path);
}

static void
WriteRewards(const Course *course, int epoch, const Policy *policy)
{
	const Options *o = course->options;

	for (int i = 0; i < o->maps; i++) {
		const View *view = &course->test_views[i];
		double success[MAX_HORIZON];

		truth_success(policy, view, view->world->start, o->budget, true, success);
		fprintf(course->dynamics, "%s\t%d\t%s\t%.15g\t%.15g\n", policy->name, epoch,
				view->world->name, success[o->budget - 1],
				truth_single(policy, view, o->budget, true));
	}
}

static void
KeepCheckpoint(int epoch, const Policy *policy, void *context)
{
	const Course *course = context;
	const Options *o = course->options;

	if (epoch % o->every != 0 && epoch != o->epochs)
		return;
	if (o->checkpoints)
		SaveCheckpoint(o, epoch, policy);
	if (course->dynamics)
		WriteRewards(course, epoch, policy);
}

/* ---- the maps ---- */

static void
OpenCourse(Course *course, const Options *o)
{
	double holes = o->holes / 100.0;

	course->options = o;
	course->worlds = worlds_generate(o->world, TRAIN, o->maps, o->size, holes);
	course->lessons = need_memory(o->maps, sizeof(Lesson));
	for (int i = 0; i < o->maps; i++) {
		view_prepare(&course->lessons[i].view, &course->worlds[i]);
		quality_compute(&course->lessons[i].quality, &course->worlds[i], o->budget, GAMMA);
	}
	if (!o->dynamics)
		return;
	course->dynamics = OpenOutput(o->dynamics);
	course->tests = worlds_generate(o->world, TEST, o->maps, o->size, holes);
	course->test_views = need_memory(o->maps, sizeof(View));
	for (int i = 0; i < o->maps; i++)
		view_prepare(&course->test_views[i], &course->tests[i]);
}

static void
CloseCourse(Course *course)
{
	for (int i = 0; i < course->options->maps; i++) {
		view_free(&course->lessons[i].view);
		quality_free(&course->lessons[i].quality);
		if (course->dynamics)
			view_free(&course->test_views[i]);
	}
	free(course->worlds);
	free(course->lessons);
	free(course->tests);
	free(course->test_views);
	if (course->dynamics)
		CloseOutput(course->dynamics, course->options->dynamics);
}

/* ---- training ---- */

static void
TrainFromBase(Policy *policy, Course *course)
{
	const Options *o = course->options;
	Plan plan;
	Grpo run = {
		.lessons = course->lessons,
		.count = o->maps,
		.base = &o->base,
		.plan = &plan,
		.process = strcmp(o->mode, "process") == 0,
		.seed = o->seed,
		.batch = BATCH,
		.rate = RATE,
		.kl = KL,
		.checkpoint = KeepCheckpoint,
		.context = course,
	};

	if (strcmp(o->mode, "budgetmix") == 0)
		plan_read(&plan, o->plan, course->worlds, o->epochs, o->maps, GROUP, o->budget);
	else
		plan_constant(&plan, o->epochs, o->maps, GROUP, o->budget);
	memcpy(policy->weight, o->base.weight, sizeof(policy->weight));
	grpo_train(policy, &run);
	plan_free(&plan);
}

static void
CheckOptions(const Options *o, bool from_base)
{
	if (!o->out)
		options_reject("say where to write the policy: ", "--out");
	if (from_base && !o->has_base)
		options_reject("name the base policy", "");
	if (strcmp(o->mode, "budgetmix") == 0 && !o->plan)
		options_reject("a plan of budgets is needed: ", "--plan");
	if (o->name && strlen(o->name) >= sizeof(((Policy *) NULL)->name))
		options_reject("too long: ", "--name");
}

void
train(const Options *o)
{
	static const char *const modes[] = {"base", "full", "budgetmix", "process"};
	Course course = {0};
	Policy policy = {0};
	int mode = 0;

	if (!o->mode)
		options_reject("say how to train: ", "--mode");
	while (mode < 4 && strcmp(o->mode, modes[mode]) != 0)
		mode++;
	if (mode == 4)
		options_reject("unknown mode: ", o->mode);
	CheckOptions(o, mode > 0);
	snprintf(policy.name, sizeof(policy.name), "%s", o->name ? o->name : o->mode);
	OpenCourse(&course, o);
	if (mode == 0)
		imitate(&policy, course.lessons, o->maps, o->budget, o->seed);
	else
		TrainFromBase(&policy, &course);
	CloseCourse(&course);
	SavePolicy(&policy, o->out);
}
