"""Results on disk survive whatever ends the process that writes them."""

from pathlib import Path

import pytest

from minmaxvrp.bench.store import Store, read_measurements
from minmaxvrp.errors import InputError

from .measurements import measurement


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    """Every field, and found again by its key."""
    path = tmp_path / "new folder" / "a.jsonl"
    first, second = measurement(), measurement(index=1, best_known=2.4, proven_optimal=True)
    with Store(path) as store:
        store.append(first)
        store.append(second)
    assert read_measurements(path) == [first, second]
    with Store(path) as store:
        assert store.done == {first.key: first, second.key: second}


def test_each_line_is_complete_on_disk_when_append_returns(tmp_path: Path) -> None:
    """Another reader sees it although the writer is still open."""
    path = tmp_path / "a.jsonl"
    with Store(path) as store:
        store.append(measurement())
        assert read_measurements(path) == [measurement()]


def test_a_torn_last_line_is_cut_off_at_any_place(tmp_path: Path) -> None:
    """A process killed within a write loses that line only, and the next line stands on its own."""
    path = tmp_path / "a.jsonl"
    with Store(path) as store:
        store.append(measurement())
        store.append(measurement(index=1))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole), 37):
        path.write_bytes(whole[:cut])
        assert read_measurements(path) == [measurement()]
        with Store(path) as store:
            assert list(store.done.values()) == [measurement()]
            store.append(measurement(index=2))
        assert read_measurements(path) == [measurement(), measurement(index=2)]


@pytest.mark.parametrize("line", [b"not json\n", b"[1, 2]\n", b'{"suite": "mtsp50"}\n', b"\xff\xfe\n"])
def test_a_file_of_something_else_is_refused_and_not_changed(tmp_path: Path, line: bytes) -> None:
    """The message says which line."""
    path = tmp_path / "a.jsonl"
    with Store(path) as store:
        store.append(measurement())
    content = path.read_bytes() + line
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.jsonl line 2: not a measurement of bench"), Store(path):
        pass
    assert path.read_bytes() == content


def test_two_writers_of_one_file_are_refused(tmp_path: Path) -> None:
    """Their lines would mix."""
    path = tmp_path / "a.jsonl"
    with Store(path), pytest.raises(InputError, match="another bench is writing"), Store(path):
        pass
    with Store(path):
        pass


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A folder has that name."""
    with pytest.raises(InputError, match="cannot be written"), Store(tmp_path):
        pass
