// SPDX-License-Identifier: Apache-2.0
/* Building and caching: what can go wrong around the simulator, provoked one by one. */
#include "scratch.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static bool is_network(const char *name) { return !strncmp(name, "network", 7) && !strchr(name, '.'); }

/* Number of names in the cache that hold `part`; NULL: of compiled networks. */
static int cache_count(const struct scratch *scratch, const char *part)
{
    DIR *dir = opendir(scratch->cache);
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir))) n += part ? strstr(entry->d_name, part) != NULL : is_network(entry->d_name);
    if (dir) closedir(dir);
    return n;
}

/* Another file of that name: what is loaded stays mapped where Verilator has variables of threads, and must stay whole.
 */
static void spoil(const char *path)
{
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("spoilt", file);
    fclose(file);
}

static void second_open_takes_the_first_one_s_build(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();
    struct crl_sim *sim, *second;

    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    assert_int_equal(scratch->builds, 1);
    assert_int_equal(open_sim(&second, scratch, &config), 0);
    assert_int_equal(scratch->builds, 1);
    crl_sim_close(sim);
    crl_sim_step(second);
    crl_sim_close(second);
    config.params.network.table_depth = 256; /* built alike */
    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    crl_sim_close(sim);
    assert_int_equal(scratch->builds, 1);
    assert_int_equal(cache_count(scratch, NULL), 1);
    assert_int_equal(cache_count(scratch, ".tmp"), 0);

    /* Other RTL is another simulator. Another program builds it, since here it could be loaded though it is spoilt. */
    copy_rtl(scratch->rtl, "crl_router.sv", "// changed");
    {
        const pid_t child = fork();
        int status;

        if (!child) _exit(open_sim(&sim, scratch, &config) || scratch->builds != 2);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(cache_count(scratch, NULL), 2);
    }
    /* A spoilt one is made anew. */
    {
        DIR *dir = opendir(scratch->cache);
        struct dirent *entry;

        while ((entry = readdir(dir))) {
            char path[PATH_MAX * 2];

            snprintf(path, sizeof path, "%s/%s", scratch->cache, entry->d_name);
            if (is_network(entry->d_name)) spoil(path);
        }
        closedir(dir);
    }
    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    crl_sim_close(sim);
    assert_int_equal(scratch->builds, 2);
}

static void two_programs_build_once(void **state)
{
    struct scratch *scratch = *state;
    pid_t pid[2];
    int builds = 0;

    for (int i = 0; i < 2; i++) {
        pid[i] = fork();
        if (!pid[i]) {
            const struct crl_sim_config config = pair_config();
            struct crl_sim *sim;

            if (open_sim(&sim, scratch, &config)) _exit(100);
            crl_sim_step(sim);
            crl_sim_close(sim);
            _exit(scratch->builds);
        }
    }
    for (int i = 0; i < 2; i++) {
        int status;

        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_true(WIFEXITED(status));
        builds += WEXITSTATUS(status);
    }
    assert_int_equal(builds, 1);
    assert_int_equal(cache_count(scratch, NULL), 1);
}

