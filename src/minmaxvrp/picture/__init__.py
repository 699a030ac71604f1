"""Pictures of instances and solutions; the last step of the walk.

Matplotlib is imported only when a picture is drawn, and always without a display.
"""

from .draw import draw, save
from .scene import ENDINGS, length_text, picture_format, unit

__all__ = ["ENDINGS", "draw", "length_text", "picture_format", "save", "unit"]
