"""What tests of `count` share: reports in files, and how it is called."""

from __future__ import annotations

from collected_reports import collect_reports

from ldpcore.cli.main import main

N, K, EPS = 3_000, 8, 1.0


def call(*arguments):
    return main(["count", *(str(a) for a in arguments)])


def options(name, k=K, eps=EPS):
    return ["--mechanism", name, "--eps", eps, "--k", k]


def collect(name, n=N, k=K, eps=EPS, **more):
    return collect_reports(name, n=n, k=k, eps=eps, seed=11, **more)


def write(frame, path, **more):
    if path.suffix.lower() == ".csv":
        frame.to_csv(path, index=False, **more)
    else:
        frame.to_parquet(path, index=False, **more)
    return path
