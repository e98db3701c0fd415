// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces of CPUs that come up. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "cpuup.h"
#include "testlib.h"

static struct cpuup result;

static int read_text(const char *text)
{
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return cpuup_read(fd, &result);
}

static const struct cpuup_callback *find(const char *name)
{
	for (size_t i = 0; i < result.count; i++)
		if (strcmp(result.callbacks[i].name, name) == 0)
			return &result.callbacks[i];
	return NULL;
}

/* bringup_cpu() waits while the new CPU runs its own callbacks: its time is without theirs. */
static void events(void **state)
{
	(void)state;
	assert_int_equal(read_text("# tracer: nop\n#\n"
				   " swapper/0-1  [000] .....     0.100000: cpuhp_enter: cpu: 0001 "
				   "target: 228 step:   1 (one)\n"
				   " swapper/0-1  [000] .....     0.100500: cpuhp_exit:  cpu: 0001 "
				   " state:   0 step:   1 ret: 0\n"
				   " swapper/0-1  [000] .....     0.100600: cpuhp_enter: cpu: 0001 "
				   "target: 228 step:  85 (bringup_cpu)\n"
				   " cpuhp/1-20   [001] .....     0.102000: cpuhp_multi_enter: "
				   "cpu: 0001 target: 228 step: 150 (two)\n"
				   " cpuhp/1-20   [001] .....     0.103000: cpuhp_exit:  cpu: 0001 "
				   " state: 149 step: 150 ret: -12\n"
				   " swapper/0-1  [000] .....     0.110600: cpuhp_exit:  cpu: 0001 "
				   " state:  84 step:  85 ret: 0\n"
				   "CPU:3 [LOST 17 EVENTS]\n"
				   /* down, then up again: another bring-up */
				   " bash-9       [000] .....     0.300000: cpuhp_enter: cpu: 0001 "
				   "target:   0 step: 228 (down)\n"
				   " bash-9       [000] .....     0.300500: cpuhp_exit:  cpu: 0001 "
				   " state: 228 step: 228 ret: 0\n"
				   " bash-9       [000] .....     0.400000: cpuhp_enter: cpu: 0001 "
				   "target: 228 step:   1 (one)\n"
				   " bash-9       [000] .....     0.400500: cpuhp_exit:  cpu: 0001 "
				   " state:   0 step:   1 ret: 0\n"),
			 0);
	assert_int_equal(result.source, CPUUP_EVENTS);
	assert_int_equal(result.cpus, 2);
	assert_int_equal(result.total, 10600000 + 500000);
	assert_int_equal(result.longest_cpu, 10600000);
	assert_int_equal(result.wall, 300500000);
	assert_int_equal(result.lost_events, 17);
	assert_int_equal(find("bringup_cpu")->total, 9000000);
	assert_int_equal(find("two")->total, 1000000);
	assert_int_equal(find("two")->failures, 1);
	assert_int_equal(find("one")->calls, 2);
	assert_null(find("down"));
	assert_string_equal(result.callbacks[0].name, "bringup_cpu");
}

/* A driver that registers its callback later has it run on each CPU that is up: that is no
 * bring-up. */
static void registered_later(void **state)
{
	(void)state;
	assert_int_equal(
		read_text(" init-1 [000] ..... 1.000000: cpuhp_enter: cpu: 0001 target: 236 "
			  "step:   1 (one)\n"
			  " init-1 [000] ..... 1.000500: cpuhp_exit:  cpu: 0001  state:   1 "
			  "step:   1 ret: 0\n"
			  " init-1 [000] ..... 2.000000: cpuhp_multi_enter: cpu: 0001 target: "
			  "236 step: 201 (late)\n"
			  " init-1 [000] ..... 2.700000: cpuhp_exit:  cpu: 0001  state: 236 "
			  "step: 201 ret: 0\n"
			  " init-1 [000] ..... 3.000000: cpuhp_enter: cpu: 0001 target: 236 "
			  "step:  62 (later)\n"
			  " init-1 [000] ..... 3.700000: cpuhp_exit:  cpu: 0001  state: 236 "
			  "step:  62 ret: 0\n"),
		0);
	assert_int_equal(result.cpus, 1);
	assert_int_equal(result.total, 500000);
	assert_int_equal(result.wall, 500000);
	assert_int_equal(result.in_callbacks, 500000);
	assert_int_equal(result.registered_later, 2);
	assert_int_equal(find("late")->calls, 0);
}

static const char graph[] = " 0)               |  cpu_up() {\n"
			    " 0)   0.250 us    |    try_online_node();\n"
			    " 0)               |    cpuhp_invoke_callback() {\n"
			    " 0) + 12.345 us   |      one();\n"
			    " 0) + 13.000 us   |    }\n"
			    " 0)               |    cpuhp_invoke_callback() {\n"
			    " 0)               |      bringup_cpu() {\n"
			    " ------------------------------------------\n"
			    " 1)    <idle>-0    =>   cpuhp/1-20  \n"
			    " ------------------------------------------\n"
			    "\n"
			    " 1)               |  cpuhp_invoke_callback() {\n"
			    " 1) ! 100.000 us  |    two [kvm]();\n"
			    " 1) ! 101.000 us  |  }\n"
			    " 0) # 9000.000 us |      } /* bringup_cpu */\n"
			    " 0) # 9001.000 us |    }\n"
			    " 0) # 9200.500 us |  } /* cpu_up */\n";

static void function_graph(void **state)
{
	(void)state;
	assert_int_equal(read_text(graph), 0);
	assert_int_equal(result.source, CPUUP_GRAPH);
	assert_int_equal(result.cpus, 1);
	assert_int_equal(result.total, 9200500);
	assert_int_equal(find("one")->total, 12345);
	assert_int_equal(find("bringup_cpu")->total, 9000000);
	assert_int_equal(find("two [kvm]")->total, 100000);
	assert_null(find("try_online_node"));
	assert_int_equal(result.unpaired, 0);
}

/* Without its start a trace begins with closing braces. */
static void half_a_graph(void **state)
{
	(void)state;
	assert_int_equal(read_text(strstr(graph, " 0) + 12.345")), 0);
	assert_int_equal(result.cpus, 0);
	assert_true(result.unpaired > 0);
}

static void cut_anywhere(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(graph) - 1; len += 7) {
		_cleanup_free_ char *text = strndup(graph, len);
		int r = read_text(text);

		assert_true(r == 0 || r == -ENOMSG);
	}
}

static void no_trace(void **state)
{
	(void)state;
	assert_int_equal(read_text(""), -ENOMSG);
	assert_int_equal(read_text("[    0.0] something else\n"), -ENOMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events),       cmocka_unit_test(function_graph),
		cmocka_unit_test(half_a_graph), cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(no_trace),     cmocka_unit_test(registered_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
