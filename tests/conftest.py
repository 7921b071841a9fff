"""How the tests are shared out among the workers."""


def pytest_configure(config):
    # Left alone, one worker is given all the tests of pages and browsers at once, and the others wait for it.
    if getattr(config.option, "maxschedchunk", 0) is None:
        config.option.maxschedchunk = 8
