"""`python -m ldpcore`."""

import sys

from ldpcore.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
