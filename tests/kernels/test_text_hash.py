"""Texts hash the same in every process."""

from fieldwise.kernels.text_hash import hash_each


def test_a_hash_is_the_checksum_of_a_text_and_of_its_reverse():
    assert hash_each(["a"]) == [0xE8B7BE43_E8B7BE43]  # the published CRC-32 of "a"
    forwards, backwards = hash_each(["ab", "ba"])
    assert (forwards >> 32, forwards & 0xFFFFFFFF) == (backwards & 0xFFFFFFFF, backwards >> 32)


def test_a_text_that_is_no_valid_unicode_still_hashes():
    assert hash_each(["\ud800"]) != hash_each(["\ud801"])
