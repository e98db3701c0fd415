// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "analyze-config.h"
#include "fields.h"
#include "log.h"

#if HAVE_SYSTEMD
#include <sys/stat.h>
#include <systemd/sd-journal.h>

static void journal_closep(sd_journal **j)
{
	sd_journal_close(*j);
}

static int open_journal(const char **paths, sd_journal **ret)
{
	struct stat st;

	if (!paths)
		return sd_journal_open(ret, SD_JOURNAL_LOCAL_ONLY);
	if (stat(paths[0], &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return paths[1] ? -EINVAL : sd_journal_open_directory(ret, paths[0], 0);
	return sd_journal_open_files(ret, paths, 0);
}

static int match_this_boot(sd_journal *j)
{
	char match[9 + SD_ID128_STRING_MAX] = "_BOOT_ID=";
	sd_id128_t id;
	int r = sd_id128_get_boot(&id);

	if (r < 0)
		return r;
	sd_id128_to_string(id, match + 9);
	return sd_journal_add_match(j, match, 0);
}

/* Two values of one field are alternatives. */
static int match_udev(sd_journal *j)
{
	int r = sd_journal_add_match(j, "SYSLOG_IDENTIFIER=systemd-udevd", 0);

	return r < 0 ? r : sd_journal_add_match(j, "SYSLOG_IDENTIFIER=(udev-worker)", 0);
}

/*
 * The data that sd-journal hands out are good until the next call that gets some, so what is
 * wanted of an entry is copied.
 */
static int read_entry(sd_journal *j, struct log *log)
{
	char arena[8192];
	size_t used = 0, len;
	struct fields fields = { 0 };
	struct entry entry;
	const void *data;
	uint64_t time;
	sd_id128_t boot;
	char boot_text[SD_ID128_STRING_MAX];

	SD_JOURNAL_FOREACH_DATA(j, data, len)
	{
		struct slice field = { data, len }, key;
		size_t equals = slice_find_char(field, '=');

		key = (struct slice){ field.p, equals };
		if (equals >= len || !fields_is_wanted(key) || len > sizeof(arena) - used)
			continue;
		memcpy(arena + used, data, len);
		(void)fields_set(&fields, (struct slice){ arena + used, equals },
				 (struct slice){ arena + used + equals + 1, len - equals - 1 });
		used += len;
	}
	if (sd_journal_get_monotonic_usec(j, &time, &boot) == 0) {
		fields.boot_time = time;
		fields.has_boot_time = true;
		(void)sd_id128_to_string(boot, boot_text);
		fields.boot = (struct slice){ boot_text, sizeof(boot_text) - 1 };
	}
	return fields_finish(&fields, &entry) ? log_add(log, &entry) : 0;
}

int log_read_journal(const char **paths, unsigned int only, struct log *log)
{
	_cleanup_(journal_closep) sd_journal *j = NULL;
	int r = open_journal(paths, &j);

	if (r == 0 && (only & LOG_ONLY_THIS_BOOT))
		r = match_this_boot(j);
	if (r == 0 && (only & LOG_ONLY_UDEV))
		r = match_udev(j);
	if (r < 0)
		return r;
	/* The default is 64 KiB; what is longer is of no interest here. */
	(void)sd_journal_set_data_threshold(j, 8192);
	while ((r = sd_journal_next(j)) > 0) {
		log->lines++;
		r = read_entry(j, log);
		if (r < 0)
			return r;
	}
	/* A file that was cut off: what was read before counts. */
	if (r < 0)
		log->ended_early = r;
	return 0;
}
#else
int log_read_journal(const char **paths, unsigned int only, struct log *log)
{
	(void)paths, (void)only, (void)log;
	return -EOPNOTSUPP;
}
#endif
