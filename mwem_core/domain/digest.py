"""A fingerprint of records, by which committed results recognise the data that they were computed on."""

from hashlib import blake2b

from mwem_core.domain.records import Records


def digest(records: Records) -> str:
    """A fingerprint of a table: its schema, every value and every weight, in 32 hexadecimal digits.

    Computed without noise and without a key: for public data only.
    """
    fingerprint = blake2b(repr(records.domain.attributes).encode(), digest_size=16)
    if records.domain.never:
        fingerprint.update(repr(records.domain.never).encode())
    for column in records.codes:
        fingerprint.update(column.astype("<u4").tobytes())
    if records.weights is not None:
        fingerprint.update(records.weights.astype("<f8").tobytes())
    return fingerprint.hexdigest()
