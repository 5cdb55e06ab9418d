import rowkeys.Event;

/**
 * Prefixes that do not compile: a field that is not the next one, twice, and what is after a range.
 */
final class WrongOrder {
  Object notTheFirst = Event.prefix().at(7);
  Object twice = Event.prefix().user("a").user("b");
  Object afterRange = Event.prefix().userStartsWith("a").at(7);
}
