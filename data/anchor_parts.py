"""The three bodies of make_anchor.py: a ship's bow with a hawse pipe, the shank and the flukes of a stockless anchor.

The hull's frame: z up, y along the ship, x outboard; the origin is where the pipe's axis meets the plating, the mouth's
centre. The anchor's frame, of both of its bodies: the origin is the crown pin, whose axis is y; z goes along the shank
to the shackle, and the flukes point along z at angle 0.
"""
import dataclasses

import numpy

import closed_surface as surface


def named(default, unit, meaning):
    return dataclasses.field(default=default, metadata={"unit": unit, "meaning": meaning})


@dataclasses.dataclass(frozen=True)
class Parameters:
    """All dimensions; angles in degrees, as drawings have them."""
    flare: float = named(35.0, "deg", "plating from the vertical, round the mouth and above it")
    flare_low: float = named(25.0, "deg", "plating from the vertical at its lower edge")
    plating_length: float = named(12.0, "m", "plating along the ship")
    plating_above: float = named(3.0, "m", "plating from the mouth's centre to its upper edge, along the slope")
    plating_below: float = named(5.0, "m", "plating from the mouth's centre to its lower edge, along the slope")
    plating_thickness: float = named(0.2, "m", "plating with its frames, as one solid")
    bow_radius: float = named(30.0, "m", "radius of the waterlines fore and aft of the mouth")
    pipe_tilt: float = named(6.0, "deg", "pipe from the vertical, inboard and up")
    pipe_diameter: float = named(1.2, "m", "inner diameter of the pipe")
    pipe_length: float = named(4.8, "m", "from the mouth's centre to the pipe's upper end")
    pipe_wall: float = named(0.15, "m", "thickness of the pipe's wall")
    lip_ring: float = named(0.9, "m", "radius of the lip's centre line about the pipe's axis")
    lip_tube: float = named(0.35, "m", "radius of the lip's section")
    lip_fillet: float = named(0.15, "m", "radius between lip and plating")
    cable_end: float = named(3.5, "m", "from the mouth's centre up the axis to where the cable ends")
    hang: float = named(10.0, "m", "height of the mouth's centre above the shackle at the start")
    shank_length: float = named(3.0, "m", "crown pin to shackle pin")
    shank_depth_low: float = named(0.35, "m", "shank across the crown pin, at the crown")
    shank_depth_high: float = named(0.26, "m", "shank across the crown pin, at the shackle")
    shank_width_low: float = named(0.35, "m", "shank along the crown pin, at the crown")
    shank_width_high: float = named(0.25, "m", "shank along the crown pin, at the shackle")
    shank_edge: float = named(0.05, "m", "radius of the shank's edges")
    head_radius: float = named(0.21, "m", "round head of the shank about the crown pin")
    eye_radius: float = named(0.18, "m", "round end of the shank about the shackle pin")
    eye_hole: float = named(0.075, "m", "radius of the hole for the shackle pin")
    fluke_length: float = named(2.0, "m", "crown pin to the flukes' tips")
    fluke_width_root: float = named(0.5, "m", "fluke along the crown pin, at the crown")
    fluke_width_tip: float = named(0.15, "m", "the same at the tip")
    fluke_depth_root: float = named(0.23, "m", "fluke across its plane, at the crown")
    fluke_depth_tip: float = named(0.09, "m", "the same at the tip")
    fluke_inner: float = named(0.26, "m", "inner edges of the flukes from the middle plane")
    crown_width: float = named(1.52, "m", "crown along the crown pin")
    crown_depth: float = named(0.38, "m", "crown across the flukes' plane")
    crown_below: float = named(0.4, "m", "crown below the crown pin")
    crown_above: float = named(0.17, "m", "crown above the crown pin")
    slot_width: float = named(0.42, "m", "slot of the crown for the shank")
    slot_below: float = named(0.25, "m", "the slot's bottom below the crown pin")
    palm_reach: float = named(0.4, "m", "tripping palms from the flukes' plane to their outer edges")
    palm_width: float = named(0.36, "m", "a tripping palm along the crown pin")
    palm_depth: float = named(0.16, "m", "thickness of a tripping palm")
    shank_mass: float = named(2414.0, "kg", "shank; prescribed, the density follows")
    flukes_mass: float = named(4000.0, "kg", "flukes and crown; prescribed, the density follows")
    swing: float = named(40.0, "deg", "flukes to either side of the shank")
    lip_edge: float = named(0.025, "m", "longest edges of the lip's triangles")
    pipe_edge: float = named(0.075, "m", "edges round the pipe, away from the lip; three times as long along it")
    plating_edge: float = named(0.6, "m", "edges of the plating, away from the lip")
    shank_cell: float = named(0.05, "m", "cells that the shank's triangles come from, at its ends")
    flukes_cell: float = named(0.047, "m", "the same of the flukes, at palms and tips")


