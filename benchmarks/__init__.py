"""How fast ldpcore is, measured beside multi-freq-ldpy in the same run: `python -m benchmarks`."""
