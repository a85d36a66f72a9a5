"""Exchange search: improve a feasible selection by moving a few sets at a time.

The search is a tabu search under a price. Sets are ranked by ``margin - price * cost``, the gain
(or loss) net of what the budget they occupy is worth elsewhere, and a *move* leads from one
maximal feasible selection to another:

* *drop*: the least loss leaves (now and then several), and the room is refilled greedily; or
* *force in*: the best outsider enters although it does not fit, the least losses leave until it
  does, refill.

What has moved stays put during the next move, so the search walks on instead of falling back. An
*episode* is a run of moves on a pool of sets (see `maxcover.kernels.pool`). It starts from *home*
with a random part of the pool dropped and a price drawn around the marginal one, and ends when it
has found no better home for a while; then everything it touched goes back. It touches nothing
outside the pool, so it costs the same on a thousand and on a million sets.

On a small problem home is the best selection. On a large one, no single ball can see what free
budget is good for elsewhere: home is the selection of the best *score*, value plus the marginal
price of the budget left free (up to two sets' worth), so one ball may save what another spends.
The best selection is kept beside it.
"""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.cover import flip, rebuild
from maxcover.kernels.jit import kernel
from maxcover.kernels.pool import draw, fill_pool, marginal_price, swap_places
from maxcover.kernels.search import Search

PATIENCE = 30  # moves of an episode without a better home
PRICE_SPREAD = 0.3  # an episode's price lies within this fraction of the marginal one
MOST_DROPPED = 0.5  # an episode starts by dropping up to this fraction of its pool
FORCE_IN = 0.5  # the fraction of moves that start by forcing a set in
ANY_IN = 0.1  # the fraction of those that take any set instead of the best
DROP_ANOTHER = 0.1  # the chance to drop yet another set in a drop move
CREDITED = 0.8  # the fraction of episodes that give credit for free budget
SMOOTHING = 0.1  # weight of a pool in the marginal price
REFRESH = 4096  # episodes between recomputations from scratch: rounding drift is bounded by them
FORCE, MAKE_ROOM, DROP, REFILL, DONE = range(5)  # the phases of a move
# Positions are int64 and conditions variables wherever a kernel calls another: numba compiles one
# version more for every other type, and for every constant.
NONE = np.int64(-1)


