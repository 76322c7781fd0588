#!/usr/bin/env python3
"""The library's binary interface, and programs of other versions: check_abi.py ROOT LIBRARY [--update]

- What host/clack.h declares is compared, by abidiff, with host/package/libclack.abi, the interface that programs are
  linked with. Structs that have a size, or that the library makes, may have grown at their ends; functions may have
  come; anything else takes a new soname (CLACK_ABI of CMakeLists.txt) and a new file: --update writes it.
- LIBRARY shows just the functions of the header.
- Each kind of incompatible change, planted in a copy of the header, has to be found.
- A program that was compiled with a header whose structs are shorter runs with LIBRARY, and one whose structs are
  longer, as long as it does not use what the library does not know.

Exit status 77 without abidw and abidiff (Debian: abigail-tools).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:3])
HEADER = os.path.join(ROOT, "host", "clack.h")
KEPT = os.path.join(ROOT, "host", "package", "libclack.abi")
COMPILER = os.environ.get("CC", "cc")
LIBRARY_MAKES = {"ClackBatch", "ClackBuild", "ClackProgress", "ClackDeviceInfo"}
PLANTED = ( # what, in the header, becomes what; whether programs still run
    ("a member at the end of options", "} ClackRunOptions;", "    double more;\n} ClackRunOptions;", True),
    ("a member at the end of what the library makes", "} ClackBatch;", "    double more;\n} ClackBatch;", True),
    ("a function", "CLACK_API void clack_evaluator_close(",
     "CLACK_API int clack_more(void);\nCLACK_API void clack_evaluator_close(", True),
    ("a member in the middle", "    uint64_t batch_scenes; ", "    double more;\n    uint64_t batch_scenes; ", False),
    ("a member of rows", "} ClackEvent;", "    double more;\n} ClackEvent;", False),
    ("another type of a member", "double margin_m;", "float margin_m;", False),
    ("a member less", "    int list_all; ", "    //", False),
    ("another type of an argument", "double share,", "float share,", False),
    ("a function less", "CLACK_API void clack_evaluator_close(", "static void close_evaluator(", False),
    ("another number of a status", 'ENTRY(OK, "ok"', 'ENTRY(MORE, "more", 1, "") ENTRY(OK, "ok"', False),
)


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def declarations(header):
    """Functions of a header as the preprocessor leaves them."""
    told = run(COMPILER, "-E", "-P", "-std=c17", header)
    assert told.returncode == 0, told.stderr
    return re.findall(r'__attribute__\(\(visibility\("default"\)\)\)\s*([^;{]*?\b(clack_\w+)\([^;{]*\));', told.stdout)


def dump(header, folder, soname):
    """abidw's description of a library with the header's functions. Nothing is in them, as descriptions come from what
    debuggers read, which the library as it is built has not."""
    source, library = os.path.join(folder, "stub.c"), os.path.join(folder, "libclack.so")
    with open(source, "w") as out:
        out.write(f'#include "{header}"\n')
        out.writelines(f"{text} {{ __builtin_trap(); }}\n" for text, _ in declarations(header))
    told = run(COMPILER, "-std=c17", "-g", "-w", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", library, source)
    assert told.returncode == 0, told.stderr
    told = run("abidw", "--type-id-style", "hash", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", library)
    assert told.returncode == 0, told.stderr
    return re.sub(r" (path|filepath)='[^']*'", "", told.stdout) # of this machine


def sizes(tree):
    """Bits of the structs that may grow."""
    out = {}
    for struct in tree.iter("class-decl"):
        first = struct.find("data-member/var-decl")
        if first is not None and (first.get("name") == "size" or struct.get("name") in LIBRARY_MAKES):
            out[struct.get("name")] = int(struct.get("size-in-bits"))
    return out


def without_growth(text, known):
    """A description in which the structs that may grow end where they did."""
    tree = xml.fromstring(text)
    for struct in tree.iter("class-decl"):
        bits = known.get(struct.get("name"))
        if bits is None or struct.get("size-in-bits") is None or int(struct.get("size-in-bits")) < bits:
            continue
        struct.set("size-in-bits", str(bits))
        for member in struct.findall("data-member"):
            if int(member.get("layout-offset-in-bits")) >= bits:
                struct.remove(member)
    return xml.tostring(tree, encoding="unicode")


def changes(text, folder):
    """What abidiff finds between the tree's description and another; "": nothing that stops a program."""
    path = os.path.join(folder, "today.abi")
    with open(path, "w") as out:
        out.write(without_growth(text, sizes(xml.parse(KEPT).getroot())))
    told = run("abidiff", "--leaf-changes-only", "--no-added-syms", KEPT, path)
    assert not told.returncode & 3, told.stderr + told.stdout
    return told.stdout if told.returncode else ""


def soname():
    found = re.search(r"set\(CLACK_ABI (\d+)\)", open(os.path.join(ROOT, "CMakeLists.txt")).read())
    return f"libclack.so.{found.group(1)}"


def check_symbols():
    shown = {line.split()[-1] for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()}
    promised = {name for _, name in declarations(HEADER)}
    assert promised == {name for name in shown if name.startswith("clack_")}, promised ^ shown
    assert len(promised) > 40


def check_planted(folder):
    """Each change, in a copy of the header, is found; or not, where programs still run."""
    text = open(HEADER).read()
    for what, old, new, is_compatible in PLANTED:
        assert old in text, what
        header = os.path.join(folder, "clack.h")
        open(header, "w").write(text.replace(old, new, 1))
        found = changes(dump(header, folder, soname()), folder)
        assert (found == "") == is_compatible, f"{what}: {found or 'not found'}"


