"""The text files of the min-max benchmark sets: one header line, then a row of numbers per node.

mTSP: `NAME TYPE DIMENSION SALESMEN` or `NAME TYPE SALESMEN`, rows `id x y`, the first is the depot.
Min-max MDVRP: `NAME CUSTOMERS DEPOTS OLD_BEST`, a row `id x y VEHICLES` per depot, then a row
`id x y DEMAND` per customer; the old best value and the demands play no part in the problem. A line
`EOF` may end either.
"""

from pathlib import Path

import numpy as np

from ...errors import InputError
from ..distance import Distance
from ..instance import Instance
from .source import Options, Source, shown
from .tsplib import KINDS, WORDS, Rows, coordinate_rows, one_word
from .unsupported import FLEET, lose, refuse, remind, rule_to_tell


def is_header(line: str) -> bool:
    """Whether this first line can be that of a file of the literature."""
    words = line.split()
    return len(words) in (3, 4) and (words[1] in KINDS or (len(words) == 4 and words[1].isdecimal()))


def read(source: Source, options: Options) -> Instance:
    """The instance of an mTSP or min-max MDVRP text file."""
    lines = enumerate(source.text().splitlines(), 1)
    rows = [(number, line.split()) for number, line in lines if line.strip()]
    end = next((place for place, (_, words) in enumerate(rows) if words == ["EOF"] and place), len(rows))
    rows = rows[:end]  # some public files end as TSPLIB's do
    first, header = rows[0]
    if not is_header(" ".join(header)):
        raise source.error(
            f"header {shown(' '.join(header))}, expected NAME TYPE [DIMENSION] SALESMEN "
            "or NAME CUSTOMERS DEPOTS OLD_BEST",
            f"line {first}",
        )
    reader = _read_mtsp if header[1] in KINDS else _read_mdvrp
    return reader(source, header, f"line {first}", rows[1:], options)


def _read_mtsp(source: Source, header: list[str], where: str, rows: Rows, options: Options) -> Instance:
    _, points = coordinate_rows(source, rows)
    if len(header) == 4:
        size = source.whole("DIMENSION", header[2], where)
        if size != len(rows):
            source.warn(f"DIMENSION = {size}, but there are {len(rows)} rows: the rows count", where)
    stated = source.whole("SALESMEN", header[-1], where, least=1)
    with source.located():
        return Instance(
            points,
            1 if options.num_depots is None else options.num_depots,
            source.num_vehicles(options, stated),
            kind=KINDS[header[1]],
            name=header[0],
        )


def _read_mdvrp(source: Source, header: list[str], where: str, rows: Rows, options: Options) -> Instance:
    num_customers = source.whole("CUSTOMERS", header[1], where, least=1)
    num_depots = source.whole("DEPOTS", header[2], where, least=1)
    source.number("OLD_BEST", header[3], where)
    if options.num_depots not in (None, num_depots):
        raise source.error(f"num_depots = {options.num_depots}, but the file has {num_depots} depots")
    if len(rows) != num_depots + num_customers:
        raise source.error(
            f"{len(rows)} rows, expected {num_depots} depots and {num_customers} customers as in the header"
        )
    points = []
    for line, words in rows:
        if len(words) < 3:
            raise source.error(f"{len(words)} words, expected: id x y ...", f"line {line}")
        for word in words:
            source.number("entry", word, f"line {line}")
        points.append([float(words[1]), float(words[2])])
    fleet = []
    for line, words in rows[:num_depots]:
        if len(words) != 4:
            raise source.error(f"{len(words)} words, expected: id x y VEHICLES", f"line {line}")
        fleet.append(source.whole("VEHICLES", words[3], f"line {line}"))
    num_vehicles = source.num_vehicles(options, None, fleet)
    caps = np.array(fleet) if num_depots > 1 else None  # a lone depot's number is that of the vehicles
    with source.located():
        return Instance(np.array(points), num_depots, num_vehicles, vehicles_per_depot=caps, name=header[0])


def write(path: Path, instance: Instance) -> str:
    """The text of such a file: mTSP for one depot, MDVRP for several with vehicles at each."""
    lose(path, instance, "names")
    remind(
        path,
        rounded=True if instance.kind is Distance.EUC_2D else None,
        return_to=rule_to_tell(instance),
        max_length=instance.max_length,
    )
    points = instance.coordinates.tolist()
    if instance.num_depots == 1:
        refuse(path, instance, tuple(WORDS), ("pairs", "service", *FLEET))
        header = f"{one_word(instance.name)} {WORDS[instance.kind]} {len(points)} {instance.num_vehicles}"
        return "\n".join([header, *(f"{k} {x} {y}" for k, (x, y) in enumerate(points, 1))]) + "\n"
    refuse(path, instance, (Distance.EUCLIDEAN, Distance.EUC_2D), ("pairs", "service", *FLEET))
    if instance.vehicles_per_depot is None:
        raise InputError(f"{path}: this format cannot hold depots without their vehicles; write .json")
    fleet = instance.vehicles_per_depot.tolist()
    remind(path, vehicles=instance.num_vehicles if instance.num_vehicles != sum(fleet) else None)
    depots = zip(points[: instance.num_depots], fleet, strict=True)
    rows = [f"{k}\t{x}\t{y}\t{vehicles}" for k, ((x, y), vehicles) in enumerate(depots, 1)]
    rows += [f"{k}\t{x}\t{y}\t0" for k, (x, y) in enumerate(points[instance.num_depots :], 1)]
    header = f"{one_word(instance.name)} {instance.num_customers} {instance.num_depots} 0"
    return "\n".join([header, *rows]) + "\n"
