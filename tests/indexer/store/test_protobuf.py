"""Protocol buffers without a schema: fields by number, and refusal of what is none."""

import pytest

from indexer.store.protobuf import fields

# Field 1: 150; field 2: "ok"; field 3: 7 in 32 bits; field 4: -1 in 64 bits; field 2 again: 3, 300.
MESSAGE = bytes.fromhex("089601 12026f6b 1d07000000 21ffffffffffffffff 120303ac02")


def test_fields_are_read_by_number_in_their_order():
    expected = [(1, 150), (2, b"ok"), (3, 7), (4, 2**64 - 1), (2, b"\x03\xac\x02")]
    assert list(fields(MESSAGE)) == expected


@pytest.mark.parametrize("end", range(1, len(MESSAGE)))
def test_a_message_that_is_cut_anywhere_within_a_field_is_refused(end):
    whole = {3, 7, 12, 21}
    if end in whole:
        assert list(fields(MESSAGE[:end]))
    else:
        with pytest.raises((ValueError, IndexError), match=r"cut off|out of range"):
            list(fields(MESSAGE[:end]))


@pytest.mark.parametrize(
    "broken",
    [pytest.param(b"\x0b", id="a group"), pytest.param(b"\x08" + b"\xff" * 11, id="endless")],
)
def test_what_is_no_field_is_refused(broken):
    with pytest.raises(ValueError, match=r"no field|without an end"):
        list(fields(broken))