def refusal(size):
    """Which numbers do not go together, as a sentence, or None."""
    angle = numpy.radians(size.flare + size.pipe_tilt)
    room = size.lip_ring / numpy.sin(angle) + size.lip_tube + size.lip_fillet
    rules = [
        (0 < angle < numpy.pi / 2, "--flare and --pipe-tilt together are between 0 and 90 degrees"),
        (size.lip_tube < size.lip_ring * numpy.sin(angle), "--lip-tube is too large to go round the mouth's ends"),
        (min(size.plating_above, size.plating_below) > room, f"the plating ends less than {room:.2f} m from the mouth"),
        (size.plating_length / 2 > size.lip_ring + size.lip_tube + size.lip_fillet, "--plating-length ends at the lip"),
        (size.pipe_length > room * numpy.cos(angle) + size.pipe_wall, "--pipe-length ends at the lip"),
        (size.slot_width > size.shank_width_low and size.slot_below > size.head_radius, "the shank is too large for "
         "the crown's slot"),
    ]
    return next((sentence for holds, sentence in rules if not holds), None)


# --- the hull ---------------------------------------------------------------------------------------
class Hull:
    """Where the hull's surfaces are. An angle goes round the pipe's axis, 0 outboard, a quarter turn at +y."""

    def __init__(self, size):
        self.size = size
        flare, tilt = numpy.radians(size.flare), numpy.radians(size.pipe_tilt)
        self.up = numpy.array([numpy.sin(flare), 0, numpy.cos(flare)])  # along the slope
        self.out = numpy.array([numpy.cos(flare), 0, -numpy.sin(flare)])  # off the plating
        self.axis = numpy.array([-numpy.sin(tilt), 0, numpy.cos(tilt)])  # up the pipe
        self.across = numpy.array([numpy.cos(tilt), 0, numpy.sin(tilt)])
        self.rise = 1 / numpy.tan(flare + tilt)  # of the plating along the axis, for a step across it
        self.throat = size.lip_ring - size.lip_tube

    def radial(self, angles):
        return numpy.outer(numpy.cos(angles), self.across) + numpy.outer(numpy.sin(angles), [0, 1, 0])

    def centre_line(self, angles):
        """Of the lip: where the plating meets a cylinder about the pipe's axis."""
        lift = self.size.lip_ring * self.rise * numpy.cos(angles)
        return self.size.lip_ring * self.radial(angles) + numpy.outer(lift, self.axis)

    def away(self, angles):
        """Off the lip's centre line, in the plating's plane."""
        along = numpy.outer(-numpy.sin(angles), self.across + self.rise * self.axis)
        along += numpy.outer(numpy.cos(angles), [0, 1, 0])
        return numpy.cross(self.out, along / numpy.linalg.norm(along, axis=1)[:, None])

    def tube(self, angles, share):
        """The lip, from the pipe (0) to the fillet (1). It touches the throat's cylinder, so that nothing kinks."""
        size, away = self.size, self.away(angles)
        foot = numpy.arcsin(size.lip_fillet / (size.lip_tube + size.lip_fillet))
        inner = -self.radial(angles)
        start = numpy.arctan2(inner @ self.out, (inner * away).sum(axis=1)) % (2 * numpy.pi)
        turn = (start + (foot - start) * share)[:, None]
        return self.centre_line(angles) + size.lip_tube * (numpy.cos(turn) * away + numpy.sin(turn) * self.out)

    def fillet(self, angles, share):
        """From the lip (0) to the plating (1)."""
        size = self.size
        foot = numpy.arcsin(size.lip_fillet / (size.lip_tube + size.lip_fillet))
        reach = (size.lip_tube + size.lip_fillet) * numpy.cos(foot)
        turn = foot + (numpy.pi / 2 - foot) * share
        middle = self.centre_line(angles) + reach * self.away(angles) + size.lip_fillet * self.out
        return middle - size.lip_fillet * (numpy.cos(turn) * self.away(angles) + numpy.sin(turn) * self.out)

    def bulge(self, above, along):
        """How far the plating is off its plane: steeper below the lip, round fore and aft of it."""
        size = self.size
        lip = (size.lip_tube + size.lip_fillet) + size.lip_ring
        below = numpy.maximum(-above - lip * numpy.hypot(1, self.rise), 0)
        room = size.plating_below - lip * numpy.hypot(1, self.rise)
        bend = numpy.radians(size.flare - size.flare_low) / room
        return below ** 2 * bend / 2 - numpy.maximum(numpy.abs(along) - lip, 0) ** 2 / (2 * size.bow_radius)

    def bent(self, flat):
        return flat + numpy.outer(self.bulge(flat @ self.up, flat[:, 1]), self.out)

    def border(self, from_points):
        """Points of the plating's border, each in the direction of one, seen from the mouth's centre."""
        size, above, along = self.size, from_points @ self.up, from_points[:, 1]
        with numpy.errstate(divide="ignore"):
            far = numpy.minimum(numpy.where(above > 0, size.plating_above, size.plating_below) / numpy.abs(above),
                                size.plating_length / 2 / numpy.abs(along))
        return numpy.outer(above * far, self.up) + numpy.outer(along * far, [0, 1, 0])

    def plate(self, angles, share):
        """The outer side, from the fillet (0) to the border (1)."""
        foot = self.fillet(angles, 1)
        return self.bent(foot + (self.border(foot) - foot) * share)

    def inner_plate(self, angles, share):
        """The inner side, from the pipe's wall (0) to the border (1)."""
        size, behind = self.size, -self.size.plating_thickness * self.out
        radius = size.pipe_diameter / 2 + size.pipe_wall
        lift = radius * self.rise * numpy.cos(angles) + size.plating_thickness / (self.axis @ -self.out)
        start = radius * self.radial(angles) + numpy.outer(lift, self.axis)
        return self.bent(start - behind + (self.border(self.fillet(angles, 1)) - start + behind) * share) + behind

    def pipe(self, angles, share):
        """The inside of the pipe, from the lip (0) to the upper end (1): from the throat it widens to its diameter."""
        size, start = self.size, self.tube(angles, 0) @ self.axis
        wide = numpy.clip(share * (size.pipe_length - start) / (2 * size.lip_tube), 0, 1)
        radius = self.throat + (size.pipe_diameter / 2 - self.throat) * wide * wide * (3 - 2 * wide)
        along = start + (size.pipe_length - start) * share
        return radius[:, None] * self.radial(angles) + numpy.outer(along, self.axis)

    def pipe_outside(self, angles, share):
        """From the plating (0) to the upper end (1)."""
        start, size = self.inner_plate(angles, 0), self.size
        end = (size.pipe_diameter / 2 + size.pipe_wall) * self.radial(angles) + size.pipe_length * self.axis
        return start + (end - start) * share


