"""The slow twin of the belief propagation kernel, and the exact answer for tiny graphs.

Everything is a logarithm. Where the paper's Eq. BP2 takes 1 - s * prod q, the twin carries
log(-log q), because q itself rounds to one, and its logarithm to zero, long before the message
has reached its limit w_a.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Exact(NamedTuple):
    """Marginals by enumeration: P(x_i = 1), P(y_a = 1) and P(a is covered)."""

    chosen: Floats
    element: Floats
    covered: Floats


def log_softplus(x: Floats) -> Floats:
    """log(log(1 + e^x)) without rounding the inside to zero."""
    x = np.asarray(x, dtype=np.float64)
    small = np.minimum(x, -30.0)
    return np.where(
        x < -30.0, small - np.exp(small) / 2, np.log(np.logaddexp(0.0, np.maximum(x, -30.0)))
    )


def log_one_minus_exp_neg_exp(x: Floats) -> Floats:
    """log(1 - exp(-e^x)): a message from log(-log) of a probability."""
    small = np.minimum(x, -30.0)
    large = np.clip(x, -30.0, 7.0)
    return np.where(x < -30.0, small - np.exp(small) / 2, np.log(-np.expm1(-np.exp(large))))


def log_neg_log_gain(beta_w: Floats, *, hard: bool) -> Floats:
    """log(-log s_a), with s_a = 1/(1 + e^{-beta w}) (soft) or 1 - e^{-beta w} (hard)."""
    beta_w = np.asarray(beta_w, dtype=np.float64)
    if not hard:
        return log_softplus(-beta_w)
    x = np.clip(beta_w, 1e-300, 30.0)
    log_s = np.where(x < 0.7, np.log(-np.expm1(-x)), np.log1p(-np.exp(-np.maximum(x, 0.1))))
    exact = np.log(-log_s)
    return np.where(beta_w > 30.0, -beta_w, np.where(beta_w == 0.0, np.inf, exact))


class SlowBP:
    """Parallel updates of Eqs. BP1-BP3; `log_r` is -beta * h_hat, one entry an edge."""

    def __init__(self, sets, n_elements, *, field, beta_w, hard, log_r=None):
        self.rows = np.array([i for i, s in enumerate(sets) for _ in s], dtype=np.int64)
        self.cols = np.array([a for s in sets for a in s], dtype=np.int64)
        self.n_sets, self.n_elements, self.hard = len(sets), n_elements, hard
        self.field = np.asarray(field, dtype=np.float64)
        self.beta_w = np.asarray(beta_w, dtype=np.float64)
        self.gain = log_neg_log_gain(self.beta_w, hard=hard)
        self.edges_of = [np.flatnonzero(self.cols == a) for a in range(n_elements)]
        empty = log_one_minus_exp_neg_exp(self.gain)[self.cols]
        self.log_r = empty if log_r is None else np.array(log_r, dtype=np.float64)

    def sum_hhat(self) -> Floats:
        """beta times the sum of the h_hat that reach each set."""
        return -np.bincount(self.rows, weights=self.log_r, minlength=self.n_sets)

    def fields(self) -> Floats:
        """Beta times h_i, Eq. BP3."""
        return self.field + self.sum_hhat()

    def _log_neg_log_q(self) -> Floats:
        with np.errstate(invalid="ignore"):
            cavity = self.fields()[self.rows] + self.log_r
        return log_softplus(cavity)

    def sweep(self, damping: float, *, geometric: bool = False) -> None:
        """Eq. BP1 for every edge, then Eq. BP2 for every edge; the new r is damped."""
        q = self._log_neg_log_q()
        new = np.empty_like(self.log_r)
        for a, edges in enumerate(self.edges_of):
            for at, e in enumerate(edges):
                others = np.delete(q[edges], at)
                new[e] = np.logaddexp.reduce(np.append(others, self.gain[a]))
        new = log_one_minus_exp_neg_exp(new)
        if geometric:
            self.log_r = damping * self.log_r + (1 - damping) * new
        elif damping == 0.0:
            self.log_r = new
        else:
            self.log_r = np.logaddexp(np.log(damping) + self.log_r, np.log1p(-damping) + new)

    def sweep_serially(self, damping: float) -> None:
        """Do as `sweep`, set by set, each from the newest messages."""
        for i in range(self.n_sets):
            after = self.log_r.copy()
            self.sweep(damping)
            self.log_r = np.where(self.rows == i, self.log_r, after)

    def chosen(self) -> Floats:
        """P(x_i = 1)."""
        return np.exp(-np.logaddexp(0.0, -self.fields()))

    def log_missed(self) -> Floats:
        """log prod_j q_ja: no set reaches the element, by the messages alone."""
        q = self._log_neg_log_q()
        return np.array([-np.exp(q[edges]).sum() for edges in self.edges_of])

    def element_field(self) -> Floats:
        """Beta times eta_a, corrected: soft beta w + ln(1 - T), hard beta w + ln((1 - T) / T)."""
        q = self._log_neg_log_q()
        total = np.array(
            [np.logaddexp.reduce(np.append(q[edges], -np.inf)) for edges in self.edges_of]
        )
        reached = log_one_minus_exp_neg_exp(total)
        eta = self.beta_w + reached
        return eta - self.log_missed() if self.hard else eta


def enumerate_exactly(sets, n_elements, *, field, beta_w, hard) -> Exact:
    """Sum the partition function over all x; y is summed out (soft) or determined by x (hard)."""
    n_sets = len(sets)
    member = np.zeros((n_sets, n_elements), dtype=bool)
    for i, s in enumerate(sets):
        member[i, list(s)] = True
    xs = np.array(list(product([False, True], repeat=n_sets)))
    covered = (xs.astype(np.int64) @ member.astype(np.int64)) > 0
    worth = beta_w if hard else np.logaddexp(0.0, beta_w)
    with np.errstate(invalid="ignore"):
        prior = np.where(xs, field, 0.0).sum(axis=1)
    log_p = prior + covered @ worth
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    given = 1.0 if hard else np.exp(-np.logaddexp(0.0, -np.asarray(beta_w)))
    return Exact(p @ xs, (p @ covered) * given, p @ covered)
