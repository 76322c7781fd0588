"""The schema of study files against the program: they accept and refuse the same. Arguments: clack, source tree.
Exit 77: a Python package is missing."""
import copy
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import jsonschema
    import yaml
    from study_yaml import load
except ImportError as missing:
    print(missing)
    sys.exit(77)

CLACK, ROOT = sys.argv[1], sys.argv[2]
SCHEMA = json.load(open(ROOT + "/data/study.schema.json"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
PALETTES = ("materials.yaml", "contact_pairs.yaml")
SCHEMA_LINE = "# yaml-language-server: $schema=study.schema.json\n"

# Wrong files that a schema cannot refuse: what is wrong is not in the form of one value.
ONLY_THE_PROGRAM = {
    "names of other places": ["wrong_material", "wrong_column", "wrong_column_alone", "wrong_grid", "wrong_group",
                              "wrong_quantity_body", "wrong_joint_body", "wrong_joint_fixed", "wrong_joint_world",
                              "wrong_joint_world_count", "wrong_joint_world_moves"],
    "arithmetic": ["wrong_circle", "wrong_constant", "wrong_division", "wrong_expression", "wrong_expression_range",
                   "wrong_variable"],
    "numbers against each other": ["wrong_coplanar", "wrong_correlation", "wrong_inertia", "wrong_joint_apart",
                                   "wrong_joint_assembly", "wrong_joint_axes_apart",
                                   "wrong_joint_axis_zero", "wrong_joint_island",
                                   "wrong_joint_motion_start",
                                   "wrong_joint_nothing", "wrong_joint_points", "wrong_joint_start", "wrong_limits",
                                   "wrong_quasi_step", "wrong_support"],
    "keys elsewhere": [
        "wrong_contacts", "wrong_stop_design", "wrong_count_varies", "wrong_design", "wrong_fixed_velocity",
        "wrong_free_half_space", "wrong_grid_group", "wrong_joint_compat",
        "wrong_joint_method", "wrong_mean", "wrong_mean_of_laws", "wrong_mean_of_linear",
        "wrong_mean_of_springs", "wrong_mesh_size_kind", "wrong_region_friction", "wrong_region_method",
        "wrong_name_taken", "wrong_no_inputs", "wrong_new_material",
        "wrong_new_pair", "wrong_no_density", "wrong_normal_compat", "wrong_not_a_box", "wrong_one_of", "wrong_pair",
        "wrong_ellipsoid_mean", "wrong_pair_twice", "wrong_quasi_compat", "wrong_quasi_mean", "wrong_quasi_scene",
        "wrong_reduction", "wrong_rest_of"],
    "other files": ["wrong_mesh", "wrong_mesh_crossing", "wrong_mesh_faces", "wrong_mesh_flat", "wrong_mesh_gaps",
                    "wrong_mesh_groups", "wrong_mesh_none", "wrong_mesh_ply", "wrong_mesh_polygon",
                    "wrong_mesh_smoothing", "wrong_mesh_solid", "wrong_mesh_two", "wrong_table_cell"],
}
failures = 0


def fail(text):
    global failures
    failures += 1
    print(text)


def validate(path):
    """Exit code and lines of the program."""
    done = subprocess.run([CLACK, "validate", path], capture_output=True, text=True,
                          env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
    return done.returncode, done.stderr


def refusals(text):
    """What the schema has to say; None where it is not YAML."""
    try:
        study = load(text)
    except (yaml.YAMLError, RecursionError):
        return None
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
            for error in VALIDATOR.iter_errors(study)]


# --- files that are right, files that are wrong ----------------------------------------------------

def check_right(name, text, path):
    told = refusals(text)
    if told is None or told:
        fail(f"{name}: refused by the schema: {told}")
    code, lines = validate(path)
    if code != 0:
        fail(f"{name}: refused by the program: {lines}")


def check_right_files(folder):
    count = 0
    for path in sorted(glob.glob(ROOT + "/data/*.yaml")):
        if os.path.basename(path) in PALETTES:
            continue
        text = open(path).read()
        if not text.startswith(SCHEMA_LINE):
            fail(f"{path}: its first line does not name the schema")
        if "make_anchor.py" in text:  # its meshes are made, not kept
            path = shutil.copy(path, folder)
            subprocess.run([sys.executable, ROOT + "/data/make_anchor.py", folder + "/anchor", "--no-stow"],
                           capture_output=True, check=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        check_right(path, text, path)
        count += 1
    with open(folder + "/drops.csv", "w") as table:
        table.write("height,diameter\n0.5,0.010\n")
    shutil.copy(ROOT + "/data/cup.obj", folder)
    for page in "data/first_study.md", "data/README.md", "host/README.md":
        blocks = [block for block in re.findall(r"^```yaml\n(.*?)^```", open(f"{ROOT}/{page}").read(), re.M | re.S)
                  if "format: 1" in block]
        if not blocks:
            fail(f"{page}: no study in it")
        for block in blocks:
            path = f"{folder}/readme.yaml"
            open(path, "w").write(block)
            check_right(f"{page}: " + block[:60], block, path)
            count += 1
    if count < 20:
        fail(f"{count} studies found, expected those of data/ and of the pages")


def check_wrong_files():
    only_program = {name for names in ONLY_THE_PROGRAM.values() for name in names}
    seen = set()
    for path in sorted(glob.glob(ROOT + "/tests/studies/wrong_*.yaml")):
        name = os.path.basename(path)[:-len(".yaml")]
        seen.add(name)
        code, lines = validate(path)
        expected = 4 if name.startswith("wrong_io_") else 3
        if code != expected:
            fail(f"{name}: expected exit {expected}, found {code}: {lines}")
        told = refusals(open(path).read())
        if told == [] and name not in only_program:
            fail(f"{name}: accepted by the schema, though the mistake is one of form (or belongs to ONLY_THE_PROGRAM)")
        if told != [] and name in only_program:
            fail(f"{name}: in ONLY_THE_PROGRAM, but the schema finds {told}")
    if only_program - seen:
        fail(f"ONLY_THE_PROGRAM names files that are not there: {sorted(only_program - seen)}")
    if len(seen) < 40:
        fail(f"{len(seen)} wrong files, expected 40 at least")


# --- every key of the schema in the reader, and the other way round ---------------------------------

def resolve(node):
    while "$ref" in node:
        target = SCHEMA
        for part in node["$ref"][2:].split("/"):
            target = target[part]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return node


def smallest(node):
    """A small value that the schema accepts."""
    node = resolve(node)
    for key in ("const", "default"):
        if key in node:
            return node[key]
    for key in ("examples", "enum"):
        if key in node:
            return node[key][0]
    if "anyOf" in node and "type" not in node:
        return smallest(node["anyOf"][0])
    kind = node["type"][0] if isinstance(node["type"], list) else node["type"]
    if kind == "object":
        needed = list(node.get("required", [])) + list(node.get("anyOf", [{}])[0].get("required", []))
        if "oneOf" in node:
            needed += node["oneOf"][0]["required"]
        return {key: smallest(node["properties"][key]) for key in needed}
    if kind == "array":
        return []
    return {"integer": 1, "number": 1, "string": "steel", "boolean": True}[kind]


def objects(node, path, seen):
    """Pairs (path, schema) of all maps with keys of their own. The path is one of those it stands at, its steps
    pairs (key or index, what the map there needs beside it)."""
    name = json.dumps(node, sort_keys=True)
    if name in seen:
        return
    seen.add(name)
    node = resolve(node)
    if isinstance(node.get("properties"), dict):
        yield path, node
        for key, child in node["properties"].items():
            beside = {other: smallest(node["properties"][other]) for other in node.get("required", []) if other != key}
            yield from objects(child, path + [(key, beside)], seen)
    for child in node.get("anyOf", []):
        yield from objects(child, path, seen)
    if isinstance(node.get("additionalProperties"), dict):
        name = "ball" if path[-1][0] == "bodies" else "mine"
        yield from objects(node["additionalProperties"], path + [(name, {})], seen)
    items = node.get("items", [])
    for index, child in enumerate(items if isinstance(items, list) else [items]):
        yield from objects(child, path + [(index, {})], seen)


BASE = {"format": 1, "solver": {"end": 1}, "scene": {"bodies": {
    "ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
    "ball": {"material": "steel", "mass": {"mass": 1, "inertia": [1, 1, 1]}}}}}


def placed(path, value):
    """The base study with the value at the path."""
    study = copy.deepcopy(BASE)
    at = study
    for (step, beside), following in zip(path, path[1:] + [None]):
        fresh = value if following is None else [] if isinstance(following[0], int) else {}
        if isinstance(at, list):
            at.extend([0] * (step + 1 - len(at)))
        else:
            at.update({key: other for key, other in beside.items() if key not in at})
        known = at[step] if isinstance(at, list) else at.get(step)
        if following is None or type(known) is not type(fresh):
            at[step] = fresh
        at = at[step]
    return study if path else value


def words_of(node):
    node = resolve(node)
    return [word for word in node.get("enum", []) if isinstance(word, str)] + \
        [word for child in node.get("anyOf", []) for word in words_of(child)]


def words(path):
    return ".".join(str(step) for step, _ in path) or "top level"


def misspelt(key):
    return key + key[-1] if len(key) < 5 else key[:2] + ("q" if key[2] != "q" else "z") + key[3:]


def check_keys(folder):
    path, count = folder + "/key.yaml", 0

    def told(place, value):
        with open(path, "w") as out:
            json.dump(placed(place, value), out)
        return validate(path)

    for place, node in objects(SCHEMA, [], set()):
        for key, child in node["properties"].items():
            value = copy.deepcopy(BASE) if place == [] else smallest(node)
            if "oneOf" in node and {"required": [key]} in node["oneOf"]:
                value = {}
            value.setdefault(key, smallest(child))
            code, lines = told(place, value)
            if "unknown key" in lines or "not supported" in lines or code not in (0, 3, 4):
                fail(f"{words(place)}: the schema's key {key} is refused: {lines}")
            for word in words_of(child):
                code, lines = told(place, {**value, key: word})
                if f'found the quoted text "{word}"' in lines:  # all of a JSON file's are quoted
                    fail(f"{words(place)}.{key}: the schema's word {word} is refused: {lines}")
            value[misspelt(key)] = value.pop(key)
            code, lines = told(place, value)
            if code != 3 or f'unknown key "{misspelt(key)}", did you mean "{key}"?' not in lines:
                fail(f"{words(place)}: {misspelt(key)} instead of {key}: {lines}")
            count += 1
    if count < 150:
        fail(f"{count} keys in the schema, expected more")
    return count


def schema_words(node):
    """All keys, and all words that stand as values."""
    if isinstance(node, list):
        return set().union(*map(schema_words, node))
    if not isinstance(node, dict):
        return set()
    own = set(node["properties"]) if isinstance(node.get("properties"), dict) else set()
    own |= set(node["enum"]) if isinstance(node.get("enum"), list) else set()
    return own.union(*map(schema_words, node.values()))


def check_reader_words():
    known, count = schema_words(SCHEMA), 0
    for path in sorted(glob.glob(ROOT + "/host/study/study*.c")):
        text = open(path).read()
        named = re.findall(r"static const char \*const (\w+)\[\] = *\{(.*?)\};", text, re.S)
        lists = [keys for name, keys in named if "later" not in name]
        lists += re.findall(r"const Argument arguments\[\] = \{(.*?)\};", text, re.S)
        lists += re.findall(r"static const PairKey pair_keys\[\w*\] = \{(.*?)\n\};", text, re.S)
        for keys in lists:
            for key in re.findall(r'"([^"]+)"', re.sub(r"//.*", "", keys)):
                count += 1
                if key not in known and " " not in key:  # with blanks: a phrase that is printed
                    fail(f"{os.path.basename(path)}: the reader's word {key} is not in the schema")
    if count < 250:
        fail(f"{count} keys found in host/study/study*.c: has the form of their lists changed?")


VALIDATOR.check_schema(SCHEMA)
with tempfile.TemporaryDirectory() as place:
    check_right_files(place)
    check_wrong_files()
    keys = check_keys(place)
check_reader_words()
print(f"{keys} keys, {failures} failures")
sys.exit(1 if failures else 0)
