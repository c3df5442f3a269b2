"""The table of Figure 7."""


def test_figure_7_is_adult_in_27_bits_without_missing_values_beside_random_bits():
    import figure7

    B = figure7.table(5)
    assert (len(B.domain), B.total) == (32, 45_222)
    assert set(B.domain.shape) == {2}
