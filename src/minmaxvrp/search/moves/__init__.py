"""Local search operators, one per file: `evaluate` predicts route lengths, `apply` makes the move."""
