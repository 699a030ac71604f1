"""JIT: everything that bends numba, in one place; a leaf that imports nothing of the package.

`policy` and `search` decorate their kernels with what is exported here and know no more of numba. With plain
numba the answers are the same; what is here makes the first use shorter and the code faster:

* `decorators`: `njit` with the settings of this package; for programs of many kernels `entry` (Python calls
  it, kept on disk), `kernel` (kernels call it) and `inlined` (compiled into its callers).
* `cache`: where machine code is kept. The folder's name carries a fingerprint of the sources, because numba
  notices a change of an entry's own file only, not of the kernels that it calls.
* `background`: compiles in another process, so that this one can do something else meanwhile. That process
  alone changes how numba works:
    * `whole_program`: an entry and its kernels become one program, optimised once instead of once per kernel;
    * `by_address`: kernels pass named tuples by address instead of as some two hundred separate numbers;
    * `call_types`: what an operator means for given types is found once, not at every place it is written;
    * `wraparound`: an index below 0 does not count from the end, so nothing asks whether it is.
* `simd`: a vector of sixteen float32 numbers with its operations, for the kernels of `policy`.
* `versions`: what `background` changes rests on numba's inner workings and is switched on only for the
  versions it was tested with (0.68). Any other version, or MINMAXVRP_PLAIN_NUMBA=1, uses plain numba;
  another version is announced by one warning. `tests/search/test_bounds.py` compiles both ways and compares
  the answers.
"""

from .cache import cache_folder, load_array_functions, use_cache
from .decorators import entry, inlined, kernel, njit

__all__ = ["cache_folder", "entry", "inlined", "kernel", "njit"]

use_cache()
load_array_functions()
