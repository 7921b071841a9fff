"""A small result, and how Estimate would draw it."""

import ldpcore as ldp
from ldpui import theme


def small_result():
    return ldp.run(ldp.Setting(data="poisson", mechanism="OUE", eps=2.0, n=1000, k=20, runs=3, max_iter=50))


def series(result):
    return [(theme.MI, result.mi), (theme.IBU, result.ibu)]