static void killed_build_leaves_nothing_that_counts(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();
    const struct timespec tick = {.tv_nsec = 5000000};
    struct crl_sim *sim;
    pid_t pid = fork();

    if (!pid) {
        setpgid(0, 0);
        open_sim(&sim, scratch, &config);
        _exit(0);
    }
    setpgid(pid, pid);
    /* Killed while the simulator itself is being made. */
    while (!cache_count(scratch, "network") || !cache_count(scratch, ".tmp")) nanosleep(&tick, NULL);
    kill(-pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(cache_count(scratch, NULL), 0);
    assert_int_equal(cache_count(scratch, ".tmp"), 1);
    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    crl_sim_close(sim);
    assert_int_equal(cache_count(scratch, ".tmp"), 0);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void what_ends_a_build_early_leaves_nothing(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();
    char *path = strdup(getenv("PATH")), folder[sizeof scratch->dir + 2];
    struct crl_sim *sim;
    struct stat st;

    snprintf(folder, sizeof folder, "%s/b", scratch->dir);
    snprintf(scratch->cache, sizeof scratch->cache, "%s/c", folder);
    /* Missing tools are named with what to do. */
    setenv("PATH", scratch->dir, 1);
    assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_TOOL);
    assert_null(sim);
    assert_non_null(strstr(scratch->diag.text, "scripts/setup"));
    setenv("PATH", path, 1);
    free(path);
    assert_int_not_equal(stat(folder, &st), 0);
    /* The user interrupts it. */
    scratch->context.cancelled = always;
    assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_INTERRUPTED);
    assert_int_equal(cache_count(scratch, NULL), 0);
    assert_int_equal(cache_count(scratch, ".tmp"), 0);
    scratch->context.cancelled = NULL;
    assert_int_equal(stat(scratch->cache, &st), 0); /* made on demand, for its user alone */
    assert_int_equal(st.st_mode & 07777, 0700);
    share(shared, scratch->cache, "runtime");
    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    crl_sim_close(sim);
}

static void refused_rtl_shows_the_end_of_the_log(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();
    struct crl_sim *sim;

    copy_rtl(scratch->rtl, "crl_router.sv", "  nonsense is here;");
    assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_BUILD);
    assert_null(sim);
    assert_non_null(strstr(scratch->diag.text, "nonsense"));
    assert_int_equal(cache_count(scratch, NULL), 0);
    assert_int_equal(cache_count(scratch, ".tmp"), 0);
    assert_int_equal(cache_count(scratch, ".log"), 1);
    scratch->context.data = "/dev/null/data";
    assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_IO);
    assert_non_null(strstr(scratch->diag.text, "/dev/null/data"));
    scratch->context.data = scratch->dir;
    scratch->context.cache = "/dev/null/cache";
    assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_IO);
    assert_non_null(strstr(scratch->diag.text, "/dev/null/cache"));
}

static void failing_assertion_is_reported_not_fatal(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config();

    copy_rtl(scratch->rtl, "crl_router.sv", "  always_ff @(posedge clk_i) assert (link_valid_i == '0);");
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct crl_sim *sim;

        config.threads = threads;
        assert_int_equal(open_sim(&sim, scratch, &config), 0);
        crl_sim_step(sim);
        assert_int_equal(crl_sim_status(sim, &scratch->diag), 0);
        assert_string_equal(crl_sim_printed(sim), "");
        crl_sim_inject(sim, 1, 0, 1);
        crl_sim_step(sim);
        assert_int_equal(crl_sim_status(sim, &scratch->diag), CRL_ERR_ASSERT);
        assert_non_null(strstr(crl_sim_printed(sim), "crl_router.sv"));
        assert_non_null(strstr(crl_sim_printed(sim), "node1"));
        assert_non_null(strstr(scratch->last_message, "node1"));
        crl_sim_close(sim);
    }
}

static void arguments_out_of_range_are_refused(void **state)
{
    struct scratch *scratch = *state;
    const uint32_t bad_source[] = {2, 0}, bad_table[] = {0, 1};
    uint32_t words[8] = {0};
    struct crl_sim_config config;
    struct crl_sim *sim;

#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        config = pair_config();                                                                                        \
        change;                                                                                                        \
        assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_ARGUMENT);                                          \
        assert_null(sim);                                                                                              \
        assert_true(scratch->diag.text[0] != 0);                                                                       \
    } while (0)
    REFUSED(config.params.network.ports = 0);
    REFUSED(config.params.network.ports = 33);
    REFUSED(config.params.network.lanes = 2);
    REFUSED(config.params.network.banks = 2);
    REFUSED(config.params.network.data_width = 12);
    REFUSED(config.params.network.data_width = 72);
    REFUSED(config.params.network.pages = 0);
    REFUSED(config.params.flat = true; config.nodes = 1);
    REFUSED(config.params.kind = (enum crl_sim_kind)9);
    REFUSED(config.nodes = 0);
    REFUSED(config.tables = 3);
    REFUSED(config.source = NULL);
    REFUSED(config.source = bad_source);
    REFUSED(config.node_table = bad_table);
    REFUSED(config.wave = CRL_SIM_WAVE_FST);
