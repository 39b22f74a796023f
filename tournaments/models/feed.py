"""The feed of changes: keys of lines, and the numbers they get once every reader can see them."""

from django.db import connection, models, transaction
from django.db.models import Q
from django.db.models.functions import Coalesce

MOST_NUMBERED_AT_ONCE = 5000
"""Other writers on SQLite wait for one batch: a few hundredths of a second."""


class NewLine(models.Model):
    """A key given to an audit entry or a revision, until it has its number in the feed.

    All these keys come from this table, so none is given twice, and audit entries and revisions
    can be read as one list in the order of their keys. The transaction that stores a row takes its
    key.
    """

    # Whether it is a line of an audit. Revisions of open tables are in none, and get no number.
    told = models.BooleanField(default=True)


class FeedSpan(models.Model):
    """Lines that were numbered in the order of their keys, without a gap: a range of both."""

    number = models.PositiveBigIntegerField(primary_key=True)
    first = models.PositiveBigIntegerField(unique=True)
    length = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(length__gte=1), name="span_not_empty")]

    @classmethod
    def keys_between(cls, after: int, until: int) -> tuple[int, int]:
        """Return the first and the last key with a number above `after` and up to `until`.

        Some keys between them may have other numbers. (0, 0) if there are none (1 query).
        """
        begun = cls.objects.filter(number__lte=after + 1).order_by("-number").values("number")[:1]
        spans = cls.objects.filter(number__gte=Coalesce(begun, 0), number__lte=until)
        keys = [
            first + wanted - number
            for number, first, length in spans.values_list("number", "first", "length")
            for wanted in (max(number, after + 1), min(number + length - 1, until))
            if number <= wanted < number + length
        ]
        return (min(keys), max(keys)) if keys else (0, 0)


class ChangeFeed(models.Model):
    """The end of the feed of changes: one row with the last number given.

    Lines can be committed in another order than they were written, so a reader who pages by
    primary key could miss one. A line therefore gets its number only once it is committed, from
    one process at a time. Later numbers are always visible later.
    """

    last = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="feed_is_one")]

    @classmethod
    def number_new_lines(cls) -> bool:
        """Number the lines that have no number (1 query if there are none).

        Return whether some may be left: the batch is limited, so that nobody waits long.
        """
        if not NewLine.objects.exists():
            return False
        with transaction.atomic():
            feed, _created = cls.objects.select_for_update().get_or_create(pk=1)
            # Search only while holding the lock, to see everything committed until now.
            with connection.cursor() as cursor:
                cursor.execute(TAKE_LINES, [MOST_NUMBERED_AT_ONCE])
                taken = cursor.fetchall()
            feed.add_spans(sorted(pk for pk, told in taken if told))
            feed.save(update_fields=["last"])
        return len(taken) == MOST_NUMBERED_AT_ONCE

    def add_spans(self, keys: list[int]) -> None:
        """Give the next numbers to lines, in the order of their keys (at most 3 queries)."""
        last = FeedSpan.objects.order_by("-number").first() if keys else None
        spans = [] if last is None else [last]
        for key in keys:
            self.last += 1
            if spans and spans[-1].first + spans[-1].length == key:
                spans[-1].length += 1
            else:
                spans.append(FeedSpan(number=self.last, first=key, length=1))
        if last is not None:
            last.save(update_fields=["length"])
        FeedSpan.objects.bulk_create(span for span in spans if span is not last)

    @classmethod
    def last_number(cls) -> int:
        """Return the last number given, 0 before the first (1 query)."""
        return cls.objects.filter(pk=1).values_list("last", flat=True).first() or 0


TAKE_LINES = """
DELETE FROM tournaments_newline
WHERE id IN (SELECT id FROM tournaments_newline ORDER BY id LIMIT %s) RETURNING id, told
"""
