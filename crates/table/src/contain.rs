//! Contains panics of the Parquet reader.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while this thread runs contained code, whose panics print nothing.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function. Returns the message of its panic if it panics.
///
/// The function must not leave anything half-changed that is used after a panic.
pub(crate) fn contain<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                before(panic);
            }
        }));
    });
    let was_quiet = IS_QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(function));
    IS_QUIET.set(was_quiet);
    match result {
        Ok(value) => Ok(value),
        Err(payload) => {
            let message = payload.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| payload.downcast_ref::<&str>().copied());
            Err(format!("the reader failed: {}", message.unwrap_or("unknown error")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_thread_goes_on() {
        assert_eq!(contain(|| 1), Ok(1));
        let number = 7;
        let failed: Result<(), _> = contain(|| panic!("no {number}"));
        assert_eq!(failed, Err("the reader failed: no 7".to_owned()));
        let failed: Result<(), _> = contain(|| panic!("plain"));
        assert_eq!(failed, Err("the reader failed: plain".to_owned()));
        assert!(!IS_QUIET.get());
    }
}
