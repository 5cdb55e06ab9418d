import event_keys

ROWS = {event_keys.Event(user, at).encode(): f"{user} {at}" for user in ("cyd", "ada", "bob") for at in (1, 1_307_097_000_000)}


def scan(ranges):
    for key, row in sorted(ROWS.items()):
        if any(start <= key and (end is None or key < end) for start, end in ranges):
            yield key, row


# EXAMPLE

assert [row for _, row in scan(recent.ranges())] == ["ada 1307097000000"]
