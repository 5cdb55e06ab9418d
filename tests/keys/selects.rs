//! A query by an owned layout selects the ranges that a derived prefix does.

use std::ops::Bound::{Excluded, Included, Unbounded};

use proptest::prelude::*;
use rowkey::untyped::FieldValues;
use rowkey::{HostPath, KeyRange, LayoutBuf, RowKey, Select, Selection, UrlKey, Value};

#[derive(RowKey)]
#[rowkey(salt(buckets = 5, by(user)))]
struct Event {
    user: String,
    #[rowkey(desc)]
    at: i64,
    kind: Option<u8>,
    #[rowkey(raw)]
    text: String,
}

#[derive(RowKey)]
struct Turned {
    #[rowkey(desc)]
    name: String,
    #[rowkey(desc, nulls_first)]
    rank: Option<u16>,
}

#[derive(RowKey)]
struct Page {
    #[rowkey(desc)]
    page: HostPath,
    url: UrlKey,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 4, by(id)))]
struct Hashed {
    id: u32,
    at: u16,
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn option(number: Option<u16>) -> Value {
    Value::Option(number.map(|number| Box::new(Value::Unsigned(number.into()))))
}

#[track_caller]
fn same<K: RowKey>(typed: Selection<K>, leading: &[Value], next: Option<FieldValues>) {
    let layout = LayoutBuf::from(&K::LAYOUT);
    let untyped = layout.ranges_by_bucket(leading, next.as_ref()).unwrap();
    assert_eq!(untyped, typed.ranges_by_bucket());
    if next.is_none() {
        assert_eq!(layout.ranges(leading).unwrap(), KeyRange::merged(untyped.into_iter().flatten().collect()));
    }
}

proptest! {
    #[test]
    fn as_a_derived_prefix(
        user in "[a\\x00]{0,3}",
        a in any::<i64>(),
        b in any::<i64>(),
        kind in any::<Option<u8>>(),
        start in "[a\\x00]{0,2}",
        low in any::<Option<u16>>(),
        high in any::<Option<u16>>(),
    ) {
        let (t0, t1) = (Value::Signed(a.into()), Value::Signed(b.into()));
        let (u, k) = (text(&user), option(kind.map(u16::from)));
        let event = || Event::prefix().user(&user);
        same(Event::prefix().select(), &[], None);
        same(event().select(), std::slice::from_ref(&u), None);
        let fixed = std::slice::from_ref(&u);
        same(event().at_range(a..b), fixed, Some(FieldValues::Between(Included(t0.clone()), Excluded(t1.clone()))));
        same(event().at_range((Excluded(a), Included(b))), fixed, Some(FieldValues::Between(Excluded(t0.clone()), Included(t1.clone()))));
        same(event().at_range(a..), fixed, Some(FieldValues::Between(Included(t0.clone()), Unbounded)));
        same(event().at_in([a, b]), fixed, Some(FieldValues::In(vec![t0.clone(), t1])));
        let fixed = [u, t0, k];
        let event = || event().at(a).kind(kind);
        same(event().select(), &fixed, None);
        same(event().text_starts_with(&start), &fixed, Some(FieldValues::StartsWith(text(&start))));
        same(event().text_range(&*user..&*start), &fixed, Some(FieldValues::Between(Included(text(&user)), Excluded(text(&start)))));
        same(event().text_range(..=&*start), &fixed, Some(FieldValues::Between(Unbounded, Included(text(&start)))));
        same(event().text_in([&*user, &*start]), &fixed, Some(FieldValues::In(vec![text(&user), text(&start)])));

        same(Turned::prefix().name_starts_with(&start), &[], Some(FieldValues::StartsWith(text(&start))));
        same(Turned::prefix().name_range(&*user..=&*start), &[], Some(FieldValues::Between(Included(text(&user)), Included(text(&start)))));
        same(
            Turned::prefix().name(&user).rank_range((Excluded(low), Included(high))),
            &[text(&user)],
            Some(FieldValues::Between(Excluded(option(low)), Included(option(high)))),
        );

        let id = Value::Unsigned(7);
        same(Hashed::prefix().id(7).at_range(1..9), &[id], Some(FieldValues::Between(Included(Value::Unsigned(1)), Excluded(Value::Unsigned(9)))));
    }
}

#[test]
fn domains() {
    let page: HostPath = "apache.org/x".parse().unwrap();
    for host in ["apache.org", "org", "10.0.0.1", "[::1]"] {
        same(Page::prefix().page_under(host), &[], Some(FieldValues::Under(host.to_owned())));
        let fixed = [text("apache.org/x")];
        same(Page::prefix().page(&page).url_under(host), &fixed, Some(FieldValues::Under(host.to_owned())));
    }
    let layout = LayoutBuf::from(&Page::LAYOUT);
    let refused = |host: &str| layout.ranges_by_bucket(&[], Some(&FieldValues::Under(host.to_owned()))).unwrap_err();
    assert!(refused("Apache.org").to_string().starts_with("page: "));
    assert!(refused("apache.org/x").to_string().starts_with("page: "));
    let layout = LayoutBuf::from(&Turned::LAYOUT);
    let error = layout.ranges_by_bucket(&[], Some(&FieldValues::Under("a.org".to_owned()))).unwrap_err();
    assert_eq!(error.to_string(), "name: a text is under no domain");
}

#[test]
fn what_no_prefix_can_select_is_refused() {
    let layout = LayoutBuf::from(&Hashed::LAYOUT);
    let all = FieldValues::Between(Unbounded, Unbounded);
    let refused =
        |leading: &[Value], next: &FieldValues| layout.ranges_by_bucket(leading, Some(next)).unwrap_err().to_string();
    let (id, at) = (Value::Unsigned(1), Value::Unsigned(2));
    assert!(refused(&[], &FieldValues::In(vec![text("a")])).starts_with("id: "));
    assert!(refused(&[], &FieldValues::Between(Included(id.clone()), Unbounded)).contains("digest"));
    assert!(refused(&[id.clone(), at], &all).contains("all fields have a value"));
    assert!(refused(&[id], &FieldValues::StartsWith(text("a"))).starts_with("at: "));
}

/// Own types with names of std's, which the derive can't tell from these: what their fields select is decided by their
/// traits.
mod own_types {
    use std::rc::Rc;
    use std::sync::Arc;

