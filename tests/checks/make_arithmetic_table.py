"""host/device/arithmetic_table.c: operands, and what IEEE 754 gives. Arguments: the source tree; --check: only compare.

Nothing here is computed in floating point: numbers are fractions of whole numbers, rounded once to the nearest double,
of two that are as near to the even one. Operands are chosen so that each kind of wrong arithmetic differs in some row;
tests/host/device/test_arithmetic.cc computes the rows in several wrong ways.
"""
import math
import os
import sys
from fractions import Fraction

ROOT = sys.argv[1]
TABLE = os.path.join(ROOT, "host", "device", "arithmetic_table.c")
INFINITE, NAN = 0x7FF0 << 48, 0x7FF8 << 48
SIGN = 1 << 63
LARGEST, LEAST_NORMAL, LEAST = INFINITE - 1, 1 << 52, 1  # as bits


# --- numbers as bits ------------------------------------------------------------------------------

def is_nan(bits):
    return bits & ~SIGN > INFINITE


def is_infinite(bits):
    return bits & ~SIGN == INFINITE


def value(bits):
    """A finite number as a fraction."""
    exponent, fraction = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
    size = Fraction(fraction + (1 << 52 if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - 1075)
    return -size if bits & SIGN else size


def nearest(size, is_above=0):
    """Bits of the double nearest to a positive fraction; is_above: the number is a little larger than the fraction."""
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = max(exponent - 52, -1074)  # of the last place
    whole, rest = divmod(size / Fraction(2) ** unit, 1)
    half = Fraction(1, 2)
    if rest > half or (rest == half and (is_above or whole % 2 == 1)):
        whole += 1
    bits = whole if unit == -1074 else (unit + 1075 << 52) + whole - (1 << 52)
    return int(min(bits, INFINITE))


def rounded(number, zero=0):
    """Bits of a fraction, once rounded; of 0 those of `zero`."""
    if number == 0:
        return zero
    return nearest(abs(number)) | (SIGN if number < 0 else 0)


# --- operations -----------------------------------------------------------------------------------

def negative(a):
    return a ^ SIGN


def fma(a, b, c):
    if is_nan(a) or is_nan(b) or is_nan(c):
        return NAN
    sign = (a ^ b) & SIGN
    if is_infinite(a) or is_infinite(b):
        if not a & ~SIGN or not b & ~SIGN or (is_infinite(c) and c & SIGN != sign):
            return NAN
        return INFINITE | sign
    if is_infinite(c):
        return c
    product = value(a) * value(b)
    if product == 0 and not c & ~SIGN:
        return sign & c  # of two zeros, +0 unless both are -0
    return rounded(product + value(c))


def multiply(a, b):
    return fma(a, b, (a ^ b) & SIGN)


def add(a, b):
    return fma(a, real(1), b)


def subtract(a, b):
    return b if is_nan(b) else add(a, negative(b))


def divide(a, b):
    if is_nan(a) or is_nan(b) or (is_infinite(a) and is_infinite(b)) or not (a | b) & ~SIGN:
        return NAN
    sign = (a ^ b) & SIGN
    if is_infinite(a) or not b & ~SIGN:
        return INFINITE | sign
    return sign if is_infinite(b) or not a & ~SIGN else rounded(value(a) / value(b))


def root(a):
    if not a & ~SIGN or a == INFINITE:
        return a
    if is_nan(a) or a & SIGN:
        return NAN
    scaled = value(a) * Fraction(4) ** 700  # a whole number
    whole = math.isqrt(int(scaled))
    return nearest(Fraction(whole, 2 ** 700), whole * whole != scaled)


def is_less(a, b):
    if is_nan(a) or is_nan(b):
        return False
    order = {bits: (2 if bits == INFINITE else -2, 0) if is_infinite(bits) else (0, value(bits)) for bits in (a, b)}
    return order[a] < order[b]


def is_equal(a, b):
    return not is_nan(a) and not is_nan(b) and (a == b or not (a | b) & ~SIGN)


def truth(condition):
    return real(1 if condition else 0)


def floor(a):
    if is_nan(a) or is_infinite(a):
        return a
    return rounded(Fraction(math.floor(value(a))), a & SIGN)


def exponent_of(a):
    return rounded(Fraction((a >> 52) - 1023))


def scaled(a, b):
    return multiply(a, int(value(b)) + 1023 << 52)


OPERATIONS = {  # as kernels/evaluate/exact_operation.h computes them
    "ADD": lambda a, b, c: add(a, b),
    "SUBTRACT": lambda a, b, c: subtract(a, b),
    "MULTIPLY": lambda a, b, c: multiply(a, b),
    "DIVIDE": lambda a, b, c: divide(a, b),
    "ROOT": lambda a, b, c: root(a),
    "FMA": fma,
    "PRODUCT_PLUS": lambda a, b, c: add(multiply(a, b), c),
    "PRODUCT_MINUS": lambda a, b, c: subtract(multiply(a, b), c),
    "MINUS_PRODUCT": lambda a, b, c: subtract(c, multiply(a, b)),
    "SUM_OF_PRODUCTS": lambda a, b, c: add(multiply(a, b), multiply(c, c)),
    "SUM_LESS_FIRST": lambda a, b, c: subtract(add(a, b), a),
    "SUM_IN_ORDER": lambda a, b, c: add(add(a, b), c),
    "QUOTIENT_TIMES": lambda a, b, c: multiply(divide(a, b), b),
    "QUOTIENTS": lambda a, b, c: add(divide(a, c), divide(b, c)),
    "THIRD": lambda a, b, c: divide(a, real(3)),
    "ROOT_SQUARED": lambda a, b, c: multiply(root(a), root(a)),
    "PER_ROOT": lambda a, b, c: divide(a, root(b)),
    "PLUS_ZERO": lambda a, b, c: add(a, 0),
    "ZERO_TIMES": lambda a, b, c: multiply(0, a),
    "ZERO_MINUS": lambda a, b, c: subtract(0, a),
    "LESS_ITSELF": lambda a, b, c: subtract(a, a),
    "NEGATIVE": lambda a, b, c: negative(a),
    "ABSOLUTE": lambda a, b, c: a & ~SIGN,
    "IS_LESS": lambda a, b, c: truth(is_less(a, b)),
    "IS_AT_MOST": lambda a, b, c: truth(is_less(a, b) or is_equal(a, b)),
    "IS_EQUAL": lambda a, b, c: truth(is_equal(a, b)),
    "IS_OTHER": lambda a, b, c: truth(not is_equal(a, b)),
    "IS_NOT_LESS": lambda a, b, c: truth(not is_less(a, b)),
    "IS_FINITE": lambda a, b, c: truth(not is_nan(a) and not is_infinite(a)),
    "LEAST": lambda a, b, c: a if is_less(a, b) else b,
    "MOST": lambda a, b, c: a if is_less(b, a) else b,
    "CHOSEN": lambda a, b, c: b if is_less(a, real(0)) else c,
    "FLOOR": lambda a, b, c: floor(a),
    "TO_COUNT": lambda a, b, c: rounded(Fraction(int(value(a)))),
    "TO_INTEGER": lambda a, b, c: rounded(Fraction(int(value(a)))),
    "EXPONENT": lambda a, b, c: exponent_of(a),
    "SCALED": lambda a, b, c: scaled(a, b),
}


# --- operands -------------------------------------------------------------------------------------

def real(number):
    """Bits of a number that is a double: a whole number or a fraction."""
    bits = rounded(Fraction(number))
    assert value(bits) == number, number
    return bits


def two(power):
    return Fraction(2) ** power


def random_bits(count, low, high):
    """Bits of numbers with exponents of 2 from low to high (a linear congruential generator: the same always)."""
    state, out = 0x1234567, []
    while len(out) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        exponent = low + (state >> 56) % (high - low + 1)
        out.append(exponent + 1023 << 52 | state >> 4 & (1 << 52) - 1 | (SIGN if state >> 3 & 1 else 0))
    return out


def hard_products():
    """Products next to the middle of two doubles, but for the last of their 106 bits."""
    for a in (2 ** 53 - 3, 7205759403792793, 8106479329266893, 7925446522303621):
        found = ((2 ** 52 + rest) * pow(a, -1, 2 ** 53) % 2 ** 53 for k in range(1, 99, 2) for rest in (k, -k))
        for b in [b for b in found if a * b >= 2 ** 105][:2]:
            yield real(a), real(Fraction(b, 2 ** 52))


def hard_quotients():
    """Quotients as close to the middle of two doubles as they come: 2^53 a = (2 n + 1) b +- 1."""
    for b in (2 ** 53 - 1, 2 ** 52 + 3, 6004799503160661, 5404319552844595, 7205759403792793):
        for rest in (1, -1):
            odd = rest * pow(b, -1, 2 ** 53) % 2 ** 53 + 2 ** 53
            a, is_left = divmod(odd * b - rest, 2 ** 53)
            assert is_left == 0
            if a < 2 ** 53 or a % 2 == 0:
                yield real(a), real(b)


def hard_roots():
    """Roots as close to the middle of two doubles as they come: (2 n + 1)^2 = 2^54 a + rest."""
    for rest in (-7, 17, -15, 33, 41, -23):
        odd = 1
        for bit in range(3, 54):  # a root of rest modulo 2^54, bit by bit
            if (odd * odd - rest) % 2 ** (bit + 1):
                odd += 2 ** (bit - 1)
        for odd in (odd, 2 ** 53 - odd, 2 ** 53 + odd, 2 ** 54 - odd):
            a, is_left = divmod(odd * odd - rest, 2 ** 54)
            if not is_left and 2 ** 53 < odd < 2 ** 54 and (a < 2 ** 53 or a % 2 == 0):
                yield real(a)


ONE, TWO, THREE = (real(k) for k in (1, 2, 3))
EPSILON = two(-52)
SMALL = 3 << 50  # 0.75 of the least normal number: subnormal
SPECIAL = (0, SIGN, ONE, negative(ONE), LEAST, negative(LEAST), LARGEST, INFINITE, negative(INFINITE), NAN)
TIES = (  # a + b: a tie; just above one, and by less than wider numbers hold; just below
    (ONE, real(two(-53))), (ONE, real(two(-53) + two(-65))), (ONE, real(two(-53) + two(-105))),
    (ONE, real(two(-53) - two(-106))), (real(1 + EPSILON), real(two(-53))), (negative(ONE), real(-two(-53) - two(-65))),
    (ONE, real(two(-54))), (real(2 ** 53), ONE), (real(2 ** 53 + 2), ONE), (LARGEST, real(two(970))),
    (LARGEST, real(two(969))))
FUSED = (  # fma(a, b, c), and what two roundings, or one of a wider product, give is another
    (real(1 + two(-27)), real(1 - two(-27)), negative(ONE)),
    (real(1 + two(-30)), real(1 + two(-30)), real(-1 - two(-29))),
    (real(1 + EPSILON), real(1 + EPSILON), negative(ONE)), (real(1 + EPSILON), real(two(-53)), ONE),
    (real(1 - EPSILON / 2), real(two(-53)), ONE), (real(1 + two(-27)), real(two(-53) - two(-80)), ONE),
    (real(two(1000)), real(two(24)), real(-two(1023))), (real(Fraction(3, 2)), real(Fraction(3, 2)), real(-2)),
    (rounded(Fraction(1, 10)), real(10), negative(ONE)), (rounded(Fraction(1, 3)), THREE, negative(ONE)))


def fused_rows():
    yield from FUSED
    x = random_bits(30, -20, 20)
    for a, b in zip(x[:8], x[8:16]):
        yield a, b, negative(multiply(a, b))  # what a product leaves out
    yield from zip(x[16:20], x[20:24], x[24:28])


def rows():
    """(operation, a, b, c)"""
    def of(names, *operands):
        return [(name, *(list(row) + [0, 0])[:3]) for name in names.split() for row in operands]
    x = random_bits(24, -3, 3)
    pairs = list(zip(x[:6], x[6:12]))
    out = of("ADD", *TIES) + of("SUBTRACT", *((a, negative(b)) for a, b in TIES))
    out += of("ADD SUBTRACT MULTIPLY DIVIDE", *pairs)
    out += of("MULTIPLY", (real(1 + EPSILON), real(1 + EPSILON)), (real(1 + two(-26)), real(1 + two(-27))),
              (real(2 ** 27 + 1), real(2 ** 26 + 1)), (LARGEST, TWO), (real(two(600)), real(-two(600))),
              (real(94906267), real(94906267)), (real(2 ** 53 - 1), real(1 + EPSILON)), *hard_products())
    out += of("DIVIDE", *hard_quotients(), (ONE, THREE), (real(10), real(-3)), (LARGEST, real(Fraction(1, 2))))
    out += of("ROOT", *((a,) for a in hard_roots()), (TWO,), (THREE,), (real(4),), (LARGEST,), (x[0] & ~SIGN,),
              (x[1] & ~SIGN,), (rounded(Fraction(1, 10)),))
    out += of("FMA PRODUCT_PLUS PRODUCT_MINUS MINUS_PRODUCT", *fused_rows())
    out += of("SUM_OF_PRODUCTS", *((a, b, x[12]) for a, b in pairs),
              (real(1 + two(-30)), real(1 + two(-30)), real(two(-30))))
    out += of("FMA", (real(two(-600)), real(two(-600)), ONE), (INFINITE, 0, ONE), (INFINITE, ONE, negative(INFINITE)),
              (SIGN, ONE, SIGN), (SIGN, ONE, 0), (real(2), LARGEST, negative(INFINITE)))
    # What compilers may not do: other orders, reciprocals, what holds for numbers without rounding.
    out += of("SUM_LESS_FIRST SUM_IN_ORDER", (ONE, real(two(-60)), negative(ONE)), (real(2 ** 53), ONE, ONE),
              (ONE, rounded(Fraction(1, 10)), negative(ONE)))
    out += of("QUOTIENT_TIMES", (ONE, real(49)), (ONE, real(98)), (real(5), real(Fraction(0x1A3C5, 2 ** 12))))
    out += of("QUOTIENTS", *((a, b, c) for (a, b), c in zip(pairs, x[12:18])))
    out += of("THIRD", *((a,) for a in x[:6]), (real(5),), (real(7),))
    out += of("ROOT_SQUARED", (TWO,), (THREE,), (real(5),))
    out += of("PER_ROOT", (ONE, THREE), (real(5), real(7)), (TWO, TWO))
    out += of("PLUS_ZERO ZERO_TIMES ZERO_MINUS LESS_ITSELF NEGATIVE ABSOLUTE IS_FINITE", *((a,) for a in SPECIAL))
    out += of("ADD SUBTRACT MULTIPLY DIVIDE", *((a, b) for a in (0, SIGN, INFINITE, NAN)
                                             for b in (0, SIGN, negative(INFINITE), ONE)))
    out += of("ROOT", (0,), (SIGN,), (INFINITE,), (negative(ONE),), (NAN,))
    out += of("IS_LESS IS_AT_MOST IS_EQUAL IS_OTHER IS_NOT_LESS LEAST MOST",
              (ONE, TWO), (TWO, ONE), (ONE, ONE), (NAN, ONE), (ONE, NAN), (NAN, NAN), (0, SIGN), (SIGN, 0),
              (INFINITE, LARGEST), (negative(INFINITE), INFINITE), (LEAST, 0), (0, LEAST), (negative(LEAST), SIGN))
    out += of("CHOSEN", (negative(ONE), TWO, THREE), (ONE, TWO, THREE), (NAN, TWO, THREE), (SIGN, TWO, THREE),
              (negative(LEAST), TWO, THREE))
    out += of("FLOOR", *((real(a),) for a in (Fraction(5, 2), Fraction(-5, 2), 3, -3, 1 - EPSILON / 2, 2 ** 52 + 1)),
              (SIGN,), (LEAST,), (negative(LEAST),), (INFINITE,))
    out += of("TO_COUNT", (real(Fraction(5, 2)),), (real(2 ** 32 - 1),), (real(2 ** 31),), (0,))
    out += of("TO_INTEGER", (real(Fraction(5, 2)),), (real(Fraction(-5, 2)),), (real(2 ** 31 - 1),), (real(-2 ** 31),))
    out += of("EXPONENT", (ONE,), (LARGEST,), (LEAST_NORMAL,), (rounded(Fraction(1, 10)),))
    out += of("SCALED", (rounded(Fraction(1, 10)), real(-1000)), (x[2], real(1000)), (x[3], real(-7)))
    # Subnormal numbers, as operands and as results, with the rounding that they have.
    out += of("ADD SUBTRACT", (SMALL, LEAST), (LEAST_NORMAL, negative(SMALL)), (LEAST_NORMAL + 5, LEAST_NORMAL),
              (LEAST, SMALL))
    out += of("MULTIPLY", (SMALL, real(two(60))), (real(two(-537)), real(-two(-537))),
              (real(two(-538)), real(two(-537))),
              (real(two(-537) * Fraction(3, 2)), real(two(-537))), (LEAST_NORMAL, real(1 - EPSILON / 2)),
              (real((1 + two(-45)) * two(-537)), real((1 - two(-45)) * two(-537) * Fraction(3, 2))),
              (real(1 + EPSILON), real(two(-1023))), (SMALL + 1, real(Fraction(1, 2))), (LEAST, real(Fraction(-1, 2))))
    out += of("DIVIDE", (LEAST_NORMAL, TWO), (LEAST_NORMAL, THREE), (ONE, LARGEST), (SMALL, real(two(-1000))),
              (SMALL, LEAST),
              (ONE, real(-two(1023))))
    out += of("ROOT", (LEAST,), (SMALL,), (LEAST_NORMAL - 1,))
    out += of("FMA", (real(two(-600)), real(two(-460)), LEAST), (real(two(-537)), real(two(-538)), LEAST),
              (LEAST, real(two(60)), 0), (ONE, SMALL, negative(LEAST_NORMAL)), (LARGEST, LEAST, real(-two(-50))))
    out += of("SCALED", (rounded(Fraction(1, 10)), real(-1022)), (SMALL, real(1000)))
    return list(dict.fromkeys(out))


def text():
    lines = ["// Made by tests/checks/make_arithmetic_table.py: operands, and what IEEE 754 gives.",
             "#include \"arithmetic.h\"", "", "const ArithmeticRow arithmetic_rows[] = {"]
    table = rows()
    for name, a, b, c in table:
        numbers = ", ".join(f"0x{bits:016x}" for bits in (a, b, c, OPERATIONS[name](a, b, c)))
        lines.append(f"    {{EXACT_{name}, {numbers}}},")
    lines += ["};", "", "const size_t arithmetic_row_count = sizeof arithmetic_rows / sizeof *arithmetic_rows;", ""]
    return "\n".join(lines), len(table)


def main():
    for bits in random_bits(2000, -1022, 1023) + random_bits(2000, -2, 2):  # Python's own division rounds as well
        assert rounded(value(bits)) == bits
        assert rounded(value(bits) / 3) & ~SIGN == nearest(abs(value(bits)) / 3)
    made, count = text()
    if "--check" in sys.argv:
        if open(TABLE).read() != made:
            sys.exit(f"{os.path.relpath(TABLE, ROOT)} is another than {os.path.relpath(__file__, ROOT)} makes")
    else:
        with open(TABLE, "w") as out:
            out.write(made)
    print(f"{count} rows")


main()
