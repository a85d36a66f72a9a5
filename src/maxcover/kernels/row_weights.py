"""Row weighting: a local search for selections that cover everything within a limit of cost.

It keeps a selection within the limit that misses a few elements. A step drops the set that loses
least per cost, adds the one that gains most per cost among those that hold a random missing
element, and drops again until the limit holds. Then every element that is still missing weighs
one more, so what is hard to cover becomes heavy, and the search leaves every local optimum. Whole
weights: margins are exact, and the same on every machine.

References
----------
Gao, Weise and Li, "An efficient local search heuristic with row weighting for the unicost set
covering problem", European Journal of Operational Research 246, 2015; the rates per cost are ours.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import Indices, IndicesOut, Offsets
from cython.cimports.maxcover.kernels.extremes import INF
from cython.cimports.maxcover.kernels.flips import Elements, Sets, flip
from cython.cimports.maxcover.kernels.row_weights import State

STATE = np.dtype(
    [
        ("random", np.uint64),  # state of xorshift64
        ("used", np.int64),  # ticks
        ("limit", np.int64),
        ("n_chosen", np.int64),  # movable sets in the selection
        ("n_missing", np.int64),  # elements that weigh something and are not covered
        ("step", np.int64),
    ]
)
LOOKS = cython.declare(int64_t, 256)  # sets that are looked at for one to drop, at most
TENURE = cython.declare(int64_t, 2)  # steps for which a set that was dropped stays out


def any_of(state, n):
    """Return a random number below n, by xorshift64."""
    x = state.random
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    state.random = x
    return (x >> 11) % n


def least_loss(sets, chosen, state):
    """Return the set whose loss per cost is the least, the one moved longest ago among equals.

    Of many sets a random stretch of the list is looked at.
    """
    choice, least = -1, INF
    first = any_of(state, state.n_chosen) if state.n_chosen > LOOKS else 0
    for p in range(first, first + min(state.n_chosen, LOOKS)):
        i = chosen[p if p < state.n_chosen else p - state.n_chosen]
        if sets[i].free_at <= state.step:
            loss = sets[i].margin / sets[i].cost
            if loss < least or (loss == least and sets[i].free_at < sets[choice].free_at):
                choice, least = i, loss
    return choice


def most_gain(a, t_indptr, t_indices, sets, state, room):
    """Return the set with the most gain per cost of those that hold an element and need no more.

    Among equals the one that was moved longest ago.
    """
    choice, most = -1, -1.0
    for f in range(t_indptr[a], t_indptr[a + 1]):
        i = t_indices[f]
        if sets[i].movable and sets[i].ticks <= room and sets[i].free_at <= state.step:
            gain = sets[i].margin / sets[i].cost
            if gain > most or (gain == most and sets[i].free_at < sets[choice].free_at):
                choice, most = i, gain
    return choice


def move(i, indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots, state):
    """Add a set, or drop it, and bring the lists up to date."""
    flip(i, indptr, indices, t_indptr, t_indices, sets, elements)
    entering = sets[i].selected
    for e in range(indptr[i], indptr[i + 1]):
        a = indices[e]
        if elements[a].weight > 0.0:
            if entering and elements[a].count == 1:
                state.n_missing -= 1
                last = missing[state.n_missing]
                missing[spots[a]] = last
                spots[last] = spots[a]
            elif not entering and elements[a].count == 0:
                missing[state.n_missing] = a
                spots[a] = state.n_missing
                state.n_missing += 1
    if entering:
        chosen[state.n_chosen] = i
        sets[i].place = state.n_chosen
        state.n_chosen += 1
        state.used += sets[i].ticks
        sets[i].free_at = state.step + 1
    else:
        state.n_chosen -= 1
        last = chosen[state.n_chosen]
        chosen[sets[i].place] = last
        sets[last].place = sets[i].place
        sets[i].place = -1
        state.used -= sets[i].ticks
        sets[i].free_at = state.step + TENURE


def drop(indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots, state):
    """Drop the set that loses least; return whether there was one."""
    i = least_loss(sets, chosen, state)
    if i < 0:
        return False
    move(i, indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots, state)
    return True


def add(room, indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots, state):
    """Add the best set for a random missing element; return whether there was one."""
    a = missing[any_of(state, state.n_missing)]
    i = most_gain(a, t_indptr, t_indices, sets, state, room)
    if i < 0:
        return False
    move(i, indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots, state)
    return True


def search(
    indptr: Offsets,
    indices: Indices,
    t_indptr: Offsets,
    t_indices: Indices,
    sets: Sets,
    elements: Elements,
    chosen: IndicesOut,
    missing: IndicesOut,
    spots: IndicesOut,
    states: State[::1],
    steps: int64_t,
) -> bool:
    """Make steps until everything is covered within the limit; return whether it is.

    ``chosen`` lists the sets of the selection that may be dropped, ``missing`` the elements that
    weigh something and are not covered, and ``spots`` says where in it an element stands. Many
    short calls do exactly what one long call does.
    """
    a: int64_t
    found: cython.bint = False
    state = cython.address(states[0])
    with cython.nogil:
        for _ in range(steps):
            if state.n_missing == 0 and state.used <= state.limit:
                found = True
                break
            state.step += 1
            drop(
                indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots, state
            )
            if state.n_missing > 0:
                add(
                    state.limit, indptr, indices, t_indptr, t_indices, sets, elements, chosen,
                    missing, spots, state,
                )  # fmt: skip
            while state.used > state.limit:
                if not drop(
                    indptr, indices, t_indptr, t_indices, sets, elements, chosen, missing, spots,
                    state,
                ):  # fmt: skip
                    break
            while state.n_missing > 0 and state.used < state.limit:
                if not add(
                    state.limit - state.used, indptr, indices, t_indptr, t_indices, sets, elements,
                    chosen, missing, spots, state,
                ):  # fmt: skip
                    break
            for k in range(state.n_missing):
                a = missing[k]
                elements[a].weight += 1.0
                for f in range(t_indptr[a], t_indptr[a + 1]):
                    sets[t_indices[f]].margin += 1.0
    return found
