"""Pictures of instances and solutions; the last step of the walk.

Matplotlib is imported only when a picture is drawn, and always without a display.
"""

from .figure import draw, save
from .palette import route_colours
from .scene import ENDINGS, count_text, length_text, picture_format, unit

__all__ = ["ENDINGS", "count_text", "draw", "length_text", "picture_format", "route_colours", "save", "unit"]
