"""Plans to start from.

* `construct`: a greedy plan for any instance, in a moment.
* `tour_start`: the best of several plans where routes are long. It tries a tour cut into routes (`split`, or
  `depot_start` with several depots), wedges (`sweep_start`), and plans of `coarse` instances.
"""