def hull(size):
    """The bow as one solid with a hole: rings from the lip over the plating's outer side, its border, its inner side
    and the pipe's wall back through the pipe to the lip."""
    shape, rings = Hull(size), surface.Rings()
    # As many points on all rings of the lip, each half a step on, make triangles that are nearly equilateral.
    count = int(numpy.ceil(surface.girth(lambda angles: shape.fillet(angles, 0)) / size.lip_edge))
    even = [surface.spread(lambda angles: shape.tube(angles, 1), count, half / 2) for half in (0, 1)]
    gap = 0.86 * size.lip_edge
    arc = girth_across(lambda share: shape.tube(numpy.zeros(1), share))
    shares = [("tube", share) for share in numpy.linspace(0, 1, int(numpy.ceil(arc / gap)) + 1)]
    arc = girth_across(lambda share: shape.fillet(numpy.zeros(1), share))
    shares += [("fillet", share) for share in numpy.linspace(0, 1, int(numpy.ceil(arc / (1.4 * gap))) + 1)[1:]]
    for number, (part, share) in enumerate(shares):
        angles = even[number % 2]
        rings.add(angles, getattr(shape, part)(angles, share))

    def ring(part, share, edge, least=24, corners=None):
        """A ring that has about so long edges, and a point at each of these angles."""
        def loop(angles):
            return part(angles, share)
        angles = surface.spread(loop, max(least, int(numpy.ceil(surface.girth(loop) / edge))))
        if corners is not None:
            angles[[numpy.abs(angles - corner).argmin() for corner in corners]] = corners
        rings.add(angles, part(angles, share))

    length = size.plating_length / 2 - size.lip_ring
    out = surface.grading(length, 1.2 * size.lip_edge, size.plating_edge)
    gaps = numpy.diff(out, append=2 * out[-1] - out[-2]) * length
    corners = corner_angles(shape)
    for share, edge in zip(out[1:-1], gaps[1:]):
        ring(shape.plate, share, edge)
    ring(shape.plate, 1.0, size.plating_edge, corners=corners)
    for share in numpy.linspace(1, 0, max(3, int(length / size.plating_edge))):
        ring(shape.inner_plate, share, size.plating_edge, corners=corners if share == 1 else None)
    for share in numpy.linspace(0, 1, 6)[1:]:
        ring(shape.pipe_outside, share, 4 * size.pipe_edge)
    length = size.pipe_length
    up = surface.grading(length, 0.9 * size.lip_edge, 3 * size.pipe_edge)
    gaps = numpy.diff(up, append=2 * up[-1] - up[-2]) * length
    for share, edge in zip(up[:0:-1], gaps[:0:-1]):
        ring(shape.pipe, share, min(edge, size.pipe_edge))
    return rings.torus()


