// SPDX-License-Identifier: GPL-2.0-or-later
/* What of the platform only the words about drivers hang on. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "boards.h"
#include "platform.h"
#include "util.h"

#define CPU_DIR   "sys/devices/system/cpu/"
#define DTREE_DIR "sys/firmware/devicetree/base"
#define DMI_DIR   "sys/class/dmi/id/"

/* Numbers of the MSRs, and so offsets in /dev/cpu/0/msr: arch/x86/include/asm/msr-index.h */
#define MSR_MISC_PWR_MGMT 0x1aa
#define MSR_PM_ENABLE     0x770
#define OOB_BITS          (UINT64_C(1) << 8 | UINT64_C(1) << 18)

static void read_profile(int rootfd, struct facts *facts)
{
	char text[16];

	facts->pm_profile = -1;
	if (file_read_line(rootfd, "sys/firmware/acpi/pm_profile", text, sizeof(text)) == 0 &&
	    text[0] >= '0' && text[0] <= '9')
		facts->pm_profile = (int)(strtoul(text, NULL, 10) & 0xff);
}

/*
 * Frequencies of zero: a BIOS with CPPC switched off may leave the object behind, and amd_pstate
 * says "min_freq(0) or max_freq(0) or nominal_freq(0) value is incorrect". arm64 does without them.
 */
static bool is_cppc_empty(int rootfd, const struct facts *facts)
{
	static const char *const names[] = { CPU_DIR "cpu0/acpi_cppc/nominal_freq",
					     CPU_DIR "cpu0/acpi_cppc/lowest_freq" };
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (file_read_line(rootfd, names[i], text, sizeof(text)) < 0 ||
		    strcmp(text, "0") != 0)
			return false;
	return fact_is(facts, FACT_AMD);
}

/* "0-383" and the like: the number of the last CPU; -1 if it can't be read. */
static long last_cpu(int rootfd)
{
	char text[256], *last;

	if (file_read_line(rootfd, CPU_DIR "present", text, sizeof(text)) < 0)
		return -1;
	last = text + strlen(text);
	while (last > text && last[-1] >= '0' && last[-1] <= '9')
		last--;
	return *last ? strtol(last, NULL, 10) : -1;
}

/*
 * The kernel makes acpi_cppc for a CPU whose _CPC it understood (drivers/acpi/cppc_acpi.c). The
 * first and the last CPU stand for all: a walk would take as long as the machine is big.
 */
static void read_cppc(int rootfd, struct facts *facts)
{
	char path[64], parent[64];
	long last;
	int r = platform_exists_in(rootfd, CPU_DIR "cpu0/uevent", CPU_DIR "cpu0/acpi_cppc");

	if (r < 0)
		return;
	fact_put(facts, FACT_ACPI_CPPC, r == 1);
	if (r == 0 || is_cppc_empty(rootfd, facts)) {
		fact_put(facts, FACT_ALL_CPPC, false);
		return;
	}
	last = last_cpu(rootfd);
	if (last < 0)
		return;
	(void)snprintf(parent, sizeof(parent), CPU_DIR "cpu%ld/uevent", last);
	(void)snprintf(path, sizeof(path), CPU_DIR "cpu%ld/acpi_cppc", last);
	r = platform_exists_in(rootfd, parent, path);
	if (r >= 0)
		fact_put(facts, FACT_ALL_CPPC, r == 1);
}

