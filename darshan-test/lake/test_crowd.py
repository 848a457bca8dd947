"""Many clients of `darshan serve` at once: no client is dropped, and requests for pages that need
little time do not wait for those that need much."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.commit.prune import Which, prune
from darshan_report.lake.serve import server as serving
from darshan_report.lake.serve.kept_pages import KeptPages
from darshan_report.lake.serve.request import Refused, Wanted
from darshan_report.lake.serve.server import Server, Site
from darshan_report.lake.serve.turns import Turns

from .conftest import SECONDS
from .test_digest import collected, week_of_logs
from .test_serve import ask, shown

HEAVY, HONEST = 40, 50
PAGES = ("programs", "users", "jobs", "file-systems", "week")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake with jobs of two weeks. Returns the lake's path."""
    top = tmp_path_factory.mktemp("crowd")
    collected(top / "lake", week_of_logs(top))
    return top / "lake"


class Held(Site):
    """A site that finishes a page for a mount point only after the test has set `go`. made: the
    names of the pages that it computed."""

    def __init__(self, lake: Asked) -> None:
        super().__init__(lake, "test")
        self.go = threading.Event()
        self.made: list[str] = []

    def _made(self, asked: Wanted) -> str:
        if asked.filters.mount is not None:
            assert self.go.wait(SECONDS)
        self.made.append(asked.page)
        return super()._made(asked)


@contextmanager
def served(site: Site) -> Iterator[int]:
    """Serves a site by threads of this process; yields the port."""
    with Server("127.0.0.1", 0, site, remote=False) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def until(true: Callable[[], bool]) -> None:
    """Waits for a condition that other threads make true; raises AssertionError after about
    SECONDS."""
    for _ in range(SECONDS * 100):
        if true():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not happen")


def test_known_pages_never_wait(lake: Path) -> None:
    """While 40 clients wait for pages that need much time, 50 others get pages that were computed
    before; then the 40 get theirs."""
    with Asked(lake) as asked:
        site = Held(asked)
        site._turns = Turns(longest=SECONDS * HEAVY)
        with served(site) as port, ThreadPoolExecutor(HEAVY + HONEST) as pool:
            for page in PAGES:
                assert ask(port, f"/{page}")[0].status == 200
            heavy = [pool.submit(ask, port, f"/jobs?mount=/{n}") for n in range(HEAVY)]
            until(lambda: site._turns.waiting == HEAVY - 1)
            honest = [pool.submit(ask, port, f"/{PAGES[n % 5]}") for n in range(HONEST)]
            assert [one.result()[0].status for one in honest] == [200] * HONEST
            assert not any(one.done() for one in heavy) and len(site.made) == len(PAGES)
            site.go.set()
            assert [one.result()[0].status for one in heavy] == [200] * HEAVY


def test_a_page_is_made_once(lake: Path) -> None:
    """Clients that request the same page at the same time get it from one computation."""
    with Asked(lake) as asked:
        site = Held(asked)
        with served(site) as port, ThreadPoolExecutor(HONEST) as pool:
            some = [pool.submit(ask, port, "/users?mount=/scratch") for _ in range(HONEST)]
            until(lambda: site._turns.waiting == HONEST - 1)
            site.go.set()
            texts = {one.result()[1] for one in some}
        assert len(texts) == 1 and site.made == ["users"]


def test_whoever_is_too_much_is_told_when_to_come_back(lake: Path) -> None:
    """If the queue is full, a client gets the status 503 with Retry-After, not a closed
    connection."""
    with Asked(lake) as asked:
        site = Held(asked)
        site._turns = Turns(most=2)
        with served(site) as port, ThreadPoolExecutor(8) as pool:
            heavy = [pool.submit(ask, port, f"/jobs?mount=/{n}") for n in range(3)]
            until(lambda: site._turns.waiting == 2)
            reply, text = ask(port, "/users?user=jane")
            assert (reply.status, reply.headers["Retry-After"]) == (503, "2")
            assert text.count("\n") == 1
            site.go.set()
            assert [one.result()[0].status for one in heavy] == [200] * 3
            assert ask(port, "/users?user=jane")[0].status == 200


