# SPDX-License-Identifier: GPL-2.0-or-later
def image(options, base, release, tree):
    raise SystemExit("lean: not yet")
