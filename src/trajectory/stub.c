#include "trajectory/trajectory.h"
void trajectory_read_head(Datum value, TrajectoryHead *head) { memset(head, 0, sizeof(*head)); }