#undef REFUSED

    config = pair_config();
    assert_int_equal(crl_sim_row_bits(&config.params), 1 + (4 + 2) + 2);
    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    assert_int_equal(crl_sim_load_tables(sim, words, 33, 1), CRL_ERR_ARGUMENT);
    assert_int_equal(crl_sim_load_tables(sim, words, 1, 2), CRL_ERR_ARGUMENT);
    words[0] = 1u << 9;
    assert_int_equal(crl_sim_load_tables(sim, words, 1, 1), CRL_ERR_ARGUMENT);
    words[0] = 0;
    assert_int_equal(crl_sim_load_tables(sim, words, 2, 1), 0);
    assert_int_equal(crl_sim_start(sim, 32, 0), CRL_ERR_ARGUMENT);
    assert_int_equal(crl_sim_start(sim, 1, 1), CRL_ERR_ARGUMENT);
    assert_int_equal(crl_sim_edge(sim), -1);
    assert_int_equal(crl_sim_start(sim, 1, 0), 0);
    crl_sim_step(sim);
    assert_int_equal(crl_sim_start(sim, 1, 0), CRL_ERR_BUSY);
    assert_int_equal(crl_sim_load_tables(sim, words, 1, 1), CRL_ERR_BUSY);
    assert_int_equal(crl_sim_steps(sim), 1);
    assert_int_equal(crl_sim_node_cycles(sim), 2);
    crl_sim_close(sim);
}

/* ---- who may have written what is run ---- */

static void entry_path(const struct scratch *scratch, const char *start, char path[PATH_MAX * 2])
{
    DIR *dir = opendir(scratch->cache);
    struct dirent *entry;

    path[0] = 0;
    while (dir && (entry = readdir(dir)))
        if (!strncmp(entry->d_name, start, strlen(start)) && !strchr(entry->d_name, '.'))
            snprintf(path, PATH_MAX * 2, "%s/%s", scratch->cache, entry->d_name);
    if (dir) closedir(dir);
    assert_true(path[0]);
}

/* Nothing is loaded, nothing is built, and the message has what a user needs. */
static void assert_refused(struct scratch *scratch, const char *path, const char *why)
{
    const struct crl_sim_config config = pair_config();
    struct crl_sim *sim;

    scratch->builds = 0;
    assert_int_equal(open_sim(&sim, scratch, &config), CRL_ERR_IO);
    assert_null(sim);
    assert_int_equal(scratch->builds, 0);
    assert_non_null(strstr(scratch->diag.text, path));
    assert_non_null(strstr(scratch->diag.text, why));
}

