"""Files that nobody should upload, on the page: a sentence, and what was there before stays."""

import pytest
from app_steps import YOUR_DATA, charts, open_page
from hostile_files import HOSTILE, WORDS

from ldpcore.tables import SUFFIXES

PARTS = 6


# What reads the files is measured in tests/ldpcore/tables; measuring it here would take as long as the rest.
@pytest.mark.unmeasured
@pytest.mark.parametrize("part", range(PARTS))
def test_a_hostile_file_gets_a_sentence_and_nothing_is_lost(part):
    at = open_page(YOUR_DATA, {"k": "10"})
    at.file_uploader(key="own_file").upload("mine.csv", b"x\n" + b"\n".join(b"%d" % i for i in range(99))).run()
    before = charts(at)["own_chart"]
    tried = 0
    for name in list(HOSTILE)[part::PARTS]:
        file, data = HOSTILE[name]()
        if not file.lower().endswith(SUFFIXES):
            continue  # the browser does not let it through
        tried += 1
        at.file_uploader(key="own_file").upload(file, data).run()
        assert not at.exception, name
        assert len(at.error) == 1, name
        said = at.error[0].value.replace("\\", "")
        assert all(word in said for word in WORDS[name]), (name, said)
        assert "mine.csv" in said
        assert charts(at)["own_chart"] == before
    assert tried >= 8
