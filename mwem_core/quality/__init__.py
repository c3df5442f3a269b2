"""The quality report: synthetic rows beside the original, by column and pair, beside baselines. NOT PRIVATE, as all
reads the original. `quality` computes, and `report` makes the page. The report without the original is
`releasing.quality`."""
