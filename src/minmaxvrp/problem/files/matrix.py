"""Distance matrices of tables, arrays and routing services: beside an instance, or as one of their own."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from ..multidimensional_scaling import scaled_points
from ..units import Units
from . import npz, routing_json
from . import table as tables
from .json_document import parse
from .source import Options, Source, shown
from .table import Table
from .visits import degrees

Labels = tuple[str, ...] | None


class MatrixFile(NamedTuple):
    """What a file of distances says."""

    matrix: Floats
    labels: Labels = None
    """Of the rows, where it has them."""
    unit: str = ""
    kilometres: Floats | None = None
    """[n, n] beside durations, where it has both."""


def load(source: Source) -> MatrixFile:
    """The matrix [n, n] of a file, with what else it says."""
    if source.path.suffix.lower() in (".npz", ".npy"):
        return MatrixFile(from_arrays(source, npz.load(source)))
    if source.path.suffix.lower() in (".xlsx", ".xlsm"):
        return MatrixFile(*from_table(source, tables.from_xlsx(source)))
    text = source.table_text()
    if text.lstrip().startswith("{"):
        document = parse(source, text)
        return MatrixFile(
            routing_json.matrix(source, document),
            unit=routing_json.unit_of(document),
            kilometres=routing_json.kilometres(source, document),
        )
    return MatrixFile(*from_table(source, tables.from_text(source, text)))


def from_arrays(source: Source, arrays: npz.Arrays) -> Floats:
    """The matrix among arrays: the one called `matrix`, or the only one."""
    name = next(iter(arrays)) if len(arrays) == 1 else "matrix"
    if name not in arrays:
        raise source.error(f"arrays {shown(sorted(arrays))}, expected one called 'matrix'")
    unused = sorted(set(arrays) - {name})
    if unused:
        source.warn(f"array {', '.join(shown(key) for key in unused[:10])}: not used")
    return _checked(source, npz.floats(source, name, arrays[name]))


def from_table(source: Source, table: Table) -> tuple[Floats, Labels]:
    """The matrix in rows of cells; a row and a column of labels may come first."""
    rows = [row[:-1] if len(row) > 1 and not row[-1].strip() else row for row in table.rows]
    if not rows:
        raise source.error("no stops and no distances in the file")
    width = max(len(row) for row in rows)
    square = len(rows) == width
    top = len(rows) == width + 1 or (square and not all(_is_number(table.plain(cell)) for cell in rows[0]))
    side = len(rows) - top < width
    names = [cell.strip() for cell in rows[0][-(width - side) :]] if top else []
    if side:
        labels = [row[0].strip() for row in rows[top:]]
        if top and names != labels:
            raise source.error("the labels of the rows are not those of the columns")
        names = labels
    values = []
    for number, row in enumerate(rows[top:], int(top)):
        where = table.where(number)
        if len(row) != width:
            raise source.error(f"{len(row)} cells, expected {width}", where)
        values.append([source.number("distance", table.plain(cell), where) for cell in row[side:]])
    matrix = np.array(values, dtype=np.float64).reshape(len(values), -1)
    return _checked(source, matrix), tuple(names) if names else None


def alone(source: Source, matrix: Floats, labels: Labels, options: Options) -> Instance:
    """An instance of a matrix only: the first rows are the depots, the points a layout for pictures."""
    with source.located():
        return Instance(
            scaled_points(matrix),
            1 if options.num_depots is None else options.num_depots,
            source.num_vehicles(options, None),
            kind=Distance.MATRIX,
            matrix=matrix,
            names=labels,
            unit=options.unit,
            speed=options.speed,
        )


def combine(instance: Instance, source: Source, file: MatrixFile, units: Units) -> Instance:
    """`instance` with the distances of a matrix file, whose labels, if any, must be its names."""
    matrix, labels = file.matrix, file.labels
    with source.located():
        if labels is not None and instance.names is not None and labels != instance.names:
            if sorted(labels) != sorted(instance.names):
                raise source.error("the labels of the matrix are not the names of the stops")
            place = {label: k for k, label in enumerate(labels)}
            order = [place[name] for name in instance.names]
            matrix = matrix[np.ix_(order, order)]
        # lat, lon would be read as x, y from here on, so the points are replaced by their map
        return replace(
            instance,
            coordinates=instance.plane,
            kind=Distance.MATRIX,
            matrix=matrix,
            latlon=degrees(instance),
            unit=units.unit,
            speed=units.speed,
            kilometres=file.kilometres,
        )


def _checked(source: Source, matrix: Floats) -> Floats:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise source.error(f"a matrix of shape {matrix.shape}, expected as many rows as columns")
    wrong = np.argwhere(~np.isfinite(matrix) | (matrix < 0))
    if len(wrong):
        row, column = wrong[0].tolist()
        value = matrix[row, column]
        raise source.error(f"matrix row {row} column {column} = {value:g}, expected a distance of 0 or more")
    return matrix


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