@kernel
def advance(search: Search, moves: int) -> None:
    """Make ``moves`` moves. Many short calls do exactly what one long call does.

    The best selection never gets worse and keeps every limit. A move costs a few scans of the pool
    and a few flips. Returns early when nothing may move or everything that may be covered is.

    Examples
    --------
    Two small sets beat the one that covers most alone:

    >>> from maxcover.kernels.search import best_selection, open_search
    >>> rows = np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 2, 3], np.int32)
    >>> columns = np.array([0, 2, 4, 6, 7]), np.array([0, 1, 0, 1, 0, 2, 2], np.int32)
    >>> nobody, none = np.zeros(3, bool), np.zeros(0, np.int64)
    >>> search = open_search(
    ...     (*rows, *columns),
    ...     np.array([True, False, False]),
    ...     seed=1,
    ...     costs=np.array([2.0, 1.0, 1.0]),
    ...     weights=np.ones(4),
    ...     ticks=np.array([2, 1, 1]),
    ...     limit=2,
    ...     group=np.full(3, -1, np.int32),
    ...     group_items=none,
    ...     group_ticks=none,
    ...     required=nobody,
    ...     forbidden=nobody,
    ... )
    >>> advance(search, 10)
    >>> np.flatnonzero(best_selection(search))
    array([1, 2])
    """
    # Unpacked once: numba counts references for every field of a tuple that it touches.
    indptr, indices, t_indptr, t_indices, sets, elements, groups, pool, touched, strayed, desks = (
        search
    )
    desk, last = desks[0], len(groups) - 1
    for _ in range(moves):
        if desk["best"] >= desk["ceiling"] - desk["least_step"]:
            return
        if desk["stale"] > PATIENCE:
            begin_episode(search)
        if desk["in_play"] == 0:
            return
        desk["moves"] += 1
        desk["stale"] += 1
        newcomer: int | np.int64 = NONE
        phase = FORCE if draw(desk) < FORCE_IN else DROP
        while phase != DONE:
            if phase == FORCE:
                newcomer = greatest_gain(sets, groups, pool, desk, phase == REFILL)
                if draw(desk) < ANY_IN and desk["chosen"] < desk["in_play"]:
                    p = desk["chosen"] + int(draw(desk) * (desk["in_play"] - desk["chosen"]))
                    if sets[pool[p]]["margin"] > 0.0 and sets[pool[p]]["free_at"] <= desk["moves"]:
                        newcomer = pool[p]
                i = newcomer
                phase = MAKE_ROOM if i >= 0 else DROP
            elif phase == MAKE_ROOM:
                own = sets[newcomer]["group"]
                crowded = groups[own]["room"] < 0 or groups[own]["slots"] < 0
                if not crowded and groups[last]["room"] >= 0:
                    phase = REFILL
                    continue
                i = least_loss(sets, pool, desk, newcomer, own if crowded and own != last else NONE)
                if (
                    i < 0
                ):  # what may leave makes too little room; without the newcomer all limits hold
                    i = newcomer
            elif phase == DROP:
                i = least_loss(sets, pool, desk, NONE, NONE)
                phase = DROP if i >= 0 and draw(desk) < DROP_ANOTHER else REFILL
            else:
                judge(sets, groups, touched, strayed, desk)
                i = greatest_gain(sets, groups, pool, desk, phase == REFILL)
                phase = REFILL if i >= 0 else DONE
            if i >= 0:
                desk["value"] += flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
                note(i, sets, groups, pool, touched, desk)


@kernel
def greatest_gain(
    sets: NDArray[np.void],
    groups: NDArray[np.void],
    pool: NDArray[np.int32],
    desk: np.void,
    fitting: bool,
) -> int:
    """Return the unselected set of the pool that is worth most, or -1 if none gains anything.

    With ``fitting`` only the sets within all limits count.
    """
    now, price, room = desk["moves"], desk["price"], groups[len(groups) - 1]["room"]
    choice, most = -1, -np.inf
    for p in range(desk["chosen"], desk["in_play"]):
        i = pool[p]
        record = sets[i]
        if fitting and record["ticks"] > room:
            continue
        worth = record["margin"] - price * record["cost"]
        if (
            (worth > most or (worth == most and i < choice))
            and record["free_at"] <= now
            and record["margin"] > 0.0
        ):
            own = groups[record["group"]]
            if not fitting or (own["slots"] > 0 and own["room"] >= record["ticks"]):
                choice, most = i, worth
    return choice


@kernel
def least_loss(
    sets: NDArray[np.void],
    pool: NDArray[np.int32],
    desk: np.void,
    newcomer: int | np.int64,
    group: int | np.int64,
) -> int:
    """Return the selected set of the pool that is worth least, or -1 if all are tabu.

    ``newcomer`` does not count; unless ``group`` is -1 only sets of that group do.
    """
    now, price = desk["moves"], desk["price"]
    choice, least = -1, np.inf
    for p in range(desk["chosen"]):
        i = pool[p]
        record = sets[i]
        if record["free_at"] <= now and i != newcomer and (group < 0 or record["group"] == group):
            worth = record["margin"] - price * record["cost"]
            if worth < least or (worth == least and i < choice):
                choice, least = i, worth
    return choice


