#!/usr/bin/env python3
"""Frames of parts go into one file packed as they are, where the chunks of both lie alike, and as values where not: the
same in the end, and a byte that changes before, while or after that is seen.

usage: check_joins.py PROGRAM SHIM

SHIM: tests/faults/write_shim.c. Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import contents, differences, without_command
from program_checks import check, clack, failures

import h5py
import numpy as np

# 31 bodies: chunks of 16 scenes and 51 frames.
STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {count: 30, material: steel, shapes: [{sphere: {diameter: 0.02}}], \
position: ["=0.1*number", 0, {uniform: [0.1, 0.6]}]}
design: {monte_carlo: {samples: 96, seed: 3}}
solver: {end: 1}
outputs: {trajectory: {every: 0.01, scenes: 96}, events: true}
"""
FIELDS = [f"trajectory/{name}" for name in ("position", "orientation", "velocity", "angular_velocity")]
CHUNK = (16, 51, 31)
PARTS = ["1.h5", "2.h5", "3.h5"]
SHIM = os.path.abspath(sys.argv[2])


def run(*words, output, **expected):
    """Batches are as large as they are said to be where one thread carries them."""
    return clack("run", "study.yaml", "-q", "-d", "native", "--threads", "1", "--overwrite", "-o", output, *words,
                 **expected)


