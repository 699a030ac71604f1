"""The instance and the plan as kernels see them: records of arrays, in search units.

* `distances`: the instance for kernels, and how far two nodes are apart; `prepare` makes it.
* `neighbours`: neighbour lists; `quadrants`: those with neighbours on every side.
* `routes`: the plan as doubly linked routes; `load`: from a solution to it and back.
* `edits`: link and unlink a customer, with a log to undo a step.
* `random_numbers`: a stream of their own for each worker.
"""
