"""Whether two instances ask the same question, for tests that write and read files."""

import numpy as np

from minmaxvrp.problem.instance import Instance


def assert_same(found: Instance, expected: Instance, on_map: bool = False) -> None:
    """Fail unless every field is equal; pairs may come in any order.

    `on_map` compares points by where they are: 44.96 and 45.36 are the same in degrees.minutes.
    """
    if on_map:
        np.testing.assert_allclose(found.plane, expected.plane, rtol=1e-12)
    else:
        np.testing.assert_array_equal(found.coordinates, expected.coordinates)
    assert found.num_depots == expected.num_depots
    assert found.num_vehicles == expected.num_vehicles
    assert sorted(found.pairs.tolist()) == sorted(expected.pairs.tolist())
    assert found.return_to == expected.return_to
    assert found.kind is expected.kind
    for key in ("matrix", "vehicles_per_depot", "service", "kilometres"):
        one, other = getattr(found, key), getattr(expected, key)
        assert (one is None) == (other is None), key
        if one is not None:
            np.testing.assert_array_equal(one, other, err_msg=key)
    assert found.names == expected.names
    assert (found.fleet, found.allowed) == (expected.fleet, expected.allowed)
    assert found.max_length == expected.max_length
