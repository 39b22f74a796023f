"""In which order the processes of a run go through the tests, so that nothing is made twice."""

from itertools import groupby


def shares_with_its_module(item):
    """Whether a test needs what is made once for all tests of its module: a server, a world."""
    found = item._fixtureinfo.name2fixturedefs.values()
    return any(each.scope == "module" for fixtures in found for each in fixtures)


def ordered(items, processes):
    """The tests as so many processes take them, in shares of one size, each from its beginning.

    A process without work takes over the end of another's share. What a module shares is made again
    where its tests are parted, so those modules stand at the beginnings.
    """
    modules = [(item.path, shares_with_its_module(item)) for item in items]
    costly = {path for path, shared in modules if shared}
    first = [item for item in items if item.path in costly]
    rest = iter([item for item in items if item.path not in costly])
    shares = [[] for _ in range(processes)]
    for number, (_, tests) in enumerate(groupby(first, key=lambda item: item.path)):
        shares[number % processes].extend(tests)
    left = len(items)
    for number, share in enumerate(shares):
        size = left // (processes - number)
        share.extend(test for _, test in zip(range(size - len(share)), rest, strict=False))
        left -= len(share)
    return [test for share in shares for test in share]
