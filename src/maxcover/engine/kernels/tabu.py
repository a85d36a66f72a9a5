"""Tabu: exchange search: improve a feasible selection by moving a few sets at a time.

The search is a tabu search under a price. Sets are ranked by ``margin - price * cost``, the gain
(or loss) net of what the budget they occupy is worth elsewhere, and a *move* leads from one
maximal feasible selection to another:

* *drop*: the set with the least loss leaves (sometimes several), and the room is refilled
  greedily; or
* *force in*: the best unselected set enters although it does not fit, the sets with the least loss
  leave until it fits, and the room is refilled.

A set that has moved may not move back during the next move, so the search does not undo it. An
*episode* is a run of moves on a pool of sets (`maxcover.engine.kernels.search`). It starts from the
*home* selection with a random part of the pool dropped and a price drawn around the marginal one.
It ends when it has found no better home for a while; then every set it flipped is flipped back. It
changes nothing outside the pool, so it costs the same on a thousand and on a million sets.

On a small problem home is the best selection. On a large one, no single ball can see what free
budget is good for elsewhere. There home is the selection of the best *score*, value plus the
marginal price of the budget left free (up to two sets' worth), so one ball may save what another
spends. The best selection is kept separately.

Other limits than the budget are rows that a set takes ticks of. The cost of a set is then what it
takes of all rows, at their prices. A set fits if every row has room. When a set is forced in, sets
with the least loss leave each row that is too full. A missed minimum is fined.
"""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF
from cython.cimports.maxcover.engine.kernels.flips import flip, flip_any
from cython.cimports.maxcover.engine.kernels.search import (
    Search,
    count_row,
    crowded,
    draw,
    fill_pool,
    fined,
    is_tired,
    missed,
    price_among,
    refreshed,
    swap_places,
    takes,
)

# An episode ends after this many moves without a better home selection.
PATIENCE = cython.declare(int64_t, 30)
# The price of an episode is drawn from the marginal price plus or minus this fraction of it.
PRICE_SPREAD = cython.declare(cython.double, 0.3)
# An episode starts by dropping a random fraction, at most this, of the selected sets of its pool.
MOST_DROPPED = cython.declare(cython.double, 0.5)
# The fraction FORCE_IN of moves starts by forcing a set in. The fraction ANY_IN of these moves
# takes a random set instead of the best one.
FORCE_IN = cython.declare(cython.double, 0.5)
ANY_IN = cython.declare(cython.double, 0.1)
# Probability that a drop move drops one more set.
DROP_ANOTHER = cython.declare(cython.double, 0.1)
# Weight of the newest pool in the marginal price, which is smoothed over episodes.
SMOOTHING = cython.declare(cython.double, 0.1)
# Counts and margins are recomputed every 4096 episodes, to remove accumulated rounding errors.
REFRESH = cython.declare(int64_t, 4096)
NONE = cython.declare(int64_t, -1)


def advance(search: Search, moves: int64_t) -> None:
    """Make ``moves`` moves. Many short calls do exactly what one long call does.

    The best selection never gets worse and keeps every limit. A move costs a few scans of the pool
    and a few flips. Returns early when no set may move, when everything that can be covered is
    covered, or when the search is out of patience.

    Examples
    --------
    Two small sets beat the one that covers most alone:

    >>> from maxcover.engine.kernels.search import Search
    >>> rows = np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 2, 3], np.int32)
    >>> columns = np.array([0, 2, 4, 6, 7]), np.array([0, 1, 0, 1, 0, 2, 2], np.int32)
    >>> nobody = np.zeros(3, bool)
    >>> search = Search(
    ...     (*rows, *columns),
    ...     np.array([True, False, False]),
    ...     seed=1,
    ...     costs=np.array([2.0, 1.0, 1.0]),
    ...     weights=np.ones(4),
    ...     ticks=np.array([2, 1, 1]),
    ...     limit=2,
    ...     required=nobody,
    ...     forbidden=nobody,
    ... )
    >>> advance(search, 10)
    >>> np.flatnonzero(search.best_selection())
    array([1, 2])
    """
    with cython.nogil:
        for _ in range(moves):
            if search.best >= search.ceiling - search.least_step or is_tired(search):
                break
            if search.stale > PATIENCE:
                begin_episode(search)
            if search.in_play == 0:
                break
            move(search)


def move(at):
    """Force a set in or drop one, then add sets until no further set of the pool fits."""
    at.moves += 1
    at.stale += 1
    newcomer = NONE
    phase = FORCE if draw(at) < FORCE_IN else DROP
    while phase != DONE:
        if phase == FORCE:
            newcomer = greatest_gain(at, False)
            if draw(at) < ANY_IN and at.chosen < at.in_play:
                newcomer = any_outsider(at, newcomer)
            i = newcomer
            phase = MAKE_ROOM if i >= 0 else DROP
        elif phase == MAKE_ROOM:
            row = NONE
            if at.room >= 0:
                row = crowded(at, newcomer, 0) if at.has_rows else NONE
                if row < 0:
                    phase = REFILL
                    continue
            i = least_loss(at, newcomer, row)
            if i < 0:
                # Dropping every set that may leave makes too little room: drop the newcomer again.
                i = newcomer
        elif phase == DROP:
            i = least_loss(at, NONE, NONE)
            phase = DROP if i >= 0 and draw(at) < DROP_ANOTHER else REFILL
        else:
            judge(at)
            i = greatest_gain(at, True)
            phase = REFILL if i >= 0 else DONE
        if i >= 0:
            turn(at, i)


