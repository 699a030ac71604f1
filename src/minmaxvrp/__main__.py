"""`python -m minmaxvrp`: the command line."""

from .cli import main

main()
