"""Several processes of the dashboard behind HAProxy: `python -m deploy`."""
