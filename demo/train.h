/*
 * The command that trains a policy and keeps its checkpoints.
 */
#ifndef LAB_TRAIN_H
#define LAB_TRAIN_H

#include "options.h"

extern void train(const Options *options);

#endif
