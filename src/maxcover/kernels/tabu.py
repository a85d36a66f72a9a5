"""Exchange search: improve a feasible selection by moving a few sets at a time.

The search is a tabu search under a price. Sets are ranked by ``margin - price * cost``, the gain
(or loss) net of what the budget they occupy is worth elsewhere, and a *move* leads from one
maximal feasible selection to another:

* *drop*: the least loss leaves (now and then several), and the room is refilled greedily; or
* *force in*: the best outsider enters although it does not fit, the least losses leave until it
  does, refill.

What has moved stays put during the next move, so the search walks on instead of falling back. An
*episode* is a run of moves on a pool of sets (`maxcover.kernels.in_play`). It starts from *home*
with a random part of the pool dropped and a price drawn around the marginal one, and ends when it
has found no better home for a while; then everything it touched goes back. It touches nothing
outside the pool, so it costs the same on a thousand and on a million sets.

On a small problem home is the best selection. On a large one, no single ball can see what free
budget is good for elsewhere: home is the selection of the best *score*, value plus the marginal
price of the budget left free (up to two sets' worth), so one ball may save what another spends.
The best selection is kept beside it.
"""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import Indices, IndicesOut, Offsets
from cython.cimports.maxcover.kernels.extremes import INF
from cython.cimports.maxcover.kernels.flips import Desk, Elements, Sets, flip, rebuild_all
from cython.cimports.maxcover.kernels.in_play import draw, fill_pool, price_among, swap_places

PATIENCE = cython.declare(int64_t, 30)  # moves of an episode without a better home
PRICE_SPREAD = cython.declare(
    cython.double, 0.3
)  # an episode's price lies within this fraction of the marginal one
MOST_DROPPED = cython.declare(
    cython.double, 0.5
)  # an episode starts by dropping up to this fraction of its pool
FORCE_IN = cython.declare(
    cython.double, 0.5
)  # the fraction of moves that start by forcing a set in
ANY_IN = cython.declare(
    cython.double, 0.1
)  # the fraction of those that take any set instead of the best
DROP_ANOTHER = cython.declare(
    cython.double, 0.1
)  # the chance to drop yet another set in a drop move
CREDITED = cython.declare(
    cython.double, 0.8
)  # the fraction of episodes that give credit for free budget
SMOOTHING = cython.declare(cython.double, 0.1)  # weight of a pool in the marginal price
REFRESH = cython.declare(
    int64_t, 4096
)  # episodes between recomputations from scratch: rounding drift is bounded by them
FORCE = cython.declare(cython.int, 0)
MAKE_ROOM = cython.declare(cython.int, 1)
DROP = cython.declare(cython.int, 2)
REFILL = cython.declare(cython.int, 3)
DONE = cython.declare(cython.int, 4)
NONE = cython.declare(int64_t, -1)


def advance(search, moves: int64_t) -> None:
    """Make ``moves`` moves. Many short calls do exactly what one long call does.

    The best selection never gets worse and keeps every limit. A move costs a few scans of the pool
    and a few flips. Returns early when nothing may move, when everything
    that may be covered is, or when it is out of patience.

    Examples
    --------
    Two small sets beat the one that covers most alone:

    >>> from maxcover.kernels.search import best_selection, open_search
    >>> rows = np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 2, 3], np.int32)
    >>> columns = np.array([0, 2, 4, 6, 7]), np.array([0, 1, 0, 1, 0, 2, 2], np.int32)
    >>> nobody = np.zeros(3, bool)
    >>> search = open_search(
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
    >>> np.flatnonzero(best_selection(search))
    array([1, 2])
    """
    indptr: Offsets
    indices: Indices
    t_indptr: Offsets
    t_indices: Indices
    sets: Sets
    elements: Elements
    pool: IndicesOut
    touched: IndicesOut
    strayed: IndicesOut
    desks: Desk[::1]
    i: int64_t
    newcomer: int64_t
    p: int64_t
    phase: cython.int
    indptr, indices, t_indptr, t_indices, sets, elements, pool, touched, strayed, desks = search
    desk = cython.address(desks[0])
    with cython.nogil:
        for _ in range(moves):
            if (
                desk.best >= desk.ceiling - desk.least_step
                or desk.moves > desk.patience + 2 * desk.best_at
            ):
                break
            if desk.stale > PATIENCE:
                begin_episode(
                    indptr,
                    indices,
                    t_indptr,
                    t_indices,
                    sets,
                    elements,
                    pool,
                    touched,
                    strayed,
                    desk,
                )
            if desk.in_play == 0:
                break
            desk.moves += 1
            desk.stale += 1
            newcomer = NONE
            phase = FORCE if draw(desk) < FORCE_IN else DROP
            while phase != DONE:
                if phase == FORCE:
                    newcomer = greatest_gain(sets, pool, desk, phase == REFILL)
                    if draw(desk) < ANY_IN and desk.chosen < desk.in_play:
                        p = desk.chosen + cython.cast(
                            int64_t, draw(desk) * (desk.in_play - desk.chosen)
                        )
                        if sets[pool[p]].margin > 0.0 and sets[pool[p]].free_at <= desk.moves:
                            newcomer = pool[p]
                    i = newcomer
                    phase = MAKE_ROOM if i >= 0 else DROP
                elif phase == MAKE_ROOM:
                    if desk.room >= 0:
                        phase = REFILL
                        continue
                    i = least_loss(sets, pool, desk, newcomer)
                    if (
                        i < 0
                    ):  # what may leave makes too little room; without the newcomer all limits hold
                        i = newcomer
                elif phase == DROP:
                    i = least_loss(sets, pool, desk, NONE)
                    phase = DROP if i >= 0 and draw(desk) < DROP_ANOTHER else REFILL
                else:
                    judge(sets, touched, strayed, desk)
                    i = greatest_gain(sets, pool, desk, phase == REFILL)
                    phase = REFILL if i >= 0 else DONE
                if i >= 0:
                    desk.value += flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
                    note(i, sets, pool, touched, desk)


