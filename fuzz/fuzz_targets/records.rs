//! Any bytes give the records of an archive, or an error.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use ontrail_archive::Records;

fuzz_target!(|bytes: Vec<u8>| {
    let reader = Box::new(std::io::Cursor::new(bytes));
    for record in Records::new(reader, Path::new("fuzz")).flatten() {
        let _ = record.response();
    }
});
