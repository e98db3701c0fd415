# SPDX-License-Identifier: GPL-2.0-or-later
# From the kernel's trace: PAIR try MODULE WHO RESULT COUNT, a line for each kind of load. RESULT is what finit_module()
# returned, in the kernel's hexadecimal; "none" for a call that has not returned.
# Who shares a load that is going on (Linux 6.5 and later) reads no file; the inode that it waits for says which.
function field(text, name,    at) {
    at = index(text, name "=")
    if (!at)
        return ""
    text = substr(text, at + length(name) + 1)
    if (substr(text, 1, 1) == "\"") {
        text = substr(text, 2)
        return substr(text, 1, index(text, "\"") - 1)
    }
    sub(/ .*/, "", text)
    return text
}
function count(pid, result) {
    if (!(pid in file))
        file[pid] = (pid in waits) && (waits[pid] in inode) ? inode[waits[pid]] : "unnamed"
    tries[file[pid] " " (pid in who ? who[pid] : "unknown") " " result]++
    delete file[pid]
    delete who[pid]
    delete waits[pid]
    delete open[pid]
}
/^#/ { next }
{
    head = $0
    sub(/ +\[[0-9]+\].*/, "", head)
    pid = head
    sub(/.*-/, "", pid)
}
/ sys_finit_module\(/ {
    open[pid] = 1
    if (!(pid in who)) {
        sub(/-[0-9]+$/, "", head)
        sub(/^ +/, "", head)
        who[pid] = head
    }
}
/ modfile: / && (pid in open) {
    file[pid] = field($0, "name")
    who[pid] = field($0, "comm")
    if (field($0, "inode") != "")
        inode[field($0, "inode")] = file[pid]
}
/ modwait: / && (pid in open) && !(pid in file) { waits[pid] = field($0, "inode") }
/ sys_finit_module -> / { count(pid, $NF) }
END {
    for (pid in open)
        count(pid, "none")
    for (key in tries)
        print "PAIR try " key " " tries[key]
}
