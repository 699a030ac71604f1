"""Headings and roles of tables of stops in several languages, as the words that `stops_csv` knows.

Capitals do not matter. The first heading of a list that a table has is taken; others stay unused.
"""

from collections.abc import Mapping, Sequence

from .source import Source, shown

MINUTES = ("minutes", "minuten", "minuti", "service (min)", "service_min")
"""Headings of service that say its unit."""
HEADINGS: dict[str, tuple[str, ...]] = {
    "name": (
        *("name", "kunde", "kundenname", "customer", "client", "cliente", "klant", "nom", "nombre", "nome"),
        *(
            "stop",
            "stopp",
            "bezeichnung",
            "standort",
            "label",
            "adresse",
            "address",
            "dirección",
            "direccion",
        ),
        *("indirizzo", "adres", "ort", "id"),
    ),
    "role": ("role", "rolle", "rôle", "rol", "ruolo"),
    "x": ("x",),
    "y": ("y",),
    "lat": (
        *("lat", "latitude", "breite", "breitengrad", "geogr. breite", "geo_lat", "gps_lat"),
        *("latitud", "latitudine", "breedtegraad"),
    ),
    "lon": (
        *("lon", "lng", "long", "longitude", "länge", "laenge", "längengrad", "laengengrad", "geogr. länge"),
        *("geo_lon", "geo_lng", "gps_lon", "gps_lng", "longitud", "longitudine", "lengtegraad"),
    ),
    "pair": ("pair", "paar", "paire"),
    "service": (
        *("service", "service_time", "service time", "servicezeit", *MINUTES, "dauer", "aufenthalt"),
    ),
    "service_length": ("service_length",),
    "vehicles": ("vehicles", "fahrzeuge", "véhicules", "vehicules", "vehículos", "vehiculos", "voertuigen"),
    "end": ("end", "ende", "fin", "fine"),
    "speed": ("speed", "geschwindigkeit", "vitesse", "velocidad", "velocità", "snelheid"),
    "done": ("done", "erledigt", "fait", "hecho", "fatto", "gedaan"),
}
ROLES: dict[str, str] = {
    **dict.fromkeys(("depot", "dépôt", "depôt", "lager", "warehouse", "almacén", "deposito"), "depot"),
    **dict.fromkeys(("customer", "kunde", "client", "cliente", "klant", "stop", "stopp"), "customer"),
    **dict.fromkeys(("pickup", "abholung", "enlèvement", "recogida", "ritiro"), "pickup"),
    **dict.fromkeys(("delivery", "lieferung", "zustellung", "livraison", "entrega", "consegna"), "delivery"),
    **dict.fromkeys(("vehicle", "fahrzeug", "véhicule", "vehículo", "veicolo", "voertuig"), "vehicle"),
    **dict.fromkeys(("driver", "fahrer", "robot", "van", "truck"), "vehicle"),
}


def normal(cell: str) -> str:
    """A heading or role without capitals and outer spaces."""
    return " ".join(cell.casefold().split())


def recognise(source: Source, cells: Sequence[str], given: Mapping[str, str]) -> dict[str, int]:
    """The place of each column that a table of stops has; `given` says its heading where it is another.

    Raises `InputError` for a heading in `given` that is not there, and for one that is there twice.
    """
    headings = [normal(cell) for cell in cells]
    found: dict[str, int] = {}
    for column, words in HEADINGS.items():
        if column in given:
            words = (normal(given[column]),)
            if words[0] not in headings:
                got = ", ".join(shown(cell.strip()) for cell in cells[:20])
                raise source.error(f"no column {shown(given[column])} for {column}, got {got}")
        word = next((word for word in words if word in headings), None)
        if word is None:
            continue
        if headings.count(word) > 1:
            raise source.error(f"column {shown(word)} appears twice", "line 1")
        found[column] = headings.index(word)
    return found
