//! The schedule of tokens, on a clock that the tests move.

use std::sync::atomic::AtomicUsize;

use futures_util::future::join_all;
use tokio::time::{advance, sleep};

use super::*;

/// A provider whose answers a test writes: by the number of the fetch.
struct Scripted<F> {
    fetches: Arc<AtomicUsize>,
    answer: F,
}

fn tokens<R: Future<Output = Result<Token, TokenError>> + Send + 'static>(
    answer: impl Fn(usize) -> R + Send + Sync + 'static,
) -> (Tokens, Arc<AtomicUsize>) {
    let fetches = Arc::new(AtomicUsize::new(0));
    let scripted = Scripted { fetches: Arc::clone(&fetches), answer };
    let provider = move || (scripted.answer)(scripted.fetches.fetch_add(1, Ordering::AcqRel));
    (Tokens::of(Handle::current(), Arc::new(provider), None), fetches)
}

fn begun(fetches: &AtomicUsize) -> usize {
    fetches.load(Ordering::Acquire)
}

/// The header that a request would have.
async fn header(tokens: &Tokens) -> Result<String, Status> {
    let mut request = Request::new(());
    tokens.authorize(&mut request).await?;
    Ok(request.metadata().get("authorization").unwrap().to_str().unwrap().to_owned())
}

fn numbered(number: usize) -> Token {
    Token::new(format!("t{number}"))
}

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn calls_that_end_before_the_fetch_do_not_end_it() {
    let (tokens, fetches) = tokens(|number| async move {
        sleep(Duration::from_millis(300)).await;
        Ok(numbered(number).expires_in(HOUR))
    });
    let call = || timeout(Duration::from_millis(200), header(&tokens));
    let mut succeeded = 0;
    for _ in 0..25 {
        succeeded += usize::from(call().await.is_ok());
    }
    assert_eq!((succeeded, begun(&fetches)), (24, 1));
    let at_once = join_all((0..25).map(|_| header(&tokens))).await;
    assert!(at_once.iter().all(|header| header.as_deref().unwrap() == "Bearer t0"));
}

#[tokio::test(start_paused = true)]
async fn calls_at_once_wait_for_one_fetch() {
    let (tokens, fetches) = tokens(|number| async move {
        sleep(Duration::from_secs(5)).await;
        Ok(numbered(number).expires_in(HOUR))
    });
    let headers = join_all((0..25).map(|_| header(&tokens))).await;
    assert!(headers.iter().all(|header| header.as_deref().unwrap() == "Bearer t0"));
    assert_eq!(begun(&fetches), 1);
}

