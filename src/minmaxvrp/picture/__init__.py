"""Pictures of instances and solutions; the last step of the walk.

Matplotlib is imported only when a picture is drawn, and always without a display.
"""

from .figure import draw, save
from .palette import route_colours
from .scene import ENDINGS, count_text, picture_format

__all__ = ["ENDINGS", "count_text", "draw", "picture_format", "route_colours", "save"]