# --- programs of other versions -------------------------------------------------------------------

PROGRAM = r"""
#include "clack.h"
#include <stdio.h>
static unsigned told;
static void take(void *context, const ClackBatch *batch) {
    (void)context;
    told += batch->scene_count;
}
int main(void) {
    static const char text[] =
        "format: 1\nvariables: {h: {uniform: [0.1, 0.2]}}\nscene:\n  bodies:\n"
        "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
        "    ball: {material: steel, shapes: [{sphere: {diameter: 0.04}}], position: [0, 0, =h]}\n"
        "design: {monte_carlo: {samples: 20}}\nsolver: {end: 0.3}\n";
    ClackReport report = {0};
    ClackStudy *study = NULL;
    struct { ClackRunSummary summary; unsigned char guard[64]; } out = {CLACK_SIZED(ClackRunSummary), {0}};
    struct { ClackContacts contacts; unsigned char guard[64]; } found = {CLACK_SIZED(ClackContacts), {0}};
    const ClackDeviceOptions native = {.size = sizeof native, .choice = "native", .threads = 1};
    const ClackStudyOptions as_text = {.size = sizeof as_text, .text = text, .text_bytes = sizeof text - 1};
    const ClackRunOptions options = {.size = sizeof options, .device = &native, .no_file = 1, .on_batch = take MORE};
    const ClackEvaluateOptions evaluate = {.size = sizeof evaluate, .device = &native, .list_all = 1};
    ClackEvaluator *evaluator = NULL;
    ClackBodyState states[2];
    for (int i = 0; i < 64; i++) out.guard[i] = found.guard[i] = 170;
    ClackStatus status = clack_study_read("study", &as_text, &study, &report);
    if (status == CLACK_OK) status = clack_run(study, &options, &out.summary, &report);
    if (status == CLACK_OK) status = clack_evaluator_open(study, &evaluate, &evaluator, &report);
    if (status == CLACK_OK) clack_evaluator_start(evaluator, states);
    if (status == CLACK_OK) status = clack_evaluate(evaluator, 1, states, &found.contacts, &report);
    for (size_t i = 0; i < report.count; i++) printf("%s\n", report.lines[i]);
    int is_written = 0;
    for (int i = 0; i < 64; i++) is_written |= out.guard[i] != 170 || found.guard[i] != 170;
    printf("%d %u %u %u %d\n", (int)status, told, (unsigned)out.summary.scenes_run,
           (unsigned)found.contacts.row_count, is_written);
    clack_contacts_free(&found.contacts);
    clack_evaluator_close(evaluator);
    clack_study_free(study);
    clack_report_clear(&report);
    return 0;
}
"""
SHORTER = ( # the last members of structs are not there yet, and what a program of that time does without
    (r"    const volatile int \*stop;[^}]*\} ClackRunOptions;", "} ClackRunOptions;"),
    (r"    char stop\[512\];[^}]*\} ClackRunSummary;", "} ClackRunSummary;"),
    (r"    ClackSession \*session;[^}]*\} ClackDeviceOptions;", "} ClackDeviceOptions;"),
    (r"    size_t contour_point_count;[^}]*\} ClackContacts;", "} ClackContacts;"),
    (r"    int takes_meshes;[^}]*\} ClackStudyOptions;", "} ClackStudyOptions;"))
LONGER = [(rf"\}} {name};", f"    double more;\n}} {name};") for name in
          ("ClackRunOptions", "ClackRunSummary", "ClackDeviceOptions", "ClackContacts", "ClackStudyOptions",
           "ClackEvaluateOptions")]


def compiled_run(folder, edits, more=""):
    """What the program prints that was compiled with an edited header."""
    text = open(HEADER).read()
    for pattern, put in edits:
        text, count = re.subn(pattern, put, text, count=1)
        assert count == 1, pattern
    open(os.path.join(folder, "clack.h"), "w").write(text)
    open(os.path.join(folder, "program.c"), "w").write(PROGRAM.replace("MORE", more))
    place = os.path.dirname(LIBRARY)
    told = run(COMPILER, "-std=c17", "-Wall", "-Wextra", "-Werror", "program.c", "-o", "program", f"-L{place}",
               "-lclack", f"-Wl,-rpath,{place}", cwd=folder)
    assert told.returncode == 0, told.stderr
    told = run("./program", cwd=folder, env={**os.environ, "CLACK_DATA_DIR": os.path.join(ROOT, "data")})
    assert told.returncode == 0, told.stderr + told.stdout
    return told.stdout.splitlines()


def check_programs(folder):
    """Of today, of an earlier and of a later version; the last is refused where it uses what is not known."""
    good = ["0 20 20 1 0"]
    for edits in (), SHORTER, LONGER:
        said = compiled_run(folder, edits)
        assert said == good, said
    said = compiled_run(folder, LONGER, ", .more = 2")
    assert said[-1] == "3 0 0 0 0" and said[0].startswith("ClackRunOptions: byte "), said


if __name__ == "__main__":
    if shutil.which("abidw") is None or shutil.which("abidiff") is None:
        print("skipped: abidw and abidiff are missing (Debian: abigail-tools)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        today = dump(HEADER, scratch, soname())
        if "--update" in sys.argv:
            open(KEPT, "w").write(today)
            sys.exit(0)
        different = changes(today, scratch)
        if different:
            print(f"programs that were linked with {os.path.relpath(KEPT, ROOT)} do not run:\n{different}")
            sys.exit(1)
        check_symbols()
        check_planted(scratch)
        check_programs(scratch)
    print("the interface is that of host/package/libclack.abi, or has grown; programs of other versions run")
