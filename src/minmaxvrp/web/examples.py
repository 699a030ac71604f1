"""Instances to try on the page: three towns that come with the package, and random ones."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..problem import files
from ..problem.generate import instances
from ..problem.instance import Instance

FOLDER = Path(__file__).parent / "examples"


@dataclass(frozen=True, slots=True)
class Example:
    """A file with a number of vehicles, or a random instance of a problem and size."""

    title: str
    vehicles: int
    file: str = ""
    problem: str = ""
    size: int = 0

    def instance(self) -> Instance:
        """The instance itself."""
        if self.file:
            return files.read(FOLDER / self.file, vehicles=self.vehicles)
        return instances(self.problem, self.size, self.vehicles, seed=1)[0]


EXAMPLES = {
    "city": Example("Town: 72 stops, 5 vehicles", 5, file="city.csv"),
    "courier": Example("Couriers: 16 pickups and deliveries, 3 vehicles", 3, file="courier.csv"),
    "depots": Example("Three depots: 72 stops, 7 vehicles", 7, file="three_depots.csv"),
    "random-200": Example("200 random stops, 6 vehicles", 6, problem="mtsp", size=201),
    "random-1000": Example("1,000 random stops, 12 vehicles", 12, problem="mtsp", size=1001),
    "any-depot": Example("100 random stops, return to any depot", 6, problem="fmdvrp", size=100),
}


def titles() -> list[dict[str, Any]]:
    """Name, title and number of vehicles of each."""
    return [
        {"name": name, "title": example.title, "vehicles": example.vehicles}
        for name, example in EXAMPLES.items()
    ]
