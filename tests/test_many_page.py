"""The page on many instances: its script runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "many.md"


def test_the_script_of_the_page_runs(tmp_path: Path) -> None:
    """As a script of its own, for its workers load it once more: a line for each of its four instances."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert sorted(line[0] for line in lines) == ["0", "1", "2", "3"]
    assert all(float(makespan) > 0 for _, makespan, _ in lines)
