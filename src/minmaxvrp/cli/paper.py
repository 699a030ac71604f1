"""`minmaxvrp paper`: the tables and figures of the DPN paper, listed, made, and written as a page."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .bench_progress import bench_bar
from .inputs import Json
from .messages import say

if TYPE_CHECKING:
    from ..bench.paper.catalogue import Item
    from ..bench.paper.runs import ResultsPlace

PAGE = "page"
"""Besides the items: write the page."""


def run(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[ITEM]", help="Such as table1; `page` writes the page; none: list."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small sample, minutes instead of hours.")] = False,
    method: Annotated[
        str | None,
        typer.Option("--method", help="Only these methods (or variants), such as policy or lkh,hga."),
    ] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", help="Only these suites, such as mtsp50 or mtsp50,mtsp100.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", help="Instances of each suite and number of vehicles.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="The one budget per instance, in CPU seconds.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", help="CPU minutes of training for each network.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder where results are kept.")] = Path("runs/paper"),
    data: Annotated[
        Path, typer.Option("--data", help="Folder with the public instances: mtsp_set1, mtsp_lib.")
    ] = Path("../shared/data"),
    committed: Annotated[
        Path, typer.Option("--committed", help="Folder of committed results of bench, rows of the tables.")
    ] = Path("benchmarks/results"),
    page: Annotated[Path, typer.Option("--page", help="The page that `paper page` writes.")] = Path(
        "docs/paper.md"
    ),
    as_json: Json = False,
) -> None:
    """Make a table or figure of the DPN paper with our rows beside the published ones.

    Results are kept as they come; the same command goes on where it was interrupted.
    """
    if name is None:
        _list(as_json)
        return
    from ..bench.paper.catalogue import find_item
    from ..bench.paper.runs import ResultsPlace

    place = ResultsPlace(out, data, bench_bar, say, committed)
    if name == PAGE:
        _write_page(place, page, as_json)
        return
    from ..bench.paper.make import make
    from ..bench.paper.narrowing import Narrowing, narrowed

    part = Narrowing(_names(method), _names(suite), limit, seconds, minutes)
    item = narrowed(find_item(name, quick), part)
    if not quick and not item.options and item.minutes > 60:
        say(f"{name}: about {item.minutes / 60:.1f} hours on one core; --quick takes a small sample")
    text = make(item, place)
    typer.echo(json.dumps(_made(item, place, text)) if as_json else text)
    say(f"{name}: results in {place.folder}; `minmaxvrp paper page` writes {page}")


def _names(text: str | None) -> tuple[str, ...]:
    """Those of a list with commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _made(item: "Item", place: "ResultsPlace", text: str) -> dict[str, object]:
    """What `--json` prints of an item: its measurements without their traces, and the Markdown."""
    from ..bench.paper.table_rows import kept

    rows = [asdict(m) for m in kept(item, place)]
    found = [{key: value for key, value in row.items() if key != "trace"} for row in rows]
    return {"item": item.name, "command": item.command, "measurements": found, "markdown": text}


def _list(as_json: bool) -> None:
    from ..bench.paper.catalogue import find_item, items
    from ..bench.paper.page import duration

    pairs = [(item, find_item(item.name, quick=True)) for item in items()]
    if as_json:
        entries = [
            {
                "item": item.name,
                "command": item.command,
                "paper": item.paper,
                "about": item.about,
                "minutes": item.minutes,
                "quick_minutes": quick.minutes,
            }
            for item, quick in pairs
        ]
        typer.echo(json.dumps({"items": entries}))
        return
    from rich.console import Console
    from rich.table import Column, Table

    table = Table(Column("minmaxvrp paper", no_wrap=True), "in the paper", "what", "one core", "--quick")
    for item, quick in pairs:
        table.add_row(item.name, item.paper, item.about, duration(item), duration(quick))
    Console().print(table)


def _write_page(place: "ResultsPlace", page: Path, as_json: bool) -> None:
    from ..bench.paper.page import write_page

    shown = write_page(place, page)
    if as_json:
        typer.echo(json.dumps({"page": str(page), "items": shown}))
    say(f"{page}: written, with results of {', '.join(shown) or 'no item yet'}")