def flip(name, copy, place):
    shutil.copy(name, copy)
    with open(copy, "r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0x10]))


def make_parts(count):
    names = [f"{i}.h5" for i in range(1, count + 1)]
    for i, name in enumerate(names, 1):
        run("--shard", f"{i}/{count}", output=name)
    return names


def merge(names, **expected):
    if os.path.exists("merged.h5"):
        os.remove("merged.h5")
    return clack("merge", *names, "-o", "merged.h5", **expected)


def check_merged(names, whole, what):
    merge(names)
    different = (differences(whole, without_command(contents("merged.h5"))) if os.path.exists("merged.h5")
                 else ["no file"])
    check(different == [], f"{what}: differs in {different}")


def raw_chunks(path, field):
    """Bytes of all chunks as they lie in the file, by their place."""
    with h5py.File(path, "r") as file:
        dataset = file[field].id
        places = [dataset.get_chunk_info(i).chunk_offset for i in range(dataset.get_num_chunks())]
        return {place: dataset.read_direct_chunk(place)[1] for place in places}


def packed_again(path, field):
    """The same values, packed by HDF5."""
    with h5py.File(path, "r") as file, h5py.File("again.h5", "w", libver=("earliest", "v108")) as again:
        dataset = file[field]
        again.create_dataset("values", data=dataset[...], chunks=dataset.chunks, compression=dataset.compression_opts,
                             shuffle=True, fletcher32=True, fillvalue=dataset.fillvalue)
    return raw_chunks("again.h5", "values")


def check_raw(whole):
    """What HDF5 would pack differently has the bytes that it had in the parts."""
    check_merged(PARTS, whole, "parts on the grid")
    for field in FIELDS:
        merged, again = raw_chunks("merged.h5", field), packed_again("merged.h5", field)
        check(len(merged) == 12, f"{field}: {len(merged)} chunks")
        check(merged != again, f"{field}: HDF5 packs alike: this check says nothing")
        for number, name in enumerate(PARTS):
            parts = raw_chunks(name, field)
            same = all(merged[place[0] + 32 * number, *place[1:]] == value for place, value in parts.items())
            check(len(parts) == 4 and same, f"{field}: bytes of {name}")


def check_shards(whole):
    """The same of a run in shards."""
    run("--batch", "32", "--checkpoint", "0", output="run.h5")
    check(differences(whole, without_command(contents("run.h5"))) == [], "a run in shards")
    for field in FIELDS:
        check(raw_chunks("run.h5", field) == raw_chunks("whole.h5", field), f"{field}: bytes of a run in shards")
    os.remove("run.h5")


# --- chunks that lie otherwise --------------------------------------------------------------------


def remade(name, change):
    """A part whose field `velocity` was made anew by somebody else."""
    with h5py.File(name, "r+") as file:
        group, old = file["trajectory"], file["trajectory/velocity"]
        keywords = {"data": old[...], "chunks": old.chunks, "compression": 1, "shuffle": True, "fletcher32": True,
                    "fillvalue": old.fillvalue, "maxshape": old.maxshape, "track_order": True}
        change(keywords)
        made = group.create_dataset("made", **keywords)
        for axis, scale in enumerate(("recorded", "time", "body", "xyz")):
            made.dims[axis].attach_scale(group[scale])
        for key in old.attrs:
            if key != "DIMENSION_LIST":
                made.attrs.create(key, old.attrs[key], dtype=old.attrs.get_id(key).dtype)
        for axis, scale in enumerate(("recorded", "time", "body", "xyz")):
            old.dims[axis].detach_scale(group[scale])
        del group["velocity"]
        group.move("made", "velocity")


def check_odd(whole):
    changes = {"other chunks": {"chunks": (5, 7, 31, 3)}, "chunks of a body": {"chunks": (16, 51, 1, 3)},
               "larger chunks": {"chunks": (32, 101, 31, 3)},
               "no filter": {"compression": None, "shuffle": False, "fletcher32": False},
               "no checksum": {"fletcher32": False}, "no shuffle": {"shuffle": False}, "level 9": {"compression": 9},
               "another fill value": {"fillvalue": 0.0}, "as here": {}}
    for i, (what, change) in enumerate(changes.items()):
        name = PARTS[1 + i % 2]
        shutil.copy(name, "odd.h5")
        remade("odd.h5", lambda keywords: keywords.update(change))
        check_merged([part if part != name else "odd.h5" for part in PARTS], whole, f"{what} in {name}")
    os.remove("odd.h5")


def check_edges():
    """Parts off the grid, of other lengths, and what lies beyond the edge of a chunk."""
    whole = without_command(contents("whole.h5"))
    for count in (5, 7, 2):
        check_merged(make_parts(count), whole, f"{count} parts")
    make_parts(3)
    # Garbage where the chunk of frames 51 to 101 ends: HDF5 does not promise that it is the fill value.
    with h5py.File("2.h5", "r+") as file:
        dataset = file["trajectory/velocity"]
        values = np.full((16, 51, 31, 3), 7.0)
        values[:, :50] = dataset[:16, 51:]
        dataset.id.write_direct_chunk((0, 51, 0, 0), values.tobytes(), filter_mask=7)
    check_merged(PARTS, whole, "a chunk without filters")
    make_parts(3)


def packed(values):
    """Bytes of a chunk of doubles as HDF5's filters make them: shuffle, deflate, Fletcher's checksum."""
    planes = np.frombuffer(values.tobytes(), "u1").reshape(-1, 8).T.tobytes()
    stream = zlib.compress(planes, 1)
    words = np.frombuffer(stream + b"\0" * (len(stream) % 2), ">u2").astype(object)
    first, second = 0, 0
    for word in words:
        first = (first + word) % 65535
        second = (second + first) % 65535
    return stream + ((second or 65535) << 16 | (first or 65535)).to_bytes(4, "little")


def spoil_edge(name, frames):
    """Numbers where the first chunk's frames have ended: HDF5 does not promise that it is the fill value there."""
    with h5py.File(name, "r+") as file:
        dataset = file["trajectory/velocity"]
        scenes = min(16, dataset.shape[0])
        values = np.full(dataset.chunks, 7.0)
        values[:scenes, :frames] = dataset[:scenes, :frames]
        before = dataset[...]
        dataset.id.write_direct_chunk((0, 0, 0, 0), packed(values))
    with h5py.File(name, "r") as file:
        check(file["trajectory/velocity"][...].tobytes() == before.tobytes(),
              f"{name}: what is within the edges is the same")


def check_lengths():
    """Scenes of the first part are shorter: what they did not reach is NaN, chunks at their end are not whole."""
    text = STUDY.replace("{end: 1}", "{end: $end}").replace(
        "format: 1\n", "format: 1\nvariables: {end: {discrete: [0.3, 1]}, height: {uniform: [0.1, 0.6]}}\n")
    text = text.replace("0, {uniform: [0.1, 0.6]}]", "0, $height]")
    text = text.replace("{monte_carlo: {samples: 96, seed: 3}}", "{grid: {levels: {height: 48}}}")
    with open("study.yaml", "w") as study:
        study.write(text)
    run("--batch", "96", output="lengths.h5")
    whole, spoiled = without_command(contents("lengths.h5")), 0
    for count in (2, 3, 6):
        names, frames = make_parts(count), set()
        for name in names:
            with h5py.File(name, "r") as file:
                frames.add(file["trajectory/time"].shape[0])
        check(len(frames) > 1, f"{count} parts of different lengths: {frames}")
        check_merged(names, whole, f"{count} parts of different lengths")
        with h5py.File("1.h5", "r") as file:
            (length, is_on_grid) = file["trajectory/time"].shape[0], file["trajectory/velocity"].chunks[0] == 16
        if length < 51 and is_on_grid:
            spoil_edge("1.h5", length)
            check_merged(names, whole, f"{count} parts, numbers beyond an edge")
            spoiled += 1
    check(spoiled > 0, "no part with an edge within a chunk")
    with open("study.yaml", "w") as study:
        study.write(STUDY)
    make_parts(3)


# --- tables ---------------------------------------------------------------------------------------

TABLE_STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
""" + "".join(f"""    ball_{i}:
      material: steel
      shapes: [{{sphere: {{diameter: 0.1}}}}]
      position: [{i}, 0, {{uniform: [0.1, 0.6]}}]
""" for i in range(6)) + """design: {monte_carlo: {samples: 2000, seed: 4}}
solver: {end: 1}
outputs: {contacts: {every: 0.1, scenes: 2000}, events: true}
"""


def check_tables():
    """Events and contacts, which fill several chunks in each part: packed alike, whatever the batches."""
    with open("study.yaml", "w") as study:
        study.write(TABLE_STUDY)
    run("--batch", "100", output="small.h5")  # no batch fills a chunk
    small = without_command(contents("small.h5"))
    with h5py.File("small.h5", "r") as file:
        check(file["events/time"].shape[0] > 3 * 2 * 16384, f"{file['events/time'].shape[0]} events")
        check(file["events/time"].chunks == (16384,), f"chunks of few scenes: {file['events/time'].chunks}")
    run("--set", "design.monte_carlo.samples=40000", "--shard", "1/4000", "--overwrite", output="part.h5")
    with h5py.File("part.h5", "r") as file:
        found = [file[f"events/{name}"].chunks for name in ("event", "kind", "time", "position")]
        check(found == [(262144,)] * 3 + [(262144, 3)], f"chunks of many scenes: {found}")
    os.remove("part.h5")
    run("--batch", "2000", output="large.h5")
    check(differences(small, without_command(contents("large.h5"))) == [], "tables of one batch")
    for field in ("events/position", "contacts/time"):
        check(raw_chunks("small.h5", field) == raw_chunks("large.h5", field), f"{field}: packed in another way")
    parts = make_parts(3)
    check_merged(parts, small, "tables of parts")
    with h5py.File("small.h5", "r") as file: # which are the merged one's
        for table, axis in ("events", "event"), ("contacts", "contact"):
            count, of_row = file[f"n_{axis}s"][:], file[f"{table}/scene_number"][:]
            check(len(of_row) > 300 and np.array_equal(count, np.bincount(of_row, minlength=2000))
                  and np.array_equal(file[f"first_{axis}"], np.cumsum(count) - count), f"rows of scenes in {table}")
    for field in ("events/position", "events/time", "events/kind"):
        with h5py.File("2.h5", "r") as file:
            chunk = file[field].id.get_chunk_info(1)
        flip("2.h5", "flipped.h5", chunk.byte_offset + chunk.size // 2)
        os.remove("merged.h5")
        merge([parts[0], "flipped.h5", parts[2]], code=7, says="flipped.h5: cannot read dataset")
        merge(parts)
    for name in ("small.h5", "large.h5", "flipped.h5"):
        os.remove(name)
    with open("study.yaml", "w") as study:
        study.write(STUDY)
    make_parts(3)


# --- bytes that change ----------------------------------------------------------------------------


def told_as_damage(name, place):
    """By HDF5's checksum of a chunk, or by the seal where what is read first shares its block."""
    flip(name, "flipped.h5", place)
    done = merge([part if part != name else "flipped.h5" for part in PARTS], code=7)
    is_told = "flipped.h5: cannot read dataset" in done.stderr or "flipped.h5: bytes " in done.stderr
    check(is_told and "expected" not in done.stderr and "range of numbers" not in done.stderr,
          f"damage of flipped.h5:\n{done.stderr}")
    check(not os.path.exists("merged.h5") and not os.path.exists("merged.h5.part"), "no merged file")


def check_flipped_beginnings():
    """A byte of what merge reads of a part before its frames: scenes' numbers, attributes, groups."""
    with h5py.File(PARTS[1], "r") as file:
        scenes = file["scene"].id
        is_chunked = scenes.get_create_plist().get_layout() == h5py.h5d.CHUNKED
        places = [scenes.get_chunk_info(0).byte_offset if is_chunked else scenes.get_offset()]
    with open(PARTS[1], "rb") as file:
        bytes_of_part = file.read()
    places += [bytes_of_part.index(word) for word in (b"complete", b"provenance", b"study_sha256")]
    for place in places:
        told_as_damage(PARTS[1], place)


def check_flipped_parts():
    """A byte of a packed chunk in one of the parts."""
    for i, name in enumerate(PARTS):
        for field in FIELDS[i % 2::2]:
            with h5py.File(name, "r") as file:
                chunks = [file[field].id.get_chunk_info(i) for i in range(4)]
            chunk = chunks[len(failures) % 4]
            for place in (0, chunk.size // 3, chunk.size - 5, chunk.size - 1):
                told_as_damage(name, chunk.byte_offset + place)
    os.remove("flipped.h5")


def check_flipped_writes(whole):
    """A byte on its way to the merged file: of chunks of frames, which come first, then of what HDF5 keeps about them,
    where a byte may lie in room that nothing uses."""
    seen = 0
    for number in (1, 15, 36, 43, 48, 1000):
        for words, ending in ((["merge", *PARTS, "-o", "merged.h5"], "merged.h5.part"),
                              (["run", "study.yaml", "-q", "-d", "native", "-o", "run.h5", "--batch", "32",
                                "--checkpoint", "0"], "merged.h5")):
            environment = {**os.environ, "LD_PRELOAD": SHIM, "CLACK_TEST_FLIP_FILE": ending,
                           "CLACK_TEST_FLIP_WRITE": str(number)}
            done = clack(*words, code=None, env=environment)
            is_flipped, output = "shim: write" in done.stderr, words[words.index("-o") + 1]
            what = f"write {number} of {ending}: exit code {done.returncode}\n{done.stderr}"
            check(is_flipped == (number < 1000) or number > 43, what)
            check(done.returncode == 7 or done.returncode == 0 and (not is_flipped or number > 36), what)
            seen += done.returncode == 7
            if done.returncode == 7:
                check(not os.path.exists(output), "no file")
                clack(*(["resume", output, "-q"] if words[0] == "run" else words))
            check(differences(whole, without_command(contents(output))) == [], what)
            os.remove(output)
    check(seen >= 6, f"{seen} bytes seen")


def main():
    with tempfile.TemporaryDirectory(prefix="clack_joins_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        run("--batch", "96", output="whole.h5")
        with h5py.File("whole.h5", "r") as file:
            for field in FIELDS:
                check(file[field].chunks[:3] == CHUNK, f"{field}: chunks {file[field].chunks}")
        make_parts(3)
        whole = without_command(contents("whole.h5"))
        check_raw(whole)
        check_shards(whole)
        check_odd(whole)
        check_edges()
        check_lengths()
        check_tables()
        check_flipped_beginnings()
        check_flipped_parts()
        check_flipped_writes(whole)
        os.chdir("/")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
