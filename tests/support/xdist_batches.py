"""Hands tests to xdist's workers a few at a time: groups whole, as with `--dist loadgroup`, all
others in batches of neighbours, which share what their module has made.

One by one, thousands of tests cost the controller as much time as many of them take, for it looks
through all that a worker was ever given whenever one ends.
"""

from xdist.scheduler import LoadGroupScheduling

SIZE = 4  # small, so that no worker is left alone with much in the end


class Batches(LoadGroupScheduling):
    def __init__(self, config, log=None):
        super().__init__(config, log)
        config.option.loadscopereorder = False  # the collection has its order: long groups first
        self.batches = {}

    def _split_scope(self, nodeid):
        scope = super()._split_scope(nodeid)
        if scope != nodeid:
            return scope
        return self.batches.setdefault(nodeid, f"batch {len(self.batches) // SIZE}")

    def mark_test_complete(self, node, item_index, duration=0):
        super().mark_test_complete(node, item_index, duration)
        work = self.assigned_work[node]
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(work[scope].values()):
            del work[scope]
