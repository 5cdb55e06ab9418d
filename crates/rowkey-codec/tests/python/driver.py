"""Answers the questions of `tests/vectors/program.rs` about the package `rowkeys`, by a manifest, its argument."""

import importlib
import json
import sys
from decimal import Decimal
from ipaddress import ip_address
from uuid import UUID

import rowkeys.runtime as rt
from rowkeys.runtime.floats import f32_bits, f32_of, f64_bits, f64_of


class Key:
    """A generated key: its class, and its values as JSON."""

    def __init__(self, described):
        self.described = described
        self.module = importlib.import_module(f"rowkeys.{described['module']}")
        self.cls = getattr(self.module, described["ident"])
        self.types = described["types"]

    def encode(self, values):
        return self.record(self.cls, self.described["fields"], json.loads(values)).encode().hex()

    def decode(self, hex_):
        return json.dumps(self.fields(self.described["fields"], self.cls.decode(bytes.fromhex(hex_))))

    def ranges(self, leading, condition):
        leading, condition = json.loads(leading), json.loads(condition)
        step = self.cls.prefix()
        fields = self.described["fields"]
        for field, value in zip(fields, leading):
            if field["ident"]:
                step = getattr(step, field["ident"])(self.value(field["type"], value))
        if condition is None:
            found = step.ranges_by_bucket()
        else:
            field = fields[len(leading)]
            ((kind, given),) = condition.items()
            method = getattr(step, f"{field['ident']}_{kind}")
            value = lambda json_: self.value(field["type"], json_)
            if kind == "in":
                selection = method([value(one) for one in given])
            elif kind == "range":
                bounds = {"included": rt.Included, "excluded": rt.Excluded}
                selection = method(*(rt.UNBOUNDED if b is None else bounds[b[0]](value(b[1])) for b in given))
            else:
                selection = method(given if kind in ("under", "within") else value(given))
            found = selection.ranges_by_bucket()
        return json.dumps([[[start.hex(), end if end is None else end.hex()] for start, end in one] for one in found])

    def record(self, cls, fields, values):
        assert len(fields) == len(values)
        return cls(*(self.value(field["type"], value) for field, value in zip(fields, values) if field["ident"]))

    def fields(self, fields, record):
        return [
            self.json(field["type"], getattr(record, field["ident"])) if field["ident"] else [] for field in fields
        ]

    def value(self, type_, given):
        """The value of JSON."""
        if isinstance(type_, str):
            return VALUES[type_](given)
        if "int" in type_:
            return int(given)
        if "option" in type_:
            if given is None:
                return None
            if type_["nested"]:
                return rt.Some(self.value(type_["option"], given[0]))
            return self.value(type_["option"], given)
        if "list" in type_:
            return tuple(self.value(type_["list"], one) for one in given)
        if "tuple" in type_:
            declared = self.types[type_["tuple"]]
            return self.record(getattr(self.module, declared["ident"]), declared["tuple"], given)
        declared = self.types[type_["enum"]]
        tag, values = given
        variant = next(variant for variant in declared["enum"] if variant["tag"] == tag)
        if declared["plain"]:
            return getattr(self.module, declared["ident"])[variant["constant"]]
        return self.record(getattr(self.module, variant["ident"]), variant["fields"], values)

    def json(self, type_, value):
        """The JSON of a value."""
        if isinstance(type_, str):
            return JSON[type_](value)
        if "int" in type_:
            return str(value)
        if "option" in type_:
            if value is None:
                return None
            return [self.json(type_["option"], value.value)] if type_["nested"] else self.json(type_["option"], value)
        if "list" in type_:
            return [self.json(type_["list"], one) for one in value]
        if "tuple" in type_:
            return self.fields(self.types[type_["tuple"]]["tuple"], value)
        declared = self.types[type_["enum"]]
        if declared["plain"]:
            return [value.value, []]
        variant = next(variant for variant in declared["enum"] if variant["tag"] == value.TAG)
        return [value.TAG, self.fields(variant["fields"], value)]


def same(value):
    return value


def plain_decimal(value):
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def turned(bits, size):
    """The number that sorts as a float does, of its IEEE bits; and back."""
    top = 1 << size - 1
    return bits | top if bits < top else bits ^ (1 << size) - 1


def unturned(bits, size):
    top = 1 << size - 1
    return bits ^ top if bits & top else bits ^ (1 << size) - 1


VALUES = {
    "f32": lambda text: f32_of(turned(int(text, 16), 32)),
    "f64": lambda text: f64_of(turned(int(text, 16), 64)),
    "bool": same,
    "char": same,
    "text": same,
    "bytes": bytes.fromhex,
    "uuid": UUID,
    "decimal": Decimal,
    "ip": ip_address,
    "instant": lambda pair: rt.Instant(*map(int, pair)),
    "duration": lambda pair: rt.Duration(*map(int, pair)),
    "digits": same,
    "host_path": same,
    "unit": tuple,
}
JSON = {
    "f32": lambda value: f"{unturned(f32_bits(value), 32):08x}",
    "f64": lambda value: f"{unturned(f64_bits(value), 64):016x}",
    "bool": same,
    "char": same,
    "text": same,
    "bytes": bytes.hex,
    "uuid": lambda value: value.hex,
    "decimal": plain_decimal,
    "ip": str,
    "instant": lambda value: [str(value.seconds), str(value.nanos)],
    "duration": lambda value: [str(value.seconds), str(value.nanos)],
    "digits": same,
    "host_path": same,
    "unit": list,
}


def main():
    with open(sys.argv[1], encoding="utf-8") as manifest:
        keys = [Key(described) for described in json.load(manifest)["keys"]]
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    for line in sys.stdin:
        question, key, *given = line.rstrip("\n").split("\t")
        try:
            print(getattr(keys[int(key)], question)(*given))
        except rt.DecodeError as error:
            print(f"!{error.field}\t{error.offset}\t" + str(error).replace("\n", " "))
        except rt.RowKeyError as error:
            print("!" + str(error).replace("\n", " "))
        except Exception as error:  # A fault of the code, which is no answer.
            print("?" + repr(error).replace("\n", " "))


main()
