"""What a store counts of its files."""

from indexer.records import Coverage, FileRow
from indexer.store.rows import coverage_of


def test_a_file_without_a_byte_is_empty_and_not_one_that_could_not_be_read():
    rows = [
        FileRow("a.md", "indexed"),
        FileRow("blank.txt", "empty", "no_bytes"),
        FileRow("scan.pdf", "empty", "no_text_layer"),
        FileRow("bad.pdf", "failed", "malformed"),
    ]
    found = coverage_of(rows)
    assert found == Coverage(indexed=1, empty=2, failed=1, blank=1)
    assert (found.searched, found.unreadable) == (1, 2)
    assert [row.source for row in rows if row.is_unread] == ["scan.pdf", "bad.pdf"]
