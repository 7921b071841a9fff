"""Calls of the command line."""

from ldpcore.cli.main import main


def call(*arguments):
    return main([str(a) for a in arguments])