def girth_across(place):
    shares = numpy.linspace(0, 1, 101)
    return numpy.linalg.norm(numpy.diff([place(share)[0] for share in shares], axis=0), axis=1).sum()


def corner_angles(shape):
    """At which angles the corners of the plating lie."""
    size, angles = shape.size, numpy.linspace(0, 2 * numpy.pi, 20001)
    foot = shape.fillet(angles, 1)
    turned = numpy.unwrap(numpy.arctan2(foot[:, 1], foot @ shape.up))
    corners = [numpy.arctan2(side * size.plating_length / 2, above) % (2 * numpy.pi)
               for side in (1, -1) for above in (size.plating_above, -size.plating_below)]
    return numpy.sort(numpy.interp(corners, turned, angles))


# --- the anchor ---------------------------------------------------------------------------------------
def shank_field(size):
    def field(points):
        x, y, z = points.T
        share = numpy.clip(z / size.shank_length, 0, 1)
        depth = size.shank_depth_low + (size.shank_depth_high - size.shank_depth_low) * share
        width = size.shank_width_low + (size.shank_width_high - size.shank_width_low) * share
        half = size.shank_length / 2
        bar = surface.rounded_box([x, y, z - half], [depth / 2, width / 2, half], size.shank_edge)
        head = surface.rounded_disc(numpy.hypot(x, z), y, size.head_radius, size.shank_width_low / 2, size.shank_edge)
        to_eye = numpy.hypot(x, z - size.shank_length)
        eye = surface.rounded_disc(to_eye, y, size.eye_radius, size.shank_width_high / 2, size.shank_edge)
        whole = surface.smooth_union(surface.smooth_union(bar, head, 0.06), eye, 0.06)
        return surface.smooth_cut(whole, to_eye - size.eye_hole, 0.03)
    return field


