//! Ctrl-C as a flag.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that SIGINT (Ctrl-C) or SIGTERM sets, so that work can end in good order. The
/// second signal ends the process at once.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