def greatest_gain(sets, pool, desk, fitting):
    """Return the unselected set of the pool that is worth most, or -1 if none gains anything.

    With ``fitting`` only the sets within the limit count.
    """
    now = desk.moves
    price = desk.price
    room = desk.room
    choice = -1
    most = -INF
    for p in range(desk.chosen, desk.in_play):
        i = pool[p]
        if fitting and sets[i].ticks > room:
            continue
        worth = sets[i].margin - price * sets[i].cost
        if (
            (worth > most or (worth == most and i < choice))
            and sets[i].free_at <= now
            and sets[i].margin > 0.0
        ):
            choice, most = i, worth
    return choice


def least_loss(sets, pool, desk, newcomer):
    """Return the selected set of the pool that is worth least, or -1 if all are tabu.

    ``newcomer`` does not count.
    """
    now = desk.moves
    price = desk.price
    choice = -1
    least = INF
    for p in range(desk.chosen):
        i = pool[p]
        if sets[i].free_at <= now and i != newcomer:
            worth = sets[i].margin - price * sets[i].cost
            if worth < least or (worth == least and i < choice):
                choice, least = i, worth
    return choice


def note(i, sets, pool, touched, desk):
    """Bring the books up to date after set ``i`` of the pool has flipped, and make it tabu."""
    step = 1 if sets[i].selected else -1
    border = desk.chosen if step == 1 else desk.chosen - 1
    desk.chosen += step
    swap_places(sets, pool, sets[i].place, border)
    desk.room -= step * sets[i].ticks
    if not sets[i].touched:
        sets[i].touched = True
        touched[desk.n_touched] = i
        desk.n_touched += 1
    # Tabu during the next move; but not inside a selection so small that all of it would be.
    sets[i].free_at = desk.moves + (1 if step == 1 and desk.chosen < 4 else 2)


def judge(sets, touched, strayed, desk):
    """Make the present, feasible selection home if its score is better, best if its value is."""
    room = min(desk.room, desk.reach)
    score = desk.value + desk.credit * room
    record = desk.value > desk.best + desk.least_step
    if record or score > desk.home + desk.least_step:
        desk.home = score
        desk.stale = 0
        settle(sets, touched, strayed, desk)
    if record:
        desk.best = desk.value
        desk.best_at = desk.moves
        for s in range(desk.n_strayed):
            sets[strayed[s]].best = sets[strayed[s]].home
            sets[strayed[s]].strayed = False
        desk.n_strayed = 0


def settle(sets, touched, strayed, desk):
    """Make the present selection home. Costs the sets flipped since the last."""
    for t in range(desk.n_touched):
        i = touched[t]
        sets[i].touched = False
        if sets[i].home != sets[i].selected:
            sets[i].home = sets[i].selected
            if not sets[i].strayed:
                sets[i].strayed = True
                strayed[desk.n_strayed] = i
                desk.n_strayed += 1
    desk.n_touched = 0


def begin_episode(
    indptr, indices, t_indptr, t_indices, sets, elements, pool, touched, strayed, desk
):
    """Go home, choose a pool and a price, and drop a random part of the pool."""
    for t in range(desk.n_touched):
        i = touched[t]
        if sets[i].selected != sets[i].home:
            desk.value += flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
            note(i, sets, pool, touched, desk)
    settle(sets, touched, strayed, desk)
    desk.episodes += 1
    if desk.episodes % REFRESH == 0:
        desk.value = rebuild_all(indptr, indices, sets, elements)
    fill_pool(indptr, indices, t_indptr, t_indices, sets, pool, desk)
    seen = price_among(sets, pool, desk.in_play)
    desk.marginal += SMOOTHING * (seen - desk.marginal)
    desk.price = desk.marginal * (1.0 + PRICE_SPREAD * (2.0 * draw(desk) - 1.0))
    credited = pool.shape[0] < sets.shape[0] and draw(desk) < CREDITED
    desk.credit = desk.marginal * desk.cost_per_tick * credited
    room = min(desk.room, desk.reach)
    desk.home = desk.value + desk.credit * room
    desk.stale = 0
    share = MOST_DROPPED * draw(desk)
    for p in range(desk.chosen - 1, -1, -1):  # downwards: a drop moves only sets already seen
        if draw(desk) < share:
            i = pool[p]
            desk.value += flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
            note(i, sets, pool, touched, desk)