@kernel
def note(
    i: int | np.int64,
    sets: NDArray[np.void],
    groups: NDArray[np.void],
    pool: NDArray[np.int32],
    touched: NDArray[np.int32],
    desk: np.void,
) -> None:
    """Bring the books up to date after set ``i`` of the pool has flipped, and make it tabu."""
    record, last = sets[i], len(groups) - 1
    step = 1 if record["selected"] else -1
    border = desk["chosen"] if step == 1 else desk["chosen"] - 1
    desk["chosen"] += step
    swap_places(sets, pool, record["place"], border)
    groups[last]["room"] -= step * record["ticks"]
    if record["group"] != last:
        groups[record["group"]]["room"] -= step * record["ticks"]
        groups[record["group"]]["slots"] -= step
    if not record["touched"]:
        record["touched"] = True
        touched[desk["n_touched"]] = i
        desk["n_touched"] += 1
    # Tabu during the next move; but not inside a selection so small that all of it would be.
    record["free_at"] = desk["moves"] + (1 if step == 1 and desk["chosen"] < 4 else 2)


@kernel
def judge(
    sets: NDArray[np.void],
    groups: NDArray[np.void],
    touched: NDArray[np.int32],
    strayed: NDArray[np.int32],
    desk: np.void,
) -> None:
    """Make the present, feasible selection home if its score is better, best if its value is."""
    room = min(groups[len(groups) - 1]["room"], desk["reach"])
    score = desk["value"] + desk["credit"] * room
    record = desk["value"] > desk["best"] + desk["least_step"]
    if record or score > desk["home"] + desk["least_step"]:
        desk["home"] = score
        desk["stale"] = 0
        settle(sets, touched, strayed, desk)
    if record:
        desk["best"] = desk["value"]
        for s in range(desk["n_strayed"]):
            sets[strayed[s]]["best"] = sets[strayed[s]]["home"]
            sets[strayed[s]]["strayed"] = False
        desk["n_strayed"] = 0


@kernel
def settle(
    sets: NDArray[np.void], touched: NDArray[np.int32], strayed: NDArray[np.int32], desk: np.void
) -> None:
    """Make the present selection home. Costs the sets flipped since the last."""
    for t in range(desk["n_touched"]):
        i = touched[t]
        sets[i]["touched"] = False
        if sets[i]["home"] != sets[i]["selected"]:
            sets[i]["home"] = sets[i]["selected"]
            if not sets[i]["strayed"]:
                sets[i]["strayed"] = True
                strayed[desk["n_strayed"]] = i
                desk["n_strayed"] += 1
    desk["n_touched"] = 0


@kernel
def begin_episode(search: Search) -> None:
    """Go home, choose a pool and a price, and drop a random part of the pool."""
    indptr, indices, t_indptr, t_indices, sets, elements, groups, pool, touched, strayed, desks = (
        search
    )
    desk = desks[0]
    for t in range(desk["n_touched"]):
        i = np.int64(touched[t])
        if sets[i]["selected"] != sets[i]["home"]:
            desk["value"] += flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
            note(i, sets, groups, pool, touched, desk)
    settle(sets, touched, strayed, desk)
    desk["episodes"] += 1
    if desk["episodes"] % REFRESH == 0:
        desk["value"] = rebuild(indptr, indices, sets, elements)
    fill_pool(indptr, indices, t_indptr, t_indices, sets, pool, desk)
    seen = marginal_price(sets, pool[: desk["in_play"]])
    desk["marginal"] += SMOOTHING * (seen - desk["marginal"])
    desk["price"] = desk["marginal"] * (1.0 + PRICE_SPREAD * (2.0 * draw(desk) - 1.0))
    credited = len(pool) < len(sets) and draw(desk) < CREDITED
    desk["credit"] = desk["marginal"] * desk["cost_per_tick"] * credited
    room = min(groups[len(groups) - 1]["room"], desk["reach"])
    desk["home"] = desk["value"] + desk["credit"] * room
    desk["stale"] = 0
    share = MOST_DROPPED * draw(desk)
    for p in range(desk["chosen"] - 1, -1, -1):  # downwards: a drop moves only sets already seen
        if draw(desk) < share:
            i = np.int64(pool[p])
            desk["value"] += flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
            note(i, sets, groups, pool, touched, desk)