def flukes_field(size):
    def fluke(x, y, z):
        share = numpy.clip(z / size.fluke_length, 0, 1)
        width = size.fluke_width_root + (size.fluke_width_tip - size.fluke_width_root) * share ** 1.6
        depth = size.fluke_depth_root + (size.fluke_depth_tip - size.fluke_depth_root) * share
        # Inner edges are straight and turn out a little towards the tips; outer ones are round.
        middle = size.fluke_inner + 0.06 * share + width / 2
        half = size.fluke_length / 2
        return surface.rounded_box([x, y - middle, z - half], [depth / 2, width / 2, half], 0.4 * depth)

    def field(points):
        x, y, z = points[:, 0], numpy.abs(points[:, 1]), points[:, 2]
        low, high = -size.crown_below, size.crown_above
        halves = [size.crown_depth / 2, size.crown_width / 2, (high - low) / 2]
        crown = surface.rounded_box([x, y, z - (low + high) / 2], halves, 0.08)
        outer = size.crown_width / 2 - size.palm_width / 2 - 0.03
        halves = [size.palm_reach, size.palm_width / 2, size.palm_depth / 2]
        palms = surface.rounded_box([x, y - outer, z - low - size.palm_depth / 2], halves, 0.05)
        whole = surface.smooth_union(surface.smooth_union(crown, palms, 0.15), fluke(x, y, z), 0.12)
        slot = numpy.maximum(y - size.slot_width / 2, -size.slot_below - z)
        return surface.smooth_cut(whole, slot, 0.04)
    return field


def line(stops):
    """Coordinates of a grid: (from, to, cell) each, with whole numbers of cells."""
    parts = [numpy.linspace(low, high, max(1, int(numpy.ceil((high - low) / cell - 1e-9))) + 1)
             for low, high, cell in stops]
    return numpy.concatenate([parts[0]] + [part[1:] for part in parts[1:]])


def mirrored(stops):
    """The same on both sides of 0, from where the stops begin. No line lies in the middle plane of a flat side."""
    half = line(stops)
    return numpy.concatenate([-half[::-1], half[1:]])


def shank(size):
    cell = size.shank_cell
    wide = max(size.head_radius, size.eye_radius, size.shank_depth_low / 2) + cell
    across = mirrored([(0, wide, cell)])
    width = mirrored([(0, size.shank_width_low / 2 + cell, cell)])
    up = line([(-size.head_radius - cell, 0.5, cell), (0.5, size.shank_length - 0.6, 1.5 * cell),
               (size.shank_length - 0.6, size.shank_length + size.eye_radius + cell, cell)])
    return surface.net(shank_field(size), [across, width, up])


def flukes(size):
    cell = size.flukes_cell
    across = mirrored([(0, size.palm_reach + cell, cell)])
    wide = max(size.crown_width / 2, size.fluke_inner + 0.1 + size.fluke_width_root)
    along = mirrored([(0, wide + cell, 1.2 * cell)])
    up = line([(-size.crown_below - cell, size.crown_above, cell),
               (size.crown_above, 0.75 * size.fluke_length, 1.8 * cell),
               (0.75 * size.fluke_length, size.fluke_length + cell, cell)])
    return surface.net(flukes_field(size), [across, along, up])
