"""What is asked: instances, solutions, the checker, the bounds, files. numpy only."""