    use rowkey::prefix::tuple_prefix;
    use rowkey::{HostPath, KeyRange, RowKey, Select, Selection};

    #[derive(RowKey, Debug, Clone, PartialEq)]
    pub struct Duration {
        pub user: u8,
        pub at: u16,
    }
    #[derive(RowKey, Debug, Clone, PartialEq)]
    #[rowkey(transparent)]
    pub struct Uuid(pub String);
    #[derive(RowKey, Debug, Clone, PartialEq)]
    pub enum List {
        #[rowkey(tag = 1)]
        Login { user: u8 },
    }
    #[derive(RowKey, Debug, Clone, PartialEq)]
    #[rowkey(transparent)]
    pub struct Reverse(pub Duration);
    #[derive(RowKey, Debug, Clone, PartialEq)]
    #[rowkey(transparent)]
    pub struct IpAddr(pub HostPath);

    #[derive(RowKey)]
    struct A {
        a: Duration,
        a_prefix_of: u8,
    }
    #[derive(RowKey)]
    struct B {
        b: Uuid,
    }
    #[derive(RowKey)]
    struct C {
        c: List,
    }
    #[derive(RowKey)]
    struct D {
        d: Reverse,
    }
    #[derive(RowKey)]
    struct E {
        #[rowkey(desc)]
        e: Box<Duration>,
        f: Rc<Uuid>,
    }
    #[derive(RowKey)]
    struct F {
        f: Arc<(u8, Box<Duration>)>,
    }
    #[derive(RowKey)]
    struct G {
        g: IpAddr,
    }
    #[derive(RowKey)]
    struct H {
        h: Rc<IpAddr>,
    }
    /// Of the names that std, chrono and this crate have for types that can't be a field, or not so.
    mod others {
        use rowkey::RowKey;

