"""Many reports of one user, enumerated from the definitions: laws of all sequences, with a memo and without."""

from __future__ import annotations

from itertools import product

import numpy as np
from exact_channels import channel_of, memo_channel_of, second_channel


def first_channels(m):
    """Return Pr[memo | value] for each hash function that a user may have, k × memos, each with its weight.

    Without hashing there is one; the weight of a hash function is in the probabilities of `memo_channel_of`.
    """
    memo, _ = memo_channel_of(m)
    if m.g is None:
        return [(1.0, memo)]
    functions = memo.reshape(m.k, -1, m.g).transpose(1, 0, 2)
    return [(float(part[0].sum()), part / part[0].sum()) for part in functions]


def sequences(outputs, reports):
    return np.array(list(product(range(outputs), repeat=reports)))


def with_memo(m, reports):
    """Return (weight, Pr[memo | v], Pr[sequence | memo]) for each hash function."""
    second = second_channel(m)
    law = second[:, sequences(second.shape[1], reports)].prod(axis=2)
    return [(weight, first, law) for weight, first in first_channels(m)]


def fresh(m, reports):
    """Return Pr[sequence | v], k × sequences."""
    channel = channel_of(m)[0]
    return channel[:, sequences(channel.shape[1], reports)].prod(axis=2)
