"""Colours of routes, for pictures and for the web page: plain text, no library."""

COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#332288", "#780000", "#5AA5FF"),
    *("#874B5A", "#4B2D4B", "#96C396", "#C30F00", "#8769F0", "#2D3CC3", "#78C3E1", "#5A4B87"),
    *("#A578D2", "#F05A78", "#965A87", "#00691E", "#693C4B", "#87A5D2", "#69C35A", "#A55A5A"),
)
"""Told apart with the common kinds of colour blindness too, as lightness differs besides hue. After the first
six, of Okabe and Ito and of Tol, each was chosen as far as possible from those before it (in OKLab, for
normal sight and three kinds of colour blindness), neither too pale on white nor almost black."""
DARK_INK, LIGHT_INK = "#222222", "#FFFFFF"


def route_colours(count: int) -> list[str]:
    """The colours of `count` routes as #RRGGBB, in their order; from the 25th route on they repeat."""
    return [COLOURS[k % len(COLOURS)] for k in range(count)]


def ink_on(colour: str) -> str:
    """The colour of a text on `colour`: white, or dark where that reads better."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    luminance = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return DARK_INK if luminance > 0.36 else LIGHT_INK
