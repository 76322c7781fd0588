"""Charts for draw_anchor.py as SVG: axes with ticks and units, lines, markers, a legend.

A Page holds panels side by side; a Panel maps its numbers into its part of the page and collects what is drawn.
"""
import math
from xml.sax.saxutils import escape

import numpy

INK, FAINT = "#222", "#ddd"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by the colour-blind too
DECADES = 4
LEFT, RIGHT, TOP, BOTTOM = 74, 18, 46, 58  # margins of a panel, in pixels


def text(place, content, size=13, anchor="middle", more=""):
    return (f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{INK}"'
            f'{more}>{escape(content)}</text>')


# --- axes ---------------------------------------------------------------------------------------------
class Axis:
    """A range of numbers with its ticks: linear, or logarithmic with a tick for each power of ten."""

    def __init__(self, title, low, high, is_log=False, ticks=None):
        self.title, self.low, self.high, self.is_log = title, low, high, is_log
        if ticks is None:
            ticks = powers(low, high) if is_log else steps(low, high)
        room = 1e-9 * (high - low)
        self.ticks = [tick for tick in ticks if low - room <= tick <= high + room]

    def with_ticks(self, ticks):
        return Axis(self.title, self.low, self.high, self.is_log, ticks)

    def shares(self, values):
        """0 at the low end, 1 at the high one. What a logarithm cannot show lies on the low end."""
        values = numpy.asarray(values, float)
        if not self.is_log:
            return (values - self.low) / (self.high - self.low)
        with numpy.errstate(invalid="ignore"):
            values = numpy.where(values < self.low, self.low, values)
        return numpy.log(values / self.low) / math.log(self.high / self.low)


def steps(low, high, count=6):
    """Round numbers: about count of them."""
    raw = (high - low) / count
    unit = 10 ** math.floor(math.log10(raw))
    step = unit * min((1, 2, 2.5, 5, 10), key=lambda factor: abs(math.log(factor * unit / raw)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def powers(low, high):
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0 ** power for power in range(first, last + 1)]


def axis_round(title, values, is_log=False, share=0.04):
    """The axis that holds all finite values, with some room; on a logarithmic one, whole powers of ten, not
    below DECADES of the largest."""
    values = numpy.asarray(values, float).ravel()
    values = values[numpy.isfinite(values) & ((values > 0) | (not is_log))]
    low, high = (values.min(), values.max()) if len(values) else (1.0, 2.0)
    if is_log:
        high = math.ceil(math.log10(high) + 1e-9)
        low = max(min(math.floor(math.log10(low)), high - 1), high - DECADES)
        return Axis(title, 10.0 ** low, 10.0 ** high, True)
    room = share * (high - low) or 0.5 * abs(high) or 0.5
    return Axis(title, low - room, high + room)


# --- panels -------------------------------------------------------------------------------------------
class Panel:
    """Part of a page; place: left, top, width and height in pixels, with room for words round the axes."""

    def __init__(self, place, x, y):
        self.x, self.y, self.parts, self.keys = x, y, [], []
        left, top, width, height = place
        self.left, self.right = left + LEFT, left + width - RIGHT
        self.top, self.bottom = top + TOP, top + height - BOTTOM

    def places(self, x, y):
        across = self.left + self.x.shares(x) * (self.right - self.left)
        down = self.bottom - self.y.shares(y) * (self.bottom - self.top)
        return numpy.stack(numpy.broadcast_arrays(across, down), axis=1)

    def frame(self):
        """The axes."""
        parts = []
        for tick in self.x.ticks:
            at, _ = self.places([tick], [self.y.low])[0]
            parts.append(f'<path d="M{at:.1f},{self.top}V{self.bottom + 5}" stroke="{FAINT}"/>')
            parts.append(text((at, self.bottom + 20), f"{tick:g}"))
        for tick in self.y.ticks:
            _, at = self.places([self.x.low], [tick])[0]
            parts.append(f'<path d="M{self.left - 5},{at:.1f}H{self.right}" stroke="{FAINT}"/>')
            parts.append(text((self.left - 9, at + 4.5), f"{tick:,.10g}".replace(",", " "), anchor="end"))
        parts.append(f'<rect x="{self.left}" y="{self.top}" width="{self.right - self.left}" '
                     f'height="{self.bottom - self.top}" fill="none" stroke="{INK}"/>')
        parts.append(text(((self.left + self.right) / 2, self.bottom + 44), self.x.title, 14))
        middle = self.left - 56, (self.top + self.bottom) / 2
        turn = f' transform="rotate(-90 {middle[0]:.1f} {middle[1]:.1f})"'
        parts.append(text(middle, self.y.title, 14, more=turn))
        return parts

    def line(self, x, y, colour, name=None, is_dashed=False):
        """A line through all points; it is interrupted where there is no number."""
        pieces, is_open = [], False
        for across, down in self.places(x, y):
            if math.isfinite(across + down):
                pieces.append(f"{'L' if is_open else 'M'}{across:.1f},{down:.1f}")
            is_open = math.isfinite(across + down)
        dashes = ' stroke-dasharray="6 4"' if is_dashed else ""
        style = f'fill="none" stroke="{colour}" stroke-width="1.6"{dashes}'
        self.parts.append(f'<path d="{"".join(pieces)}" {style} stroke-linejoin="round"/>')
        if name is not None:
            self.keys.append((name, f'<path d="M-24,0H0" {style}/>'))

    def markers(self, x, y, kind, colour, name=None):
        """A mark for each point: "disc", "ring" or "cross"."""
        shape, style = MARKS[kind]
        style = style.format(colour)
        places = self.places(x, y)
        places = places[numpy.isfinite(places).all(axis=1)]
        marks = "".join(f"M{across:.1f},{down:.1f}{shape}" for across, down in places)
        self.parts.append(f'<path d="{marks}" {style}/>')
        if name is not None:
            self.keys.append((name, f'<path d="M-8,0{shape}" {style}/>'))


MARKS = {  # paths from the middle of a mark, and how they are drawn
    "disc": ("m-3.5,0a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0", 'fill="{}" fill-opacity="0.75"'),
    "ring": ("m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0", 'fill="none" stroke="{}" stroke-width="1.8"'),
    "cross": ("m-4,-4l8,8m0,-8l-8,8", 'fill="none" stroke="{}" stroke-width="2"'),
}


# --- pages --------------------------------------------------------------------------------------------
def legend(panel, below):
    """The keys of a panel in a row above it, from its left."""
    parts, left = [], panel.left + 26
    for name, key in panel.keys:
        parts.append(f'<g transform="translate({left:.1f} {below - 4.5:.1f})">{key}</g>')
        parts.append(text((left + 6, below), name, anchor="start"))
        left += 6 + 7.2 * len(name) + 40
    return parts


def write(path, title, panels, size):
    """An SVG file of panels; the legend is that of the first one. Returns its number of bytes."""
    width, height = size
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
             f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="#fff"/>',
             text((panels[0].left, 22), title, 15, "start")]
    for panel in panels:
        parts += panel.frame() + panel.parts
    parts += legend(panels[0], panels[0].top - 12) + ["</svg>\n"]
    data = "\n".join(parts).encode()
    with open(path, "wb") as file:
        file.write(data)
    return len(data)
