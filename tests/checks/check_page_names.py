"""What pages say of the code is so: check_page_names.py FOLDER

- A size beside the name of a struct that crosses the bus, such as `Slot 136` or `Body (B) 152 B`, is the asserted one
  (ASSERT_SIZE; pages of host/ and kernels/, figures too).
- A name in backticks with an underscore or with capitals within, such as `stage_laws` or `LawConstants`, occurs in the
  sources, or is the name of a test or a program; a file such as `stage.c` is there.
- Where a page says "`host/scene/stage_law.c` (`stage_laws`)" or "`stage_laws` in `stage_law.c`", that file has the name
  at the beginning of a line: it is defined there.
- Where a source cites a page and a section of it, as in host/README.md ("Rules"), that page has it.

Then breaches are planted in the pages, in memory: each has to be found.
"""
import os
import re
import sys

ROOT = sys.argv[1]
FOLDERS = ("bench", "data", "host", "kernels", "tests")
NO_SOURCES = ("bench/results/", "tests/checks/check_page_names.py")  # have names of then; names that are planted
HISTORY = "host/package/CHANGES.md"  # names what has gone
SIZES_LEAST, PLACES_LEAST = 25, 25  # that are found at least: 32 and 32 at first
CITATIONS_LEAST = 40
CODE = (".c", ".h", ".cl", ".cc")
BREAK = r"(?:[ \t]|\n[ \t]*(?://+|#|\*)?[ \t]*)+"  # spaces, or the end of a line of a comment
CITATION = rf'\b((?:{"|".join(FOLDERS)})/[\w/]+\.md)(?:,{BREAK}|{BREAK}\()"([^"]{{3,80}})"'
NOT_IN_SOURCES = {
    "fall.c": "an example of its page",
    "clack/clack.h": "as it is installed",
    "study.sh": "a user's script",
    "clack_declarations.h": "made by the build",
    "contacts_format_version": "put together from a prefix",
    "impulse_x": "put together from a field and a component",
    "CMAKE_PREFIX_PATH": "CMake's",
}


def read_tree():
    """{path: text} of pages, and of sources."""
    pages, sources = {}, {}
    paths = [name for name in os.listdir(ROOT) if os.path.isfile(os.path.join(ROOT, name))]
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            paths += [os.path.relpath(os.path.join(path, name), ROOT) for name in names]
    for path in paths:
        is_page = path.endswith(".md")
        try:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = "" if path.startswith(NO_SOURCES) and not is_page else file.read()
                (pages if is_page else sources)[path] = text
        except UnicodeDecodeError:
            pass  # a picture, a mesh
    return pages, sources


class Code:
    def __init__(self, sources):
        self.by_name = {}
        self.words, self.sizes = set(), {}
        for path, text in sources.items():
            name = os.path.basename(path)
            self.by_name.setdefault(name, []).append((path, text))
            self.words.add(name.rpartition(".")[0])
            self.words.update(re.findall(r"[A-Za-z_]\w*", text))
            if path.startswith("kernels/"):
                self.sizes.update((word, int(size)) for word, size in re.findall(r"ASSERT_SIZE\((\w+), (\d+)\)", text))

    def files(self, name):
        """Texts of the files that a page means by `stage.c` or `host/scene/stage.c`."""
        return [text for path, text in self.by_name.get(name.rpartition("/")[2], []) if path.endswith(name)]


def without_blocks(text):
    return re.sub(r"^```.*?^```$", lambda block: "\n" * block.group().count("\n"), text, flags=re.M | re.S)


def check_sizes(page, text, code):
    found = re.findall(r"\b([A-Z]\w+)(?: \([\w, ]+\))?,?(?: up to)? +(\d+)\b", text)
    found = [(name, int(size)) for name, size in found if name in code.sizes]
    return len(found), [f"{page}: {name} {size}: the code has {code.sizes[name]} bytes"
                        for name, size in found if size != code.sizes[name]]


def check_names(page, text, code):
    for name in re.findall(r"`([^`\n]+)`", without_blocks(text)):
        if name in NOT_IN_SOURCES:
            continue
        is_word = re.fullmatch(r"[A-Za-z]\w*_\w+|[A-Z][a-z0-9]+[A-Z]\w*", name)
        if is_word and name not in code.words:
            yield f"{page}: `{name}` is in no source"
        if re.fullmatch(r"[\w./-]+\.(c|h|cl|cc|py|sh|cmake)", name) and not code.files(name):
            yield f"{page}: `{name}`: no such file"


def places(text):
    """(file, name) of what is said to be in a file of code."""
    text = re.sub(r"\s+", " ", without_blocks(text))
    for file, names in re.findall(r"`([\w./-]+)`(?:, `\.\w+`)? \(((?:`\w+`(?:, | and )?)+)", text):
        yield from ((file, name) for name in re.findall(r"\w+", names.replace(" and ", ",")))
    yield from ((file, name) for name, file in re.findall(r"`(\w+)` in `([\w./-]+)`", text))


def check_places(page, text, code):
    found = [(file, name) for file, name in places(text) if file.endswith(CODE)]
    failures = [f"{page}: `{name}` is not defined in `{file}`" for file, name in found
                if not any(re.search(rf"^\S.*\b{name}\b|^\b{name}\b", text, re.M) for text in code.files(file))]
    return len(found), failures


def check_citations(pages, code):
    cited = [(path, page, " ".join(re.sub(BREAK, " ", section).split()))
             for files in code.by_name.values() for path, text in files
             for page, section in re.findall(CITATION, text)]
    titles = {page: re.findall(r"^##+ (.*)$", without_blocks(text), re.M) for page, text in pages.items()}
    failures = [f"{path}: {page} has no section \"{section}\"" for path, page, section in cited
                if section not in titles.get(page, [])]
    return failures + [f"only {len(cited)} citations were found"] * (len(cited) < CITATIONS_LEAST)


def check(pages, code):
    failures, sizes, defined = [], 0, 0
    for page, text in sorted(pages.items()):
        if page == HISTORY:
            continue
        failures += check_names(page, text, code)
        if page.startswith(("host/", "kernels/")):
            count, wrong = check_sizes(page, text, code)
            sizes, failures = sizes + count, failures + wrong
        count, wrong = check_places(page, text, code)
        defined, failures = defined + count, failures + wrong
    failures += check_citations(pages, code)
    if sizes < SIZES_LEAST or defined < PLACES_LEAST:
        failures.append(f"only {sizes} sizes and {defined} places were found")
    return failures, f"{len(pages)} pages: {sizes} sizes, {defined} names in the files that are said to have them"


def check_planted(pages, code):
    """Breaches that are not found."""
    page = "host/README.md"
    planted = ((f"Slot {code.sizes['Slot']}", "Slot 1", "Slot 1: the code has"),
               ("`observe_is_motion`", "`observe_is_moved`", "`observe_is_moved` is in no source"),
               ("`batch_pool.c`", "`batch_pools.c`", "`batch_pools.c`: no such file"),
               ("## Use as a library", "## Use of a library", "has no section \"Use as a library\""),
               ("`observable_of_body`", "`observe_is_motion`", "`observe_is_motion` is not defined in"))
    for old, new, wanted in planted:
        failures, _ = check({**pages, page: pages[page].replace(old, new)}, code)
        if old not in pages[page] or not any(wanted in failure for failure in failures):
            yield f"planted and not found: {new}"


def main():
    pages, sources = read_tree()
    code = Code(sources)
    failures, told = check(pages, code)
    failures += check_planted(pages, code)
    print("\n".join(failures) or told)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
