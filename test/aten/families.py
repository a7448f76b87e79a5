"""The cases of every family of rows."""

import contractions
import elementwise
import indexing
import movement
import normalisation
import quantisation
import reductions
import sampling
import windows


def cases():
    for family in (elementwise, reductions, contractions, movement, indexing, normalisation, windows, sampling,
                   quantisation):
        yield from family.cases()
