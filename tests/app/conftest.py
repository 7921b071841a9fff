"""Pages are run by Streamlit's own test harness."""

from page_fixtures import (  # noqa: F401
    all_in_view,
    no_columns_of_other_tests,
    no_pauses,
    one_look_for_components,
    one_worker,
    quiet_wait,
)
