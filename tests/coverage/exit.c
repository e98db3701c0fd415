// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For builds with -Db_coverage=true alone, linked in by --wrap=_exit: a child that ends by _exit()
 * writes down what it went through, too.
 */
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
void __gcov_dump(void);

_Noreturn void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