#[tokio::test(start_paused = true)]
async fn a_token_is_replaced_before_its_end_without_a_call() {
    for (lifetime, replaced) in [(HOUR, HOUR - AHEAD), (Duration::from_secs(100), Duration::from_secs(80))] {
        let (tokens, fetches) = tokens(move |number| async move { Ok(numbered(number).expires_in(lifetime)) });
        assert_eq!(header(&tokens).await.unwrap(), "Bearer t0");
        sleep(replaced - Duration::from_secs(1)).await;
        assert_eq!(begun(&fetches), 1);
        sleep(Duration::from_secs(2)).await;
        assert_eq!(begun(&fetches), 2);
        assert_eq!(header(&tokens).await.unwrap(), "Bearer t1");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_serves_until_its_end_if_none_can_be_had() {
    for kind in [ErrorKind::Busy, ErrorKind::PermissionDenied] {
        let (tokens, fetches) = tokens(move |number| async move {
            match number {
                0 => Ok(numbered(0).expires_in(HOUR)),
                _ => Err(TokenError::new(kind, "no more")),
            }
        });
        assert_eq!(header(&tokens).await.unwrap(), "Bearer t0");
        sleep(HOUR - Duration::from_secs(5)).await;
        assert!(begun(&fetches) > 20, "it is tried again: {}", begun(&fetches));
        assert_eq!(header(&tokens).await.unwrap(), "Bearer t0");
        sleep(Duration::from_secs(5)).await;
        let status = timeout(LONGEST_PAUSE, header(&tokens)).await.unwrap().unwrap_err();
        assert_eq!(kind_before(&status), Some(kind));
    }
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_fetched_again_after_growing_pauses() {
    let (tokens, fetches) = tokens(|number| async move {
        match number {
            ..8 => Err(TokenError::unavailable(format!("not yet {number}"))),
            _ => Ok(numbered(number).expires_in(HOUR)),
        }
    });
    let begin = Instant::now();
    let mut failures = Vec::new();
    let header = loop {
        match header(&tokens).await {
            Ok(header) => break header,
            Err(status) => failures.push(status.source().unwrap().to_string()),
        }
    };
    assert_eq!(header, "Bearer t8");
    assert_eq!(failures, (0..8).map(|number| format!("not yet {number}")).collect::<Vec<_>>());
    // 0.1 s, 0.2 s up to 10 s, of which a half is random.
    let pauses = [100, 200, 400, 800, 1600, 3200, 6400, 10_000];
    let most: u64 = pauses.iter().sum();
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(most / 2) && took <= Duration::from_millis(most + 100), "{took:?}");
    assert_eq!(begun(&fetches), 9);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_at_once_and_kept_for_a_pause() {
    let (tokens, fetches) = tokens(|_| async { Err(TokenError::denied("invalid_grant")) });
    for _ in 0..25 {
        let status = timeout(Duration::from_millis(1), header(&tokens)).await.unwrap().unwrap_err();
        assert_eq!((status.code(), kind_before(&status)), (Code::Unauthenticated, Some(ErrorKind::PermissionDenied)));
    }
    assert_eq!(begun(&fetches), 1);
    sleep(HOUR).await;
    assert_eq!(begun(&fetches), 1, "nobody asks");
    header(&tokens).await.unwrap_err();
    assert_eq!(begun(&fetches), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_fetched_for_nobody() {
    let (tokens, fetches) = tokens(|_| async { Err(TokenError::unavailable("503")) });
    header(&tokens).await.unwrap_err();
    sleep(HOUR).await;
    assert_eq!(begun(&fetches), 1);
    header(&tokens).await.unwrap_err();
    assert_eq!(begun(&fetches), 2);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_refused_is_dropped_once_for_all_calls() {
    let (tokens, fetches) = tokens(|number| async move { Ok(numbered(number).expires_in(HOUR)) });
    let sent = async || {
        let (mut request, used) = (Request::new(()), Used::default());
        request.extensions_mut().insert(used.clone());
        tokens.authorize(&mut request).await.unwrap();
        used
    };
    let together = join_all((0..25).map(|_| sent())).await;
    assert!(together.iter().all(|used| tokens.refused(used)));
    assert_eq!(header(&tokens).await.unwrap(), "Bearer t1");
    assert_eq!(begun(&fetches), 2);
    // A service that refuses all tokens is not asked for one after another.
    for _ in 0..25 {
        tokens.refused(&sent().await);
    }
    assert_eq!(begun(&fetches), 1 + DROPS);
    advance(DROPS_IN).await;
    assert!(tokens.refused(&sent().await));
}

#[tokio::test(start_paused = true)]
async fn an_endless_token_is_fetched_once() {
    let (tokens, fetches) = tokens(|number| async move { Ok(numbered(number)) });
    for _ in 0..3 {
        assert_eq!(header(&tokens).await.unwrap(), "Bearer t0");
        sleep(HOUR * 100).await;
    }
    assert_eq!(begun(&fetches), 1);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_can_not_be_used_is_an_error() {
    let (expired, _) = tokens(|_| async { Ok(Token::new("t").expires_in(Duration::ZERO)) });
    assert_eq!(kind_before(&header(&expired).await.unwrap_err()), Some(ErrorKind::Busy));
    let (split, _) = tokens(|_| async { Ok(Token::new("a\nb")) });
    assert_eq!(kind_before(&header(&split).await.unwrap_err()), Some(ErrorKind::InvalidInput));
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_hangs_is_given_up_and_repeated() {
    let (tokens, fetches) = tokens(|number| async move {
        match number {
            0 => std::future::pending().await,
            _ => Ok(numbered(number)),
        }
    });
    assert_eq!(kind_before(&header(&tokens).await.unwrap_err()), Some(ErrorKind::Busy));
    assert_eq!(header(&tokens).await.unwrap(), "Bearer t1");
    assert_eq!(begun(&fetches), 2);
}

#[tokio::test(start_paused = true)]
async fn what_waits_says_for_how_long() {
    let (tokens, _) = tokens(|number| async move {
        match number {
            0 => Err(TokenError::unavailable("503")),
            1 => std::future::pending().await,
            _ => Ok(numbered(number)),
        }
    });
    let said = || tokens.lateness(Code::Unavailable).map(|status| status.source().unwrap().to_string());
    assert_eq!(said(), None);
    header(&tokens).await.unwrap_err();
    assert_eq!(said().unwrap(), "503");
    let waiting = timeout(Duration::from_secs(4), header(&tokens));
    waiting.await.unwrap_err();
    let text = said().unwrap();
    assert!(text.starts_with("being fetched for 3.") && text.ends_with(" s, after 503"), "{text}");
    header(&tokens).await.unwrap_err();
    header(&tokens).await.unwrap();
    assert_eq!(said(), None);
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_with_the_client() {
    let (tokens, _) = tokens(|number| async move { Ok(numbered(number).expires_in(HOUR)) });
    header(&tokens).await.unwrap();
    let metrics = Handle::current().metrics();
    assert_eq!(metrics.num_alive_tasks(), 1);
    drop(tokens);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(metrics.num_alive_tasks(), 0);
}

/// As any failure that lasts: it is kept for a pause, and is no reason to drop the token that there is.
#[tokio::test(start_paused = true)]
async fn a_provider_that_panics_has_failed() {
    let (panicking, fetches) = tokens(|_| async { panic!("in a test") });
    for _ in 0..25 {
        let status = header(&panicking).await.unwrap_err();
        assert_eq!(kind_before(&status), Some(ErrorKind::Other));
        assert_eq!(status.source().unwrap().to_string(), "the provider of tokens panicked: in a test");
    }
    assert_eq!(begun(&fetches), 1);
    // Before there is a future.
    let at_once = |_| -> std::future::Ready<Result<Token, TokenError>> { panic!("in a test") };
    assert!(header(&tokens(at_once).0).await.unwrap_err().source().unwrap().to_string().contains("panicked"));

    let (refreshed, fetches) = tokens(|number| async move {
        assert!(number != 1, "at the refresh");
        Ok(numbered(number).expires_in(HOUR))
    });
    assert_eq!(header(&refreshed).await.unwrap(), "Bearer t0");
    sleep(HOUR - AHEAD + Duration::from_secs(1)).await;
    assert_eq!(begun(&fetches), 3, "it is asked again while the old token serves");
    assert_eq!(header(&refreshed).await.unwrap(), "Bearer t2");
}

#[test]
fn a_runtime_that_has_ended_is_an_error() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let provider = || async { Ok(Token::new("t")) };
    let tokens = Tokens::of(runtime.handle().clone(), Arc::new(provider), None);
    drop(runtime);
    let other = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for _ in 0..3 {
        let status = other.block_on(header(&tokens)).unwrap_err();
        assert_eq!(kind_before(&status), Some(ErrorKind::Other));
        assert_eq!(status.source().unwrap().to_string(), "the client's runtime has ended");
    }
}
