// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that gzip made, whole and not, and that the kernel's configuration is found in one. */
#include <errno.h>
#include <string.h>

#include "gunzip.h"
#include "kernel.h"
#include "testlib.h"

static const char text[] = "CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=1\n";
/* The same as gzip -n writes it. */
static const unsigned char packed[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x73, 0xf6, 0xf7, 0x73, 0xf3,
	0x74, 0x8f, 0x8f, 0xb0, 0x30, 0x8b, 0x77, 0xf4, 0x75, 0x89, 0x0f, 0x08, 0x0e, 0x71, 0x0c,
	0x71, 0x8d, 0x77, 0x71, 0x75, 0x73, 0x0c, 0xf5, 0x09, 0x89, 0xf7, 0xf5, 0x77, 0x71, 0xb5,
	0x35, 0xe4, 0x02, 0x00, 0x3e, 0x31, 0xeb, 0xc3, 0x25, 0x00, 0x00, 0x00,
};

static void whole(void **state)
{
	_cleanup_free_ char *got = NULL;
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_bytes(&t, "proc/config.gz", packed, sizeof(packed));
	assert_int_equal(gunzip_read(t.fd, "proc/config.gz", strlen(text), &got), 0);
	assert_string_equal(got, text);
	tree_remove(&t);
}

static void refused(void **state)
{
	static const struct {
		size_t size, max;
		int error;
	} table[] = {
		{ sizeof(packed), sizeof(text) - 2, -EFBIG },
		{ sizeof(packed) - 9, 4096, -EILSEQ },
		{ 20, 4096, -EILSEQ },
	};
	unsigned char damaged[sizeof(packed)];
	char *got = NULL;
	struct tree t;

	(void)state;
	tree_make(&t);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		tree_bytes(&t, "x.gz", packed, table[i].size);
		assert_int_equal(gunzip_read(t.fd, "x.gz", table[i].max, &got), table[i].error);
	}
	/* The sum at the end is of another text. */
	memcpy(damaged, packed, sizeof(packed));
	damaged[sizeof(packed) - 6] ^= 1;
	tree_bytes(&t, "x.gz", damaged, sizeof(damaged));
	assert_int_equal(gunzip_read(t.fd, "x.gz", 4096, &got), -EILSEQ);
	assert_int_equal(gunzip_read(t.fd, "absent.gz", 4096, &got), -ENOENT);
	assert_null(got);
	tree_remove(&t);
}

/* A file in /boot comes first: it is the same, and need not be unpacked. */
static void configuration(void **state)
{
	struct facts f = { .kernel = "6.12.0" };
	struct tree t;

	(void)state;
	kernel_version_parse(f.kernel, &f.version);
	fact_put(&f, FACT_AMD, true);
	fact_put(&f, FACT_AMD_DEFAULT, true);
	tree_make(&t);
	tree_bytes(&t, "proc/config.gz", packed, sizeof(packed));
	kernel_config_read(t.fd, &f);
	assert_false(fact_is(&f, FACT_AMD_DEFAULT));
	tree_file(&t, "boot/config-6.12.0", "CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=3\n");
	kernel_config_read(t.fd, &f);
	assert_true(fact_is(&f, FACT_AMD_DEFAULT));
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(refused),
		cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
