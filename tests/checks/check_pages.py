"""The pages of the project: check_pages.py FOLDER [--installed]

- Every relative link leads to a file, and its #anchor to a heading there. Pages are linked with one another:
  README.md leads to all of them.
- A page of more than 150 lines has a line `Contents:` that leads to each of its sections.
- Prose is at most 125 characters wide (wrap at 120).
And in a source tree (not with --installed):
- A path such as `tests/checks/check_pages.py` in a page names a file that there is.
- Every file of host/ and kernels/ is named in the tables of files of the page of that folder, and no other is.
"""
import glob
import os
import re
import sys

ROOT = sys.argv[1]
IS_SOURCE = "--installed" not in sys.argv
FOLDERS = ("bench", "data", "host", "kernels", "tests")
CONTENTS_LINES = 150
WIDTH = 125
failures = []


def pages():
    found = ["README.md"]
    for folder in FOLDERS:
        found += sorted(os.path.relpath(path, ROOT) for path in glob.glob(f"{ROOT}/{folder}/**/*.md", recursive=True))
    return found


def fail(page, words):
    failures.append(f"{page}: {words}")


def without_code(text):
    """A page's lines, those of code blocks empty."""
    return re.sub(r"^```.*?^```$", lambda block: "\n" * block.group().count("\n"), text, flags=re.M | re.S)


def anchor(title):
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower()
    return re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def headings(text, level=r"#{1,6}"):
    return [anchor(title) for title in re.findall(rf"^{level} +(.*)$", without_code(text), re.M)]


def links(text):
    """Targets of links and pictures, but those to the web."""
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", without_code(text)))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def check_links(page, texts):
    for target in links(texts[page]):
        path, _, heading = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.isfile(os.path.join(ROOT, to)):
            fail(page, f"{target}: no such file")
        elif heading and (to not in texts or heading not in headings(texts[to])):
            fail(page, f"{target}: no such section")


def check_form(page, text):
    if text.count("\n") > CONTENTS_LINES and page != "data/study_reference.md": # a list of keys, made from the schema
        contents = re.search(r"^(On this page|Contents):.*?\n\n", text, re.M | re.S)
        told = links(contents.group()) if contents else []
        for heading in headings(text, "##"):
            if "#" + heading not in told and heading != "contents":
                fail(page, f"its contents do not lead to #{heading}")
    for number, line in enumerate(without_code(text).split("\n"), 1):
        if len(line) > WIDTH and not re.match(r"\||!?\[", line) and page != "data/study_reference.md":
            fail(page, f"line {number} has {len(line)} characters, at most {WIDTH}")


def check_paths(page, text):
    folders = "|".join(FOLDERS)
    for path in re.findall(rf"`((?:{folders})/[\w./-]+)`", text):
        if not os.path.exists(os.path.join(ROOT, path)):
            fail(page, f"`{path}`: no such file")


def names_in_tables(text):
    """Files of the first column: `a.h`, `.c` is a.h and a.c."""
    names = set()
    for cell in re.findall(r"^\| (`[^|]*`) \|", text, re.M):
        stem = ""
        for name in re.findall(r"`([^`]+)`", cell):
            if name.startswith("."):
                name = stem + name
            stem = name.rpartition(".")[0]
            names.add(name)
    return names


def check_tables(page, text, folder, endings):
    section = text.split(f"## Files of `{folder}/`", 1)[1].split("\n## ")[0]
    told = {name for name in names_in_tables(section) if not name.endswith("/")}
    there = {os.path.basename(path)
             for path in glob.glob(f"{ROOT}/{folder}/**", recursive=True) if path.endswith(endings)}
    for name in sorted(there - told):
        fail(page, f"no line for {name}")
    for name in sorted(told - there):
        fail(page, f"a line for {name}, which is not there")


def check_reached(texts):
    reached, ahead = set(), ["README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page not in texts:
            continue
        reached.add(page)
        ahead += [os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
                  for target in links(texts[page])]
    for page in sorted(set(texts) - reached):
        fail(page, "no page leads here")


def main():
    texts = {page: open(os.path.join(ROOT, page), encoding="utf-8").read() for page in pages()}
    if len(texts) < 8:
        fail("pages", f"{len(texts)} found: {sorted(texts)}")
    for page, text in texts.items():
        check_links(page, texts)
        check_form(page, text)
        if IS_SOURCE:
            check_paths(page, text)
    check_reached(texts)
    if IS_SOURCE:
        check_tables("host/README.md", texts["host/README.md"], "host", (".c", ".h"))
        check_tables("kernels/README.md", texts["kernels/README.md"], "kernels", (".h", ".cl", ".cmake"))
    print("\n".join(failures)
          or f"{len(texts)} pages, {sum(len(links(text)) for text in texts.values())} links: all lead somewhere")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
