// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_FARM_H
#define CRL_FARM_H

#include <stddef.h>

// carillon-mpi farm TASKS -o RESULTS, on all ranks: each line of the file TASKS is a command line of carillon, which
// some rank runs. Rank 0 hands them out, and writes a line of RESULTS (docs/mpi.md) as soon as one has ended; those
// that are there already are not run again. Returns the exit code, which is that of rank 0.
int farm(int argc, char **argv);

// Runs a command line as a process of its own: the program without another exec, so it must not call MPI. *result, the
// caller's to free, is a JSON object in one line; NULL when memory ran out.
void farm_task(const char *line, char **result);

// The tasks, and what is known of each before the farm begins.
struct farm_list {
    char **line; // [count]
    char *done;  // [count] whether there is a result
    size_t count, done_count, failed;
    int worst; // exit code of those that are done
};
// Both return 0 or an exit code after saying what is wrong. `results` need not be there; a line at its end that was cut
// off is dropped from the file.
int farm_read_tasks(struct farm_list *list, const char *path);
int farm_read_results(struct farm_list *list, const char *path);
// Takes the exit code out of a result into the list.
void farm_count(struct farm_list *list, size_t task, const char *result);
void farm_list_done(struct farm_list *list);

#endif