/* A real device, or the few bytes of it that collect-machine.sh put into a file. */
static int read_msr(int rootfd, off_t number, uint64_t *ret)
{
	_cleanup_close_ int fd = path_open(rootfd, "dev/cpu/0/msr", O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return fd;
	return pread(fd, ret, sizeof(*ret), number) == (ssize_t)sizeof(*ret) ? 0 : -EIO;
}

static void read_intel_msrs(int rootfd, struct facts *facts)
{
	uint64_t value;

	if (!fact_is(facts, FACT_INTEL))
		return;
	if (!(facts->set.is_known & FACT(OOB)) && read_msr(rootfd, MSR_MISC_PWR_MGMT, &value) == 0)
		fact_put(facts, FACT_OOB, value & OOB_BITS);
	if (fact_is(facts, FACT_HWP) && read_msr(rootfd, MSR_PM_ENABLE, &value) == 0)
		fact_put(facts, FACT_HWP_FORCED, value & 1);
}

/* Where the FADT can't be read, DMI says as much of the maker. */
static void read_dmi(int rootfd, struct facts *facts)
{
	static const char *const hp[] = { "HP", "HPE", "Hewlett-Packard", "Hewlett Packard" };
	char vendor[64], product[64];
	bool is_hp = false;

	if (file_read_line(rootfd, DMI_DIR "product_name", product, sizeof(product)) < 0 &&
	    file_read_line(rootfd, "sys/devices/virtual/dmi/id/product_name", product,
			   sizeof(product)) < 0)
		return;
	str_copy(facts->product, sizeof(facts->product), product);
	str_printable(facts->product);
	if (file_read_line(rootfd, DMI_DIR "sys_vendor", vendor, sizeof(vendor)) < 0 &&
	    file_read_line(rootfd, "sys/devices/virtual/dmi/id/sys_vendor", vendor,
			   sizeof(vendor)) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(hp); i++)
		is_hp |= strncmp(vendor, hp[i], strlen(hp[i])) == 0;
	fact_put(facts, FACT_PROLIANT, is_hp && strncmp(product, "ProLiant", 8) == 0);
	if (strncasecmp(vendor, "oracle", 6) != 0 && strncmp(vendor, "Sun ", 4) != 0)
		fact_put(facts, FACT_ORACLE, false);
}

static void put_driver(struct facts *facts, const char *driver)
{
	if (facts->set.is_known & FACT(DT_CPUFREQ))
		return;
	if (strcmp(driver, BOARD_NONE) == 0) {
		fact_put(facts, FACT_DT_CPUFREQ, false);
	} else if (strcmp(driver, "scmi") == 0) {
		fact_put(facts, FACT_SCMI, true);
	} else {
		str_copy(facts->dt_driver, sizeof(facts->dt_driver), driver);
		fact_put(facts, FACT_DT_CPUFREQ, true);
	}
}

static void put_board(struct facts *facts, const char *name)
{
	const char *driver = board_driver(name, strlen(name));

	if (driver)
		put_driver(facts, driver);
}

/*
 * cpufreq-dt binds by operating points: which boards have them in the devicetree changes from
 * kernel to kernel, so what is there comes before the name of the board.
 */
static void read_board(int rootfd, struct facts *facts)
{
	static const char cpu[] = DTREE_DIR "/cpus/cpu@0";
	_cleanup_free_ char *list = NULL;
	const char *driver = NULL;
	bool is_by_opps;
	size_t len = 0;

	if (file_read(rootfd, DTREE_DIR "/compatible", 4096, &list, &len) == 0)
		driver = board_driver(list, len);
	is_by_opps = !driver || strcmp(driver, BOARD_NONE) == 0 ||
		     (strcmp(driver, "cpufreq-dt") == 0 && !board_makes_opps(list, len));
	if (is_by_opps && (path_exists(rootfd, DTREE_DIR "/cpus/cpu@0/operating-points-v2") == 1 ||
			   path_exists(rootfd, DTREE_DIR "/cpus/cpu@0/operating-points") == 1))
		put_driver(facts, "cpufreq-dt");
	else if (is_by_opps && list && path_exists(rootfd, cpu) == 1)
		fact_put(facts, FACT_DT_CPUFREQ, false);
	else if (driver)
		put_driver(facts, driver);
}

/* What the devicetree holds, and what the processor's own name and that of the board tell. */
static void read_boards(int rootfd, struct facts *facts)
{
	if (fact_is(facts, FACT_X86))
		return;
	if (fact_is(facts, FACT_DEVICETREE))
		read_board(rootfd, facts);
	put_board(facts, facts->board);
	put_board(facts, facts->product);
	/* Apple's are never booted by ACPI. */
	if (strncmp(facts->board, "apple,", 6) == 0) {
		fact_put(facts, FACT_DEVICETREE, true);
		fact_put(facts, FACT_ACPI, false);
	}
}

void platform_read_reasons(int rootfd, struct facts *facts)
{
	read_profile(rootfd, facts);
	read_cppc(rootfd, facts);
}

void platform_read_more(int rootfd, struct facts *facts)
{
	read_dmi(rootfd, facts);
	read_intel_msrs(rootfd, facts);
	read_boards(rootfd, facts);
}
