# SPDX-License-Identifier: Apache-2.0
import random


def stalls(seed, share):
    """In which cycles a stream waits, for its pause generator."""
    rng = random.Random(seed)
    while True:
        yield rng.random() < share
