#!/usr/bin/env python3
"""C of the PTX of one kernel, to run a compiler's PTX without a GPU: ptx_to_c.py IN.ptx OUT.c

OUT.c has run_items(buffers, count, first, last, local): work-items first to last - 1 in groups of `local`, one after
the other, for a kernel whose arguments are buffers and a last 32-bit number. Each function becomes a function, each
register a variable, each instruction a statement, rounded as PTX says (compile with -ffp-contract=off). Local memory
and arguments of calls lie in an arena, so that every access is checked: `ld.global` outside of it, `ld.local` within,
`ld.const` in the tables, all aligned as a GPU wants them. A breach ends the process with the line of PTX. Kernels with
barriers or shared memory are refused, as is any instruction that is not known. Source: PTX ISA 8.5 (NVIDIA).
"""
import re
import sys

TYPES = {"u64": "u64", "s64": "s64", "b64": "u64", "u32": "u32", "s32": "s32", "b32": "u32", "u16": "u16", "s16": "s16",
         "b16": "u16", "u8": "u8", "s8": "s8", "b8": "u8", "f64": "f64", "f32": "f32", "pred": "u8"}
BYTES = {name: int(name[1:]) // 8 for name in TYPES if name != "pred"}
SPACES = ("global", "local", "param", "const")
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNORDERED = {"ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}  # the comparison that fails then
ROUNDINGS = {"rzi": "trunc", "rmi": "floor", "rni": "rint", "rpi": "ceil"}
SPECIAL = {"%tid.x": "tid_x", "%ntid.x": "ntid_x", "%ctaid.x": "ctaid_x"}
REGISTERS = {"p": "u8", "rs": "u16", "r": "u32", "rd": "u64", "fd": "f64", "f": "f32"}

HEAD = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef uint64_t u64; typedef int64_t s64; typedef uint32_t u32; typedef int32_t s32; typedef uint16_t u16;
typedef int16_t s16; typedef uint8_t u8; typedef int8_t s8; typedef double f64; typedef float f32;
#define ARENA ((u64)64 << 20)
extern const char __start_ptxconst[], __stop_ptxconst[];
static char *arena, *arena_top;
static u32 tid_x, ctaid_x, ntid_x;
static void bad(const char *function, int line, const char *what, u64 a) {
    fprintf(stderr, "%s: line %d of the PTX: %s at %llx\n", function, line, what, (unsigned long long)a);
    abort();
}
static inline int in_arena(u64 a) { return a - (u64)(uintptr_t)arena < ARENA; }
static inline int in_const(u64 a) {
    return a >= (u64)(uintptr_t)__start_ptxconst && a < (u64)(uintptr_t)__stop_ptxconst;
}
#define OUTSIDE_global(a) (in_arena(a) || in_const(a) || (a) < 4096)
#define OUTSIDE_local(a) (!in_arena(a))
#define OUTSIDE_const(a) (!in_const(a))
#define OUTSIDE_generic(a) (in_const(a) || (a) < 4096)
#define CHECK(space, a, bytes, line)                                                                               \
    do {                                                                                                           \
        if (OUTSIDE_##space(a)) bad(__func__, line, "no " #space " memory", a);                                    \
        if ((a) % (bytes)) bad(__func__, line, "not aligned", a);                                                  \
    } while (0)
static inline f64 as_f64(u64 x) { f64 d; memcpy(&d, &x, 8); return d; }
static inline u64 as_u64(f64 x) { u64 d; memcpy(&d, &x, 8); return d; }
static inline f64 max_f64(f64 a, f64 b) {
    return a != a ? b : b != b ? a : a > b ? a : a < b ? b : as_u64(a) >> 63 ? b : a;
}
static inline f64 min_f64(f64 a, f64 b) {
    return a != a ? b : b != b ? a : a < b ? a : a > b ? b : as_u64(a) >> 63 ? a : b;
}
static inline u32 prmt(u32 a, u32 b, u32 c) {
    u64 v = (u64)b << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; i++) {
        u32 s = c >> 4 * i & 15, x = (u32)(v >> 8 * (s & 7)) & 255;
        r |= (s & 8 ? (x & 128 ? 255u : 0u) : x) << 8 * i;
    }
    return r;
}
static inline u64 bfi(u64 a, u64 b, u32 at, u32 length) {
    at &= 255; length &= 255;
    if (at > 63 || !length) return b;
    u64 mask = (length >= 64 ? ~(u64)0 : ((u64)1 << length) - 1) << at;
    return (b & ~mask) | (a << at & mask);
}
"""


def split(words):
    """At commas outside of brackets and braces."""
    return [w.strip() for w in re.findall(r"(?:\[[^\]]*\]|\{[^}]*\}|[^,\[{])+", words) if w.strip()]


def register(name):
    """The variable of a register, or None."""
    if name.startswith("%envreg") or re.match(r"%(n?tid|n?ctaid)\.[yz]$", name):
        return "0u"
    if name in ("%SP", "%SPL"):
        return name[1:]
    found = re.match(r"%(p|rd|rs|r|fd|f)(\d+)$", name)
    return SPECIAL.get(name) or (found and f"{found.group(1)}[{found.group(2)}]")


class Function:
    def __init__(self, name, tables):
        self.name, self.tables = name, tables

    def value(self, word, kind):
        variable = register(word)
        if variable:
            if kind == "f64" and variable.startswith("rd["):
                return f"as_f64({variable})"
            if kind in ("u64", "b64", "s64") and variable.startswith("fd["):
                return f"as_u64({variable})"
            return f"({TYPES[kind]}){variable}" if kind != "pred" else variable
        if word.startswith("0d"):
            return f"as_f64(0x{word[2:]}ull)"
        if re.match(r"-?\d+$", word):
            return f"({TYPES[kind]}){word}{'ll' if word.startswith('-') else 'ull'}"
        if word.startswith("__local_depot"):
            return "(u64)(uintptr_t)depot"
        if word in self.tables:
            return f"(u64)(uintptr_t)C_{word}"
        found = re.match(re.escape(self.name) + r"_param_(\d+)$", word)
        if found:
            return f"(u64)(uintptr_t)P{found.group(1)}"
        raise ValueError(f"{word}: not known")

    def put(self, word, value, kind):
        variable = register(word)
        if variable.startswith("rd[") and kind == "f64":
            return f"{variable} = as_u64({value});"
        if variable.startswith("fd[") and kind in ("b64", "u64", "s64"):
            return f"{variable} = as_f64((u64)({value}));"
        return f"{variable} = {value};"

    def address(self, word):
        """C of an address, and whether it is of an argument, which has no address in memory."""
        base, offset = re.match(r"\[([%\w]+?)\s*(?:\+\s*(-?\d+))?\]$", word).groups()
        offset = offset or "0"
        if register(base):
            return f"({register(base)} + {offset}ll)", False
        if base in self.tables:
            return f"((u64)(uintptr_t)C_{base} + {offset})", False
        found = re.match(re.escape(self.name) + r"_param_(\d+)$", base)
        return f"({'R' if base == 'func_retval0' else 'P' + found.group(1) if found else base} + {offset})", True

    def access(self, parts, words, line):
        is_load, kind = parts[0] == "ld", parts[-1]
        space = next((p for p in parts if p in SPACES), "generic")
        if "shared" in parts:
            raise ValueError("shared memory")
        count = next((int(p[1]) for p in parts if p in ("v2", "v4")), 1)
        where, is_argument = self.address(words[1] if is_load else words[0])
        data = words[0] if is_load else words[1]
        text = "" if is_argument else f"u64 A_ = {where}; CHECK({space}, A_, {BYTES[kind] * count}, {line}); "
        for k, word in enumerate(split(data[1:-1]) if data.startswith("{") else [data]):
            place = f"{where} + {k * BYTES[kind]}" if is_argument else f"(char *)(uintptr_t)(A_ + {k * BYTES[kind]})"
            if is_load:
                text += f"{{ {TYPES[kind]} V_; memcpy(&V_, {place}, {BYTES[kind]}); {self.put(word, 'V_', kind)} }}"
            else:
                text += f"{{ {TYPES[kind]} V_ = {self.value(word, kind)}; memcpy({place}, &V_, {BYTES[kind]}); }}"
        return text

    def move(self, parts, words):
        kind = parts[-1]
        for k in (0, 1):  # halves or quarters of a register
            if words[k].startswith("{"):
                pieces = split(words[k][1:-1])
                bits = 8 * BYTES[kind] // len(pieces)
                if k == 0:
                    return f"u64 V_ = {self.value(words[1], kind)};" + "".join(
                        f"{register(p)} = V_ >> {i * bits} & {(1 << bits) - 1}ull;" for i, p in enumerate(pieces))
                joined = "|".join(f"(u64){self.value(p, f'u{bits}')} << {i * bits}" for i, p in enumerate(pieces))
                return self.put(words[0], joined, kind)
        if kind == "pred":
            return f"{register(words[0])} = {register(words[1]) or int(words[1] != '0')};"
        return self.put(words[0], self.value(words[1], kind), kind)

    def compare(self, parts, words):
        how, kind = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(parts[1], parts[1]), parts[-1]
        x, y = self.value(words[1], kind), self.value(words[2], kind)
        if how == "ne" and kind == "f64":
            text = f"({x} < {y} || {x} > {y})"
        elif how in COMPARISONS:
            text = f"({x} {COMPARISONS[how]} {y})"
        elif how in UNORDERED:
            text = f"!({x} {UNORDERED[how]} {y})"
        else:
            text = {"neu": f"!({x} == {y})", "equ": f"!({x} < {y} || {x} > {y})", "num": f"({x} == {x} && {y} == {y})",
                    "nan": f"({x} != {x} || {y} != {y})"}[how]
        if len(parts) > 3:
            text = f"({text} {dict(zip(('and', 'or'), ('&&', '||')))[parts[2]]} {register(words[3])})"
        return f"{register(words[0])} = {text};"

    def arithmetic(self, parts, words):
        name, kind = parts[0], parts[-1]
        sign = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%"}[name]
        x, y = self.value(words[1], kind), self.value(words[2], kind)
        if kind == "f64":
            return self.put(words[0], f"{x} {sign} {y}", kind)
        if "wide" in parts:
            wide = f"{kind[0]}{2 * int(kind[1:])}"
            return f"{register(words[0])} = ({wide}){x} * ({wide}){y};"
        if "hi" in parts:
            raise ValueError("mul.hi")
        within = TYPES[kind].replace("s", "u") if sign in "+-*" else TYPES[kind]  # sums wrap
        return f"{register(words[0])} = ({TYPES[kind]})(({within}){x} {sign} ({within}){y});"

    def convert(self, parts, words):
        to, of = parts[-2], parts[-1]
        if of == "f64":
            value = f"{ROUNDINGS[parts[1]]}({self.value(words[1], of)})"
            if to == "f64":
                return self.put(words[0], value, to)
            if to != "u32":
                raise ValueError(f"cvt to {to}")
            return (f"f64 D_ = {value}; {register(words[0])} = D_ != D_ || D_ <= 0 ? 0 : "
                    "D_ >= 4294967295.0 ? 0xffffffffu : (u32)D_;")
        if to == "f64":
            return self.put(words[0], f"(f64){self.value(words[1], of)}", to)
        return f"{register(words[0])} = ({TYPES[to]}){self.value(words[1], of)};"

    def shift(self, parts, words):
        name, kind = parts[0], parts[-1]
        bits, x = 8 * BYTES[kind], self.value(words[1], kind)
        text = f"u32 S_ = {self.value(words[2], 'u32')}; "
        if name == "shr" and kind[0] == "s":
            return text + self.put(words[0], f"{x} >> (S_ >= {bits} ? {bits - 1} : S_)", kind)
        sign = "<<" if name == "shl" else ">>"
        return text + self.put(words[0], f"S_ >= {bits} ? 0 : ({TYPES[kind]})({x} {sign} S_)", kind)

    def logic(self, parts, words):
        sign, kind = {"and": "&", "or": "|", "xor": "^"}[parts[0]], parts[-1]
        if kind == "pred":
            values = [register(w) or str(int(w != "0")) for w in words[1:]]
            return f"{register(words[0])} = {values[0]} {sign} {values[1]};"
        return self.put(words[0], f"{self.value(words[1], kind)} {sign} {self.value(words[2], kind)}", kind)

    def simple(self, parts, words):
        """What is one expression of its operands."""
        name, kind = parts[0], parts[-1]
        values = [self.value(w, kind) for w in words[1:3]] if name not in ("cvta", "selp", "prmt") else []
        if name == "cvta":
            return f"{register(words[0])} = {self.value(words[1], 'u64')};"
        if name == "selp":
            yes, no = self.value(words[1], kind), self.value(words[2], kind)
            return self.put(words[0], f"{register(words[3])} ? {yes} : {no}", kind)
        if name == "prmt":
            return f"{register(words[0])} = prmt({', '.join(self.value(w, 'u32') for w in words[1:])});"
        if name == "bfi":
            at, length = self.value(words[3], "u32"), self.value(words[4], "u32")
            return self.put(words[0], f"({TYPES[kind]})bfi({values[0]}, {values[1]}, {at}, {length})", kind)
        if name in ("fma", "mad"):
            x, y, z = (self.value(w, kind) for w in words[1:4])
            if kind == "f64":
                return self.put(words[0], f"fma({x}, {y}, {z})", kind)
            if "lo" not in parts:
                raise ValueError("mad.wide")
            within = "u64" if "64" in kind else "u32"
            return f"{register(words[0])} = ({TYPES[kind]})(({within}){x} * ({within}){y} + ({within}){z});"
        if name in ("min", "max"):
            if kind == "f64":
                return self.put(words[0], f"{name}_f64({values[0]}, {values[1]})", kind)
            x, y = values
            return f"{register(words[0])} = {x} {'<' if name == 'min' else '>'} {y} ? {x} : {y};"
        if name == "not" and kind == "pred":
            return f"{register(words[0])} = !{register(words[1])};"
        one = {"not": "~", "neg": "-", "abs": "fabs", "sqrt": "sqrt", "rcp": "1.0 / "}[name]
        return self.put(words[0], f"({TYPES[kind]}){one}({values[0]})", kind)

    def instruction(self, text, line):
        found = re.match(r"@(!?)(%p\d+)\s+(.*)$", text, re.S)
        guard = f"if ({found.group(1)}{register(found.group(2))}) " if found else ""
        name, rest = re.match(r"([a-z][\w.]*)\s*(.*)$", found.group(3) if found else text, re.S).groups()
        parts, words = name.split("."), split(rest)
        if parts[0] == "ret":
            return guard + "{ arena_top = saved_top; return; }"
        if parts[0] == "bra":
            return f"{guard}goto {words[0].replace('$', 'L')};"
        if parts[0] in ("ld", "st"):
            body = self.access(parts, words, line)
        elif parts[0] == "mov":
            body = self.move(parts, words)
        elif parts[0] == "setp":
            body = self.compare(parts, words)
        elif parts[0] in ("add", "sub", "mul", "div", "rem"):
            body = self.arithmetic(parts, words)
        elif parts[0] == "cvt":
            body = self.convert(parts, words)
        elif parts[0] in ("shl", "shr"):
            body = self.shift(parts, words)
        elif parts[0] in ("and", "or", "xor"):
            body = self.logic(parts, words)
        elif name == "atom.global.add.u32":
            body = (f"u64 A_ = {self.address(words[1])[0]}; CHECK(global, A_, 4, {line}); {register(words[0])} = "
                    f"__atomic_fetch_add((u32 *)(uintptr_t)A_, {self.value(words[2], 'u32')}, __ATOMIC_SEQ_CST);")
        else:
            body = self.simple(parts, words)
        return f"{guard}{{ {body} }}"

    def statement(self, text, line):
        if text in ("{", "}"):
            return "{ char *block_top = arena_top;" if text == "{" else "arena_top = block_top; }"
        if text.startswith((".reg", ".local", ".pragma", ".loc")):
            return ""
        if re.match(r"\$\w+:$", text):
            return text.replace("$", "L") + ";"
        if text.startswith(".param"):
            name, count = re.match(r"\.param\s+(?:\.align \d+\s+)?\.\w+\s+(\w+)(?:\[(\d+)\])?", text).groups()
            return f"char *{name} = arena_top; arena_top += {(int(count or 8) + 15) // 16 * 16};"
        found = re.match(r"call(?:\.uni)?\s+(?:\((\w+)\),\s*)?(\w+)(?:,\s*\(([^)]*)\))?$", text)
        if found:
            result, name, given = found.groups()
            return f"F_{name}({', '.join([result or '0'] + split(given or ''))});"
        return self.instruction(text, line)


def statements(body, line):
    """(text, line) of each."""
    text = ""
    for row in body.split("\n"):
        row, line = row.strip(), line + 1
        if not text and (row in ("{", "}") or re.match(r"\$\w+:$", row)):
            yield row, line
            continue
        text += " " + row if row else ""
        while ";" in text:
            done, text = text.split(";", 1)
            yield done.strip(), line
        text = text.strip()


def function_bodies(source):
    """(is a kernel, name, how many arguments, body or None, its line) of each declaration and definition."""
    pattern = r"^(?:\.visible )?\.(entry|func)\b\s*(?:\([^)]*\))?\s*(\w+)\s*(?:\(([^)]*)\))?\s*([;{])"
    for found in re.finditer(pattern, source, re.M):
        count, body = len(split(found.group(3) or "")), None
        if found.group(4) == "{":
            depth, end = 1, found.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(source[end], 0)
                end += 1
            body = source[found.end():end - 1]
        yield found.group(1) == "entry", found.group(2), count, body, source.count("\n", 0, found.end())


def translate(source):
    source = re.sub(r"(\w)\$", r"\1_S_", re.sub(r"//[^\n]*", "", source))
    out, tables = [HEAD], set()
    table = r"^(?:\.visible )?\.const\s+\.align (\d+) \.b8 (\w+)\[(\d+)\] = (\{[^}]*\});"
    for align, name, count, values in re.findall(table, source, re.M):
        tables.add(name)
        out.append(f"static const u8 C_{name}[{count}]\n"
                   f'    __attribute__((aligned({align}), section("ptxconst"))) = {values};')
    functions, kernel = list(function_bodies(source)), None
    for _, name, count, _, _ in functions:
        out.append(f"static void F_{name}(char *R{''.join(f', char *P{k}' for k in range(count))});")
    for is_kernel, name, count, body, line in functions:
        if body is None:
            continue
        kernel = (name, count) if is_kernel else kernel
        out.append(f"static void F_{name}(char *R{''.join(f', char *P{k}' for k in range(count))}) {{")
        out.append("char *saved_top = arena_top; u64 SP = 0, SPL = 0; (void)R; (void)SP; (void)SPL;")
        for prefix, kind in REGISTERS.items():
            found = re.search(rf"\.reg \.\w+\s+%{prefix}<(\d+)>;", body)
            if found:  # never zero by chance
                out.append(f"{kind} {prefix}[{found.group(1)}]; memset({prefix}, 0x5a, sizeof {prefix});")
        found = re.search(r"\.local \.align \d+ \.b8\s+__local_depot\d+\[(\d+)\];", body)
        if found:
            bytes_ = (int(found.group(1)) + 63) // 64 * 64
            out.append(f"char *depot = arena_top; arena_top += {bytes_}; if (arena_top > arena + ARENA) abort();")
            out.append(f"memset(depot, 0x5a, {bytes_});")
        function = Function(name, tables)
        for text, at in statements(body, line):
            try:
                out.append(function.statement(text, at))
            except (ValueError, KeyError, AttributeError) as error:
                sys.exit(f"line {at} of the PTX: {text}: {error}")
        out.append("arena_top = saved_top; }")
    name, count = kernel
    out.append(f"""
void run_items(void **buffers, u32 count, u32 first, u32 last, u32 local) {{
    if (!arena) arena = aligned_alloc(4096, ARENA);
    for (u32 item = first; item < last; item++) {{
        char p[{count}][8];
        arena_top = arena; tid_x = item % local; ctaid_x = item / local; ntid_x = local;
        for (int i = 0; i < {count - 1}; i++) memcpy(p[i], &buffers[i], 8);
        memcpy(p[{count - 1}], &count, 4);
        F_{name}(0{''.join(f', p[{k}]' for k in range(count))});
    }}
}}""")
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 3:
        print(__doc__, end="")
        return 2
    with open(sys.argv[1]) as file:
        text = translate(file.read())
    with open(sys.argv[2], "w") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