static void what_others_can_have_written_is_not_run(void **state)
{
    struct scratch *scratch = *state;
    const struct crl_sim_config config = pair_config();
    char entry[PATH_MAX * 2], moved[PATH_MAX * 2 + 8], runtime[PATH_MAX * 2];
    struct crl_sim *sim;

    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    crl_sim_close(sim);
    entry_path(scratch, "network", entry);
    entry_path(scratch, "runtime-none", runtime);

    for (mode_t mode = 0720; mode; mode = mode == 0720 ? 0702 : 0) {
        assert_int_equal(chmod(entry, mode), 0);
        assert_refused(scratch, entry, "CARILLON_CACHE");
        assert_int_equal(chmod(entry, 0700), 0);
        assert_int_equal(chmod(scratch->cache, mode), 0);
        assert_refused(scratch, scratch->cache, "CARILLON_CACHE");
        assert_int_equal(chmod(scratch->cache, 0700), 0);
    }
    /* Neither a link, wherever it leads, nor something else of that name. */
    snprintf(moved, sizeof moved, "%s.moved", entry);
    assert_int_equal(rename(entry, moved), 0);
    assert_int_equal(symlink(moved, entry), 0);
    assert_refused(scratch, entry, "symbolic link");
    unlink(entry);
    assert_int_equal(mkfifo(entry, 0600), 0);
    assert_refused(scratch, entry, "no file");
    unlink(entry);
    assert_int_equal(rename(moved, entry), 0);

    if (geteuid() == 0) { /* root may give files away, and is not fooled by those who cannot */
        assert_int_equal(chown(entry, 1, 1), 0);
        assert_refused(scratch, entry, "user 1");
        assert_int_equal(chown(entry, 0, 0), 0);
        assert_int_equal(chown(scratch->cache, 1, 1), 0);
        assert_refused(scratch, scratch->cache, "user 1");
        assert_int_equal(chown(scratch->cache, 0, 0), 0);
        /* What a simulator is linked with. */
        assert_int_equal(rename(entry, moved), 0);
        assert_int_equal(chown(runtime, 1, 1), 0);
        assert_refused(scratch, runtime, "user 1");
        assert_int_equal(chown(runtime, 0, 0), 0);
        assert_int_equal(rename(moved, entry), 0);
    }
    scratch->builds = 0;
    assert_int_equal(open_sim(&sim, scratch, &config), 0);
    crl_sim_close(sim);
    assert_int_equal(scratch->builds, 0);
}

/* The dynamic linker knows libraries by names of descriptors, which are used again. */
static void the_right_simulator_is_loaded_beside_others(void **state)
{
    struct scratch *scratch = *state;
    struct crl_sim_config config = pair_config(), narrow = pair_config();
    struct crl_sim *first, *second;
    struct net net;

    narrow.params.network.data_width = 8;
    net_open_config(&net, &narrow, &scratch->context); /* built */
    net_close(&net);
    assert_int_equal(open_sim(&first, scratch, &config), 0);
    assert_int_equal(open_sim(&second, scratch, &config), 0);
    crl_sim_close(second);
    net_open_config(&net, &narrow, &scratch->context);
    net_preload(&net, 4);
    play_exchange(&net, &trace);
    assert_int_equal(trace.data[3][0][0], own_word(&net, 0, 0, 2, 0));
    net_close(&net);
    crl_sim_step(first);
    assert_int_equal(crl_sim_status(first, NULL), 0);
    crl_sim_close(first);
}

static void tools_are_understood_in_any_locale(void **state)
{
    struct scratch *scratch = *state;
    const struct crl_sim_config config = pair_config();
    const char *before = getenv("LC_ALL");
    char *kept = before ? strdup(before) : NULL;
    struct crl_sim *sim;

    setenv("LC_ALL", "xx_XX.UTF-8", 1);
    if (open_sim(&sim, scratch, &config)) fail_msg("%s", scratch->diag.text);
    crl_sim_close(sim);
    if (kept) setenv("LC_ALL", kept, 1);
    else unsetenv("LC_ALL");
    free(kept);
}

/* For tests that are not about building. */
static int setup_built(void **state)
{
    if (setup(state)) return -1;
    share(shared, ((struct scratch *)*state)->cache, "network");
    return 0;
}

static int teardown_built(void **state)
{
    share(((struct scratch *)*state)->cache, shared, "network");
    return teardown(state);
}

int main(int argc, char **argv)
{
#define TEST(f)  cmocka_unit_test_setup_teardown(f, setup, teardown)
#define BUILT(f) cmocka_unit_test_setup_teardown(f, setup_built, teardown_built)
    const struct CMUnitTest tests[] = {
        TEST(second_open_takes_the_first_one_s_build),  TEST(two_programs_build_once),
        TEST(killed_build_leaves_nothing_that_counts),  TEST(what_ends_a_build_early_leaves_nothing),
        TEST(refused_rtl_shows_the_end_of_the_log),     TEST(failing_assertion_is_reported_not_fatal),
        TEST(tools_are_understood_in_any_locale),       BUILT(arguments_out_of_range_are_refused),
        BUILT(what_others_can_have_written_is_not_run), BUILT(the_right_simulator_is_loaded_beside_others),
    };

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
