"""Makes the example files: an invented harbour town, always the same one.

    python examples/make_city.py

`city.csv` has one depot, `courier.csv` pickups with their deliveries, `three_depots.csv` three depots with
their vehicles, `drivers.csv` drivers who start at home. The town lies in the open sea, so it is nobody's;
its stops are on streets: main roads from the market square, two ring roads and a promenade along the coast.
"""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ORIGIN = (55.2, 3.8)  # latitude and longitude of the market square
KM_PER_DEGREE = 111.195

DISTRICTS = {  # kilometres east and north of the market square, spread, stops
    "Old Town": (0.1, 0.1, 0.45, 12),
    "Harbour": (0.6, -1.2, 0.45, 9),
    "North Gate": (-0.4, 2.1, 0.5, 9),
    "Mill": (-2.2, 0.9, 0.5, 7),
    "University": (2.1, 1.4, 0.55, 9),
    "Station": (-1.5, -0.6, 0.4, 7),
    "Lighthouse": (3.5, -1.1, 0.4, 5),
    "Orchard": (1.1, 3.6, 0.5, 5),
    "Elm Farm": (-3.9, 2.6, 0.35, 4),
    "Sandy Cove": (-3.6, -1.5, 0.4, 5),
}
KINDS = (
    *("Bakery", "School", "Pharmacy", "Library", "Market", "Clinic", "Café", "Post Office", "Grocer"),
    *("Florist", "Bookshop", "Hotel", "Museum", "Theatre", "Workshop", "Bank"),
)
STREETS = (
    *("Quay Street", "Ropemaker Lane", "Bridge Road", "Lantern Street", "Chapel Hill", "Willow Walk"),
    *("Anchor Lane", "Tannery Row", "Garden Street", "Fishmonger Alley", "Windmill Road", "Station Road"),
)

Points = NDArray[np.float64]


def streets() -> list[Points]:
    """The town's streets as lines of points, in kilometres."""
    along = np.linspace(0.0, 1.0, 200)
    lines = []
    for degrees, reach in ((8, 4.0), (52, 4.6), (88, 4.4), (128, 3.4), (150, 5.0), (200, 4.2), (330, 2.2)):
        angle = np.radians(degrees) + 0.25 * np.sin(2.5 * along)  # main roads bend a little
        lines.append(reach * along[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    for radius, first, last in ((0.7, 0, 360), (1.9, -25, 215), (3.2, -15, 170)):
        angle = np.radians(first + (last - first) * along)
        lines.append(radius * np.stack([1.1 * np.cos(angle), np.sin(angle)], axis=1))
    lines.append(np.stack([-4.2 + 8.4 * along, coast(-4.2 + 8.4 * along) + 0.25], axis=1))
    return lines


def coast(east: Points) -> Points:
    """How far north the coast lies: a bay in the middle is the harbour."""
    return np.asarray(-1.9 + 0.25 * np.sin(1.3 * east) + 0.5 * np.exp(-((east - 0.4) ** 2)))


def place(rng: np.random.Generator, east: float, north: float, spread: float, count: int) -> Points:
    """Places on streets near a point, not too close to one another: [count, 2] in kilometres."""
    roads = np.concatenate(streets())
    found: list[Points] = []
    while len(found) < count:
        point = np.array([east, north]) + spread * rng.standard_normal(2)
        road = roads[np.argmin(np.linalg.norm(roads - point, axis=1))]
        spot = road + 0.35 * (point - road) + 0.03 * rng.standard_normal(2)
        if spot[1] > coast(spot[:1])[0] and all(np.linalg.norm(spot - other) > 0.12 for other in found):
            found.append(spot)
    return np.array(found)


def degrees(point: Points) -> list[str]:
    """Latitude and longitude of a place, five decimals (one metre)."""
    latitude = ORIGIN[0] + point[1] / KM_PER_DEGREE
    longitude = ORIGIN[1] + point[0] / KM_PER_DEGREE / np.cos(np.radians(ORIGIN[0]))
    return [f"{latitude:.5f}", f"{longitude:.5f}"]


def stops(rng: np.random.Generator) -> list[list[str]]:
    """Name, role, latitude, longitude of the shops and schools of every district."""
    rows = []
    for district, (east, north, spread, count) in DISTRICTS.items():
        kinds = rng.permutation(KINDS)[:count]
        for kind, point in zip(kinds, place(rng, east, north, spread, count), strict=True):
            rows.append([f"{district} {kind}", "customer", *degrees(point)])
    return rows


def orders(rng: np.random.Generator, count: int) -> list[list[str]]:
    """Name, role, pair, latitude, longitude: from shops in the town to addresses all over it."""
    homes = place(rng, 0.0, 0.8, 1.7, count)
    sellers = [(district, kind) for district in ("Old Town", "Harbour", "Station") for kind in KINDS]
    rows = []
    for number, seller in enumerate(rng.permutation(len(sellers))[:count], 1):
        district, kind = sellers[seller]
        east, north, spread, _ = DISTRICTS[district]
        shop = place(rng, east, north, spread, 1)[0]
        address = f"{2 * number + 1} {STREETS[number % len(STREETS)]}"
        rows.append([f"{district} {kind}", "pickup", str(number), *degrees(shop)])
        rows.append([address, "delivery", str(number), *degrees(homes[number - 1])])
    return rows


def write(path: Path, header: str, rows: list[list[str]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, lineterminator="\n").writerows([header.split(","), *rows])


def main(folder: Path) -> None:
    """Write the four examples into a folder."""
    rng = np.random.default_rng(2026)
    town = stops(rng)
    depot = degrees(np.array([-1.0, 0.35]))
    write(folder / "city.csv", "name,role,lat,lon", [["Town Depot", "depot", *depot], *town])
    couriers = orders(rng, 16)
    write(
        folder / "courier.csv",
        "name,role,pair,lat,lon",
        [["Courier House", "depot", "", *degrees(np.array([0.0, 0.0]))], *couriers],
    )
    depots = {"West Depot": (-3.0, 0.6, 2), "North Depot": (0.6, 2.9, 2), "Harbour Depot": (1.6, -1.1, 3)}
    rows = [[n, "depot", str(v), *degrees(np.array([x, y]))] for n, (x, y, v) in depots.items()]
    write(
        folder / "three_depots.csv",
        "name,role,vehicles,lat,lon",
        rows + [[name, role, "", *spot] for name, role, *spot in town],
    )
    homes = {
        "Anna": (-2.2, 1.4, "Depot", ""),
        "Ben": (1.9, -0.4, "Depot", "6"),
        "Cleo": (0.8, 2.3, "nowhere", ""),
    }
    drivers = [
        [n, "vehicle", *degrees(np.array([x, y])), "", end, done] for n, (x, y, end, done) in homes.items()
    ]
    some = [[*row, "", "", ""] for row in town[::3]]
    some[1][4], some[4][4] = "Anna", "Ben|Cleo"
    write(
        folder / "drivers.csv",
        "name,role,lat,lon,vehicles,end,done",
        [["Depot", "depot", *depot, "", "", ""], *drivers, *some],
    )


if __name__ == "__main__":
    main(Path(__file__).resolve().parent)
