// SPDX-License-Identifier: Apache-2.0
/* Waves: what they show, and what happens where they cannot be written. */
#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static struct trace other;

/* Times at which a signal of a VCD becomes 1, by instance and name; returns how many, at most `max`. */
static int vcd_rises(const char *path, const char *instance, const char *signal, uint64_t *times, int max)
{
    FILE *file = fopen(path, "r");
    char line[1024], id[32] = "";
    bool inside = false;
    uint64_t time = 0;
    int n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char name[512], code[32];

        if (sscanf(line, " $scope module %511s", name) == 1) {
            if (!strncmp(name, "node", 4) || !strncmp(name, "seq", 3)) inside = !strcmp(name, instance);
        } else if (inside && !id[0] && sscanf(line, " $var wire 1 %31s %511s", code, name) == 2 &&
                   !strcmp(name, signal)) {
            strcpy(id, code);
        } else if (line[0] == '#') {
            time = strtoull(line + 1, NULL, 10);
        } else if (line[0] == '1' && id[0] && !strncmp(line + 1, id, strlen(id)) && line[1 + strlen(id)] == '\n' &&
                   n < max) {
            times[n++] = time;
        }
    }
    fclose(file);
    return n;
}

static void waves_show_every_instance_and_change_nothing(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();
    char path[PATH_MAX];
    uint64_t sent[8], heard[8];
    struct stat st;
    struct net net;

    snprintf(path, sizeof path, "%s/wave", scratch->dir);
    net_open_config(&net, &config, &scratch->context);
    net_preload(&net, 4);
    play_exchange(&net, &trace);
    net_close(&net);
    for (enum crl_sim_wave wave = CRL_SIM_WAVE_FST; wave <= CRL_SIM_WAVE_VCD; wave++) {
        config.wave = wave;
        config.wave_path = path;
        net_open_config(&net, &config, &scratch->context);
        net_preload(&net, 4);
        play_exchange(&net, &other);
        assert_no_fault(&net);
        net_close(&net);
        assert_same_trace(&trace, &other);
        assert_int_equal(stat(path, &st), 0);
        assert_true(st.st_size > 500);
    }
    /* What node 0 sends is at node 1 in the same instant. Each of the four injected words shows before its edge. */
    assert_int_equal(vcd_rises(path, "node0", "link_valid_o", sent, 8), 1);
    assert_int_equal(vcd_rises(path, "node1", "link_valid_i", heard, 8), 5);
    assert_int_equal(sent[0], heard[4]);
    assert_int_equal(vcd_rises(path, "seq0", "start_i", heard, 8), 2);
    snprintf(path, sizeof path, "%s/none/wave", scratch->dir);
    config.wave_path = path;
    {
        struct crl_sim *sim;

        assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_IO);
        assert_non_null(strstr(scratch->diag.text, "/none/wave"));
    }
}

static int files_in(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* Files may have so many bytes and no more, as on a disk that is full. */
static void waves_that_do_not_fit_are_an_error(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();
    char folder[PATH_MAX], path[PATH_MAX + 8];
    struct rlimit before;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    snprintf(folder, sizeof folder, "%s/waves", scratch->dir);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/wave", folder);
    for (config.wave = CRL_SIM_WAVE_FST; config.wave <= CRL_SIM_WAVE_VCD; config.wave++) {
        struct crl_sim *sim;

        config.wave_path = path;
        if (open_sim(&sim, scratch, &config)) fail_msg("%s", scratch->diag.text); /* built */
        crl_sim_close(sim);
        assert_int_equal(files_in(folder), 1);
        unlink(path);
        for (rlim_t bytes = 0; bytes <= 3000; bytes = bytes ? 2 * bytes : 160) {
            int error;

            setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, before.rlim_max});
            error = open_sim(&sim, scratch, &config);
            for (int i = 0; i < 2000 && !error; i++) {
                crl_sim_inject(sim, (uint32_t)i % 2, 0, UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)i);
                crl_sim_step(sim);
                error = crl_sim_status(sim, &scratch->diag);
            }
            if (!error) error = crl_sim_finish(sim, &scratch->diag);
            setrlimit(RLIMIT_FSIZE, &before);
            assert_int_equal(error, CRL_ERR_IO);
            assert_non_null(strstr(scratch->diag.text, path));
            assert_non_null(strstr(scratch->diag.text, strerror(EFBIG)));
            crl_sim_close(sim);
            assert_int_equal(files_in(folder), 0);
        }
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* With the simulators that this user has: how they are built is not what is tested. */
static int setup_waves(void **state)
{
    if (setup(state)) return -1;
    ((struct scratch *)*state)->context.cache = ((struct scratch *)*state)->context.data = NULL;
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waves_show_every_instance_and_change_nothing, setup_waves, teardown),
        cmocka_unit_test_setup_teardown(waves_that_do_not_fit_are_an_error, setup_waves, teardown),
    };

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