def any_outsider(at, otherwise):
    """Return a random unselected set of the pool; `otherwise` if it is tabu or gains nothing."""
    p = at.chosen + cython.cast(int64_t, draw(at) * (at.in_play - at.chosen))
    if at.sets[at.pool[p]].margin > 0.0 and at.sets[at.pool[p]].free_at <= at.moves:
        return at.pool[p]
    return otherwise


def greatest_gain(at, fitting):
    """Return the unselected set of the pool with the largest ``margin - price * cost``, or -1.

    Sets that are tabu or gain nothing do not count; with ``fitting``, only sets that fit do.
    """
    pool, sets = cython.address(at.pool[0]), cython.address(at.sets[0])
    now, price, room = at.moves, at.price, at.room
    rowed = at.has_rows
    short = at.has_minima and missed(at) > 0.0
    choice = -1
    most = -INF
    for p in range(at.chosen, at.in_play):
        i = pool[p]
        if fitting and sets[i].ticks > room:
            continue
        worth = sets[i].margin - price * sets[i].cost
        lacking = False
        if short:
            avoided = fined(at, i)
            lacking = avoided > 0.0
            worth += avoided
        if (
            (worth > most or (worth == most and i < choice))
            and sets[i].free_at <= now
            and (sets[i].margin > 0.0 or lacking)
            and not (fitting and rowed and crowded(at, i, 1) >= 0)
        ):
            choice, most = i, worth
    return choice


def least_loss(at, newcomer, row):
    """Return the selected set of the pool with the least ``margin - price * cost``, or -1.

    Sets that are tabu and ``newcomer`` do not count. If ``row`` is not -1, only sets that take
    ticks of that row count.
    """
    pool, sets = cython.address(at.pool[0]), cython.address(at.sets[0])
    now, price, minima = at.moves, at.price, at.has_minima
    choice = -1
    least = INF
    for p in range(at.chosen):
        i = pool[p]
        if sets[i].free_at <= now and i != newcomer and (row < 0 or takes(at, i, row)):
            worth = sets[i].margin - price * sets[i].cost
            if minima:
                worth += fined(at, i)
            if worth < least or (worth == least and i < choice):
                choice, least = i, worth
    return choice


def turn(at, i):
    """Flip set ``i`` of the pool, update value, rows, room and pool order, and make it tabu."""
    at.value += flip_any(at, i) if at.is_curved else flip(at, i)
    step = 1 if at.sets[i].selected else -1
    if at.has_rows:
        count_row(at, i, step)
    border = at.chosen if step == 1 else at.chosen - 1
    at.chosen += step
    swap_places(at, at.sets[i].place, border)
    at.room -= step * at.sets[i].ticks
    if not at.sets[i].touched:
        at.sets[i].touched = True
        at.touched[at.n_touched] = i
        at.n_touched += 1
    # The set is tabu during the next move. The exception is a set that is added when fewer than 4
    # sets of the pool are selected: otherwise all selected sets could be tabu, and none could
    # leave.
    at.sets[i].free_at = at.moves + (1 if step == 1 and at.chosen < 4 else 2)


def judge(at):
    """Make this selection the one to return to if its score is better, and best if its value is.

    The current selection keeps every maximum. If it misses a minimum, it is ignored once a
    selection that misses none was found.
    """
    fines = missed(at) if at.has_minima else 0.0
    if fines > 0.0 and at.best >= 0.0:
        return
    room = min(at.room, at.reach)
    score = at.value + at.extra + at.credit * room - fines
    record = fines == 0.0 and at.value > at.best + at.least_step
    if record or score > at.home + at.least_step:
        at.home = score
        at.stale = 0
        settle(at)
    if record:
        at.best = at.value
        at.best_at = at.moves
        for s in range(at.n_strayed):
            at.sets[at.strayed[s]].best = at.sets[at.strayed[s]].home
            at.sets[at.strayed[s]].strayed = False
        at.n_strayed = 0


def settle(at):
    """Make the current selection the one to return to (home)."""
    for t in range(at.n_touched):
        i = at.touched[t]
        at.sets[i].touched = False
        if at.sets[i].home != at.sets[i].selected:
            at.sets[i].home = at.sets[i].selected
            if not at.sets[i].strayed:
                at.sets[i].strayed = True
                at.strayed[at.n_strayed] = i
                at.n_strayed += 1
    at.n_touched = 0


def begin_episode(at):
    """Return to the home selection, choose a pool and a price, and drop random sets of the pool."""
    for t in range(at.n_touched):
        i = at.touched[t]
        if at.sets[i].selected != at.sets[i].home:
            turn(at, i)
    settle(at)
    at.episodes += 1
    if at.episodes % REFRESH == 0:
        at.value = refreshed(at)
    fill_pool(at)
    at.marginal += SMOOTHING * (price_among(at, at.pool, at.in_play) - at.marginal)
    at.price = at.marginal * (1.0 + PRICE_SPREAD * (2.0 * draw(at) - 1.0))
    credited = at.pool.shape[0] < at.movable.shape[0] and draw(at) < at.credited
    at.credit = at.marginal * at.cost_per_tick * credited
    room = min(at.room, at.reach)
    at.home = at.value + at.extra + at.credit * room
    if at.best < 0.0:
        at.home -= missed(at)
    at.stale = 0
    share = MOST_DROPPED * draw(at)
    for p in range(at.chosen - 1, -1, -1):  # downwards: a drop moves only visited sets
        if draw(at) < share:
            turn(at, at.pool[p])