        #[derive(RowKey, Debug, Clone, PartialEq)]
        pub struct Vec<T: rowkey::encode::Field> {
            pub first: T,
        }
        #[derive(RowKey, Debug, Clone, PartialEq)]
        pub struct DateTime<T: rowkey::encode::Field> {
            pub at: T,
        }
        #[derive(RowKey, Debug, Clone, PartialEq)]
        pub struct Bucket<const N: u64> {
            pub at: u8,
        }
    }
    #[derive(RowKey)]
    struct I {
        i: others::Vec<u16>,
        at: others::DateTime<u8>,
        bucket: self::others::Bucket<0>,
    }
    /// Names that methods which can't be used would take.
    #[derive(RowKey)]
    struct Names {
        user: u64,
        user_prefix: u8,
        user_within: u8,
        user_starts_with: u8,
        user_under: u8,
    }

    #[test]
    fn what_a_field_selects_is_decided_by_traits() {
        let prefix = |bytes: &[u8]| [KeyRange::prefix(bytes)];
        let key = |bytes: &[u8]| [KeyRange::new(bytes, Some([bytes, &[0]].concat())).unwrap()];
        assert_eq!(A::prefix().a_prefix(Duration::prefix().user(1)).ranges(), prefix(&[1]));
        let i = I::prefix().i(others::Vec { first: 1 }).at(others::DateTime { at: 2 });
        assert_eq!(i.bucket(others::Bucket { at: 3 }).ranges(), key(&[0, 1, 2, 3]));
        let later = A::prefix().a_prefix(Duration::prefix().user(1).at_range(2..3)).ranges();
        assert_eq!(later, [KeyRange::new([1, 0, 2], Some([1, 0, 3])).unwrap()]);
        assert_eq!(A::prefix().a(Duration { user: 1, at: 2 }).a_prefix_of(3).ranges(), key(&[1, 0, 2, 3]));
        assert_eq!(B::prefix().b_starts_with("ab").ranges(), prefix(b"ab"));
        assert_eq!(C::prefix().c_prefix(List::prefix().login().user(7)).ranges(), prefix(&[1, 7]));
        assert_eq!(D::prefix().d_prefix(Duration::prefix().user(1)).ranges(), prefix(&[1]));
        assert_eq!(E::prefix().e_prefix(Duration::prefix().user(1)).ranges(), prefix(&[0xfe]));
        let both = E::prefix().e(Box::new(Duration { user: 1, at: 2 })).f_starts_with("ab").ranges();
        assert_eq!(both, prefix(b"\xfe\xff\xfdab"));
        assert_eq!(F::prefix().f_prefix(tuple_prefix()._0(3)).ranges(), prefix(&[3]));
        let inner = Duration::prefix().user(1);
        assert_eq!(
            F::prefix().f_prefix(<(u8, Box<Duration>)>::prefix()._0(3)._1_prefix(inner)).ranges(),
            prefix(&[3, 1])
        );
        let under = [KeyRange::new(*b"org.apache.", Some(*b"org.apache0")).unwrap()];
        assert_eq!(G::prefix().g_under("apache.org").ranges(), under);
        assert_eq!(H::prefix().h_under("apache.org").ranges(), under);
        assert_eq!(<(HostPath,)>::prefix()._0_under("apache.org").ranges(), under);
        let names = Names::prefix().user(1).user_prefix(2).user_within(3).user_starts_with(4).user_under(5);
        assert_eq!(names.ranges(), key(&[0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn a_newtype_is_selected_by_what_it_holds() {
        let inner = || Duration::prefix().user(1).at_range(2..);
        assert_eq!(Selection::<Reverse>::nested(inner()).ranges(), inner().ranges());
        assert_eq!(Selection::<Box<Duration>>::nested(inner()).ranges(), inner().ranges());
        assert_eq!(Selection::<Box<Reverse>>::nested(inner()).ranges(), inner().ranges());
    }
}
