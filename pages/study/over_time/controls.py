"""What the page Over time asks, and the words to choose from."""

from __future__ import annotations

import ldpcore as ldp
from ldpui.address import links

ATTACKER, CHANGING, SERVER, LIFE = ASPECTS = ("the attacker", "a value that changes", "the server", "one user's life")
ALIKE, SHARES = PRIORS = ("all values are alike", "the shares are known")
MEMO, FRESH = NOISES = ("with a memo", "fresh noise")
USERS, CHANGE = TELLINGS = ("one user or two", "changed or not")
EVERY = "1 2 5 10 20 50 100 200 500 1000".split()
NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL

links.declare(
    links.one_of("aspect", ATTACKER, ASPECTS, page=True),
    links.one_of("followed", ("L-SUE", "L-OLH", "OUE"), NAMES, page=True),
    links.one_of("noise", NOISES, NOISES, page=True),
    links.one_of("knows", ALIKE, PRIORS, page=True),
    links.switch("calibrations"),
    links.one_of("every", "20", EVERY, page=True),
    links.one_of("told", USERS, TELLINGS, page=True),
    links.one_of("life_of", "L-SUE", NAMES, page=True),
)
