"""A plan as HTML to print: a page per driver with a map and the list of visits; nothing from the network."""

from html import escape

import numpy as np

from ..distance import Floats
from ..instance import Instance
from ..solution import Solution
from .visits import Visit, visits

STYLE = """
body { font: 11pt/1.35 sans-serif; color: #222; max-width: 46em; margin: 1em auto; padding: 0 1em }
section { break-after: page; margin-bottom: 3em } h1 { font-size: 1.3em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; border-bottom: 1px solid #ccc; padding: .25em .5em }
.number { text-align: right; white-space: nowrap } tr { break-inside: avoid }
svg { width: 100%; max-height: 24em; border: 1px solid #ccc }
"""
SIZE = 1000.0
"""Of the map, in units of the SVG."""
ENDS = ("start", "end")
MOST_NUMBERED = 60
"""Stops of a route up to which the map numbers them."""


def text(instance: Instance, solution: Solution) -> str:
    """The text of the page."""
    title = escape(instance.name or "plan")
    pages = "".join(_page(instance, route, title) for route in visits(instance, solution))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n{pages}</body></html>\n"
    )


def _page(instance: Instance, route: list[Visit], title: str) -> str:
    texts = instance.units
    served = any(visit.service for visit in route)
    heads = ["", "stop", "", "leg", *(["service"] if served else [])]
    heads += ["driven so far"] if texts.knows_way else []
    heads.append("time so far" if texts.per_hour else "length so far")
    most = {key: max(getattr(visit, key) for visit in route) for key in ("leg", "service", "way", "length")}
    rows = []
    for visit in route:
        numbers = [
            texts.way_text(visit.way, most["way"]) if texts.knows_way else texts.text(visit.leg, most["leg"])
        ]
        numbers += [texts.text(visit.service, most["service"])] if served else []
        numbers += [texts.way_text(visit.driven, route[-1].driven)] if texts.knows_way else []
        numbers.append(texts.text(visit.length, most["length"]))
        rows.append(
            f'<tr><td class="number">{visit.order or ""}</td><td>{escape(visit.name)}</td>'
            f"<td>{'' if visit.role == 'stop' else visit.role}</td>"
            + "".join(f'<td class="number">{number}</td>' for number in numbers)
            + "</tr>\n"
        )
    stops = sum(visit.role not in ENDS for visit in route)
    return (
        f"<section><h1>{title}: {escape(route[0].title)}</h1>\n"
        f"<p>{stops} stops, {route[-1].so_far(texts)}</p>\n{_map(instance, route)}\n"
        f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead>\n"
        f"<tbody>{''.join(rows)}</tbody></table></section>\n"
    )


def _map(instance: Instance, route: list[Visit]) -> str:
    """The route's line, its stops with their numbers and its depots, as inline SVG; y points up."""
    nodes = np.array([visit.node for visit in route])
    points, height = _scaled(instance.plane[nodes])
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())
    marks = []
    for visit, (x, y) in zip(route, points.tolist(), strict=True):
        if visit.role in ENDS:
            marks.append(f'<rect x="{x - 12:.1f}" y="{y - 12:.1f}" width="24" height="24" fill="#222"/>')
            continue
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="#0072B2"/>')
        if len(route) <= MOST_NUMBERED:
            marks.append(f'<text x="{x + 12:.1f}" y="{y - 10:.1f}" font-size="26">{visit.order}</text>')
    return (
        f'<svg viewBox="-40 -40 {SIZE + 80:.0f} {height + 80:.0f}" role="img" aria-label="map of the route">'
        f'<polyline points="{line}" fill="none" stroke="#0072B2" stroke-width="4"/>{"".join(marks)}</svg>'
    )


def _scaled(points: Floats) -> tuple[Floats, float]:
    """Points in the SVG's units with y downwards, and the height that they take."""
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    largest = float(span.max())
    scaled = (points - low) * (SIZE / largest if largest > 0 else 0.0)
    height = float(scaled[:, 1].max())
    return np.stack([scaled[:, 0], height - scaled[:, 1]], axis=1), max(height, 100.0)