def test_a_new_commit_ends_what_is_kept(tmp_path: Path) -> None:
    """After a user was removed from the lake, a stored page is computed again, without this
    user."""
    lake = tmp_path / "lake"
    collected(lake, week_of_logs(tmp_path))
    with Asked(lake) as asked:
        site = Held(asked)
        assert "user1" in shown(site, "users") and shown(site, "users")
        assert site.made == ["users"]
        assert prune(str(lake), Which(user="user1")).rows
        assert "user1" not in shown(site, "users") and site.made == ["users"] * 2


def test_a_commit_that_was_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that had no requests for long finds the newest version of the lake, although the
    commits after the one that it knows were removed."""
    monkeypatch.setattr(serving, "_LOOK", -1.0)
    lake = tmp_path / "lake"
    logs = week_of_logs(tmp_path)
    collected(lake, logs[:2])
    with Asked(lake) as asked:
        site = Held(asked)
        shown(site, "users")
        collected(lake, logs[2:])
        with Asked(lake) as other:
            other._snapshot.write_state()
            number = other.commit
        for commit in range(1, number + 1):
            (lake / "_commits" / f"{commit:012}.json").unlink()
        assert asked.is_newest() and not asked.is_newest(look=True)
        shown(site, "users")
        assert site.made == ["users"] * 2


class Queue:
    """The queue of requests with a clock that the test sets, in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.turns = Turns(clock=lambda: self.now)
        self.order: list[str] = []
        self._threads: list[threading.Thread] = []

    def used(self, client: str, kind: str, seconds: float) -> None:
        """Notes that a page of this kind took this many seconds for this client."""
        with self.turns.turn(client, kind):
            self.now += seconds

    def wants(self, client: str, kind: str) -> None:
        """Starts a thread for a request of a client, which waits in the queue for a page of this
        kind; returns when it waits."""
        before = self.turns.waiting

        def wait() -> None:
            with self.turns.turn(client, kind):
                self.order.append(f"{client} {kind}")

        self._threads.append(threading.Thread(target=wait))
        self._threads[-1].start()
        until(lambda: self.turns.waiting == before + 1)

    def end(self) -> list[str]:
        """Waits for all requests; returns "CLIENT KIND" of each in the order in which they were
        answered."""
        for thread in self._threads:
            thread.join()
        return self.order


def test_cheap_pages_come_first() -> None:
    """One client's requests that need little time are answered first, even if they came last. Among
    clients, the one that has used the least time comes first."""
    queue = Queue()
    queue.used("crowd", "costly", 0.8)
    queue.used("crowd", "cheap", 0.01)
    queue.now += 3600  # what was used then does not count any more
    queue.used("crowd", "costly", 0.8)
    with queue.turns.turn("first", "costly"):
        for _ in range(5):
            queue.wants("crowd", "costly")
        queue.wants("crowd", "cheap")
        queue.wants("jane", "costly")
    assert queue.end() == ["jane costly", "crowd cheap", *["crowd costly"] * 5]


def test_a_costly_page_has_its_turn() -> None:
    """A request that needs much time and has waited long is answered before a later request that
    needs little time."""
    queue = Queue()
    queue.used("a", "costly", 0.15)
    queue.used("a", "cheap", 0.01)
    with queue.turns.turn("b", "cheap"):
        queue.now += 3600
        queue.wants("a", "costly")
        queue.now += 18  # seconds, of the twenty that a request waits
        queue.wants("a", "cheap")
    assert queue.end() == ["a costly", "a cheap"]


def test_who_waits_too_long_is_refused() -> None:
    """A request that waits longer than the limit is refused with status 503, and the next one is
    answered."""
    turns = Turns(longest=0.01)
    with turns.turn("a", "page"), pytest.raises(Refused) as refused, turns.turn("b", "page"):
        pass
    assert refused.value.status == 503 and turns.waiting == 0
    with turns.turn("b", "page"):
        pass


def test_few_bytes_are_kept() -> None:
    """If the stored pages exceed the limit of bytes, those that were not requested for longest are
    removed; a page that exceeds it alone is not stored."""
    kept = KeptPages(10)
    for name in "abc":
        kept.put(1, name, b"1234")
        kept.get(1, "a")
    assert [kept.get(1, name) for name in "abc"] == [b"1234", None, b"1234"]
    kept.put(2, "d", b"12345678901")
    assert not any(kept.get(commit, name) for commit in (1, 2) for name in "abcd")
