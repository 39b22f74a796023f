"""Seat by exchanging two entrants at a time, from several starts."""

from random import Random

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.costs import SEATLESS, Costs
from tournaments.engine.pairing.seats import ALL_SEATS, FEASIBLE

Places = NDArray[np.int64]


class SwapDraft:
    """Entrants at tables of four, with the cost of every possible exchange."""

    def __init__(
        self, tables: Places, costs: Costs, masks: Places, held: NDArray[np.bool_]
    ) -> None:
        self.tables, self.costs, self.masks, self.held = tables, costs, masks, held
        count, size = tables.shape
        self.table_of = np.empty(count * size, dtype=np.int64)
        self.chair_of = np.empty(count * size, dtype=np.int64)
        for table in range(count):
            for chair in range(size):
                self.table_of[tables[table, chair]] = table
                self.chair_of[tables[table, chair]] = chair
        # The cost of each entrant at each table, together with the entrants there.
        self.at = costs[:, tables].sum(axis=2)
        # If every seat is open to everybody, no exchange can leave an entrant without one.
        self.choosy = bool((masks != ALL_SEATS).any())
        self.seatless = ~FEASIBLE[tuple(masks[tables].T)]

    @property
    def cost(self) -> int:
        own = self.at[np.arange(len(self.table_of)), self.table_of].sum() // 2
        return int(own) + SEATLESS * int(self.seatless.sum())

    def changes(self, place: int) -> Places:
        """Return the change in cost if each entrant is exchanged with the one at `place`."""
        here, there = self.table_of[place], self.table_of
        everyone = np.arange(len(there))
        change: Places = (
            self.at[place, there]
            - self.at[place, here]
            + self.at[:, here]
            - self.at[everyone, there]
            - 2 * self.costs[place]
        )
        if self.choosy:
            change += SEATLESS * self._seatless_change(place)
        change[there == here] = 0
        change[self.held] = 0
        return change

    def _seatless_change(self, place: int) -> Places:
        here, there = self.table_of[place], self.table_of
        mine = self.masks[self.tables[here]]
        joined = [
            mine[chair] if chair != self.chair_of[place] else self.masks for chair in range(4)
        ]
        their = self.masks[self.tables[there]]
        their[np.arange(len(there)), self.chair_of] = self.masks[place]
        after = (~FEASIBLE[tuple(joined)]).astype(np.int64) + ~FEASIBLE[tuple(their.T)]
        change: Places = after - self.seatless[here] - self.seatless[there]
        return change

    def exchange(self, one: int, other: int) -> None:
        here, there = self.table_of[one], self.table_of[other]
        moved = self.costs[:, other] - self.costs[:, one]
        self.at[:, here] += moved
        self.at[:, there] -= moved
        chairs = self.chair_of
        self.tables[here, chairs[one]], self.tables[there, chairs[other]] = other, one
        chairs[one], chairs[other] = chairs[other], chairs[one]
        self.table_of[one], self.table_of[other] = there, here
        for table in (here, there):
            self.seatless[table] = not FEASIBLE[tuple(self.masks[self.tables[table]])]

    def improve(self, random: Random) -> None:
        """Exchange two as long as that lowers the cost."""
        waiting = [place for place in range(len(self.table_of)) if not self.held[place]]
        while waiting:
            random.shuffle(waiting)
            touched = {table for place in waiting for table in self._better(place)}
            # Tables that have not changed were just examined.
            waiting = [int(place) for table in sorted(touched) for place in self.tables[table]]
            waiting = [place for place in waiting if not self.held[place]]

    def _better(self, place: int) -> tuple[int, ...]:
        """Make the best exchange for the entrant at `place`; return the tables that changed."""
        change = self.changes(place)
        best = int(change.argmin())
        if change[best] >= 0:
            return ()
        self.exchange(place, best)
        return int(self.table_of[place]), int(self.table_of[best])
