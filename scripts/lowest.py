"""Print the lowest versions that the library promises to work with, in the words of pip."""

import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "ldpcore" / "pyproject.toml"

if __name__ == "__main__":
    for line in tomllib.loads(PROJECT.read_text())["project"]["dependencies"]:
        print(line.replace(">=", "=="))
