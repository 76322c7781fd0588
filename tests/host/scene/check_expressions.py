"""Values of expressions against Python's eval. Argument: a table of "a b c value expression"."""
import ast
import math
import sys

names = {name: getattr(math, name) for name in
         "sqrt sin cos tan asin acos atan atan2 exp log pi".split()}
names.update(abs=abs, min=min, max=max, floor=lambda x: float(math.floor(x)), ceil=lambda x: float(math.ceil(x)))


class Powers(ast.NodeTransformer):
    """Powers by a function: Python's own go on with complex numbers, which differ from every real one. `and`, `or` by
    functions, too, to which all operands are known: Python's own leave out what does not matter. What is true or false
    as a float, which has a negative zero.
    """

    def as_float(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("float", ast.Load()), [node], [])

    visit_Compare = as_float

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return self.as_float(node)
        self.generic_visit(node)
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        name = "all_of" if isinstance(node.op, ast.And) else "any_of"
        return ast.Call(ast.Name(name, ast.Load()), [ast.Tuple(node.values, ast.Load())], [])

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        return ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])


def power(a, b):
    value = a ** b
    if isinstance(value, complex):
        raise ValueError
    return value


names.update(power=power, float=float)
names.update(all_of=lambda v: float(all(v)), any_of=lambda v: float(any(v)))
failures = rows = finite = 0
for line in open(sys.argv[1]):
    a, b, c, value, text = line.split(maxsplit=4)
    value, rows = float(value), rows + 1
    try:
        tree = ast.fix_missing_locations(Powers().visit(ast.parse(text.replace("^", "**").strip(), mode="eval")))
        expected = eval(compile(tree, "text", "eval"), {}, dict(names, a=float(a), b=float(b), c=float(c)))
    except (ValueError, ZeroDivisionError, OverflowError):
        continue  # Python raises where C gives NaN or infinity
    finite += 1
    # Python calls the same C library: a few roundings of pow at most.
    if not (value == expected or abs(value - expected) <= 1e-14 * abs(expected)):
        if math.isnan(value) and math.isnan(expected):
            continue
        failures += 1
        print(f"{text} at {a} {b} {c}: {value!r}, expected {expected!r}")
print(f"{rows} values, {finite} compared, {failures} different")
sys.exit(1 if failures or not finite > rows // 2 else 0)
