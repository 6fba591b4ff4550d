//! Tells trouble of this machine from trouble of a host.
//!
//! A process without file descriptors, memory, ports or disk space fails at everything it tries.
//! That says nothing about the hosts that it tried to reach, so such a failure must not count
//! against them.

use std::io::{Error, ErrorKind};

/// Returns true if an I/O error says that this process or this machine has run out of something:
/// file descriptors, memory, buffers, local ports or disk space.
///
/// ```
/// # use ontrail_crawl::is_local_trouble;
/// use std::io::{Error, ErrorKind};
/// assert!(is_local_trouble(&Error::from(ErrorKind::StorageFull)));
/// assert!(!is_local_trouble(&Error::from(ErrorKind::ConnectionRefused)));
/// ```
#[must_use]
pub fn is_local_trouble(error: &Error) -> bool {
    let is_known = matches!(
        error.kind(),
        ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::OutOfMemory
            | ErrorKind::AddrNotAvailable
    );
    // An error may be wrapped in others.
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    is_known || is_exhaustion(error) || inner.is_some_and(is_local_trouble)
}

/// Returns true for the errors that have no kind in the standard library.
#[cfg(unix)]
fn is_exhaustion(error: &Error) -> bool {
    use rustix::io::Errno;

    let codes = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS];
    error.raw_os_error().is_some_and(|code| codes.iter().any(|own| own.raw_os_error() == code))
}

#[cfg(not(unix))]
fn is_exhaustion(_error: &Error) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_machine_that_has_run_out_of_something_is_told_from_a_bad_host() {
        use Errno as E;
        for code in [E::MFILE, E::NFILE, E::NOBUFS, E::NOMEM, E::ADDRNOTAVAIL, E::NOSPC, E::DQUOT] {
            let error = Error::from_raw_os_error(code.raw_os_error());
            assert!(is_local_trouble(&error), "{error}");
            assert!(is_local_trouble(&Error::other(error)));
        }
        for code in [E::CONNREFUSED, E::CONNRESET, E::TIMEDOUT, E::HOSTUNREACH, E::PIPE] {
            let error = Error::from_raw_os_error(code.raw_os_error());
            assert!(!is_local_trouble(&error), "{error}");
        }
    }
}
