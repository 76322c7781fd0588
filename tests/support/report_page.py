"""The page of `clack report`, read: tags, ids, references, tables, its section on which input matters; the page as it
is printed."""
import html.parser
import os
import re
import shutil
import subprocess

from program_checks import check

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(html.parser.HTMLParser):
    """Tags that are not closed, ids, references, and the cells of all tables."""

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.references, self.tables, self.codes, self.seen = [], [], [], [], [], {}
        self.cell = self.title = self.pre = None
        with open(path) as text:
            self.source = text.read()
        self.feed(self.source)
        self.close()
        check(self.open == [], f"tags that stay open: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href", "src", "filter"):
                self.references.append(value)
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "code":
            self.codes.append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        check(bool(self.open) and self.open[-1] == tag, f"</{tag}> within {self.open}")
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        if "code" in self.open:
            self.codes[-1] += data
        if "h1" in self.open:
            self.title = (self.title or "") + data
        if "pre" in self.open:
            self.pre = (self.pre or "") + data
        if ("td" in self.open or "th" in self.open) and "small" not in self.open:
            self.tables[-1][-1][-1] += data

    def table(self, *headings):
        found = [table for table in self.tables if set(headings) <= set(table[0])]
        check(found != [], f"a table with {headings}")
        return [dict(zip(found[0][0], row)) for row in found[0][1:]] if found else []


def blocks(page):
    """The section on which input matters: for each quantity its heading's name, the rows of its table (class, cells,
    intervals), and the sentence on R2."""
    text = page.source.split("<h2>Which input matters")[1].split("<h2>")[0]
    found = {}
    for block in text.split("<section class=\"quantity\">")[1:]:
        name = re.search("<h3>(.*?)</h3>", block).group(1)
        rows = re.findall(r"<tr( class=\"soft\")?>(<td.*?)</tr>", block, re.S)
        cells = [[(re.sub("<small>.*?</small>|<.*?>", "", cell), re.findall("<small>(.*?)</small>", cell))
                  for cell in re.findall("<td.*?</td>", row, re.S)] for _, row in rows]
        found[name] = ([soft != "" for soft, _ in rows], cells, re.findall(r"R\u00b2 (\d+\.\d+)", block)
                       + re.findall(r"products (\d+\.\d+)", block))
    return found


def check_paper(*pages):
    """Printed by a browser, the page fits A4: no word reaches over the margins (14 and 12 mm)."""
    with open(pages[0]) as text:
        source = text.read()
    check("@page{size:A4" in source and "@media print" in source, "rules for paper")
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None or shutil.which("pdftotext") is None:
        print("no chromium or pdftotext: the page is not printed")
        return
    for page in pages:
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                        "--print-to-pdf=page.pdf", f"file://{os.path.abspath(page)}"], stderr=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=120, check=False)
        boxes = subprocess.run(["pdftotext", "-bbox", "page.pdf", "-"], stdout=subprocess.PIPE, text=True, check=True)
        sheets = re.findall(r'<page width="([\d.]+)" height="([\d.]+)"', boxes.stdout)
        check(sheets != [] and all(abs(float(width) - 595.3) < 1 and abs(float(height) - 841.9) < 1
                                   for width, height in sheets), f"{page}: sheets of {sheets[:1]}")
        words = re.findall(r'xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<', boxes.stdout)
        margin = 12 / 25.4 * 72 - 1
        over = [word for left, _, right, _, word in words if float(left) < margin or float(right) > 595.3 - margin]
        check(len(words) > 100 and over == [], f"{page}: of {len(words)} words over the margin: {over[:5]}")
        title = float(words[0][3]) - float(words[0][1]) if words else 0  # of 15 pt, else the page was shrunk
        check(title > 16, f"{page}: the title is {title} pt high: the page was too wide for its sheet")
        check("it's a study" in boxes.stdout or "variables" in boxes.stdout, f"{page}: the study is printed in whole")
