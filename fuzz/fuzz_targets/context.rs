//! Any bytes give a formal context, or an error. A context is read back unchanged from every
//! format, and every intent of its lattice is closed.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use ontrail_fca::Listing;
use ontrail_fca::format::{self, Format};

fuzz_target!(|input: (u8, Vec<u8>)| {
    let formats = [
        Format::Burmeister,
        Format::Csv,
        Format::Fimi,
        Format::Json,
        Format::ConExp,
        Format::ConExpText,
    ];
    let chosen = formats[usize::from(input.0) % formats.len()];
    let Ok(context) = format::read_from(&mut input.1.as_slice(), chosen, Path::new("fuzz")) else {
        return;
    };
    for written in [Format::Burmeister, Format::Csv, Format::Json] {
        if format::unwritable_name(&context, written).is_some() {
            continue;
        }
        let mut bytes = Vec::new();
        format::write(&context, written, &mut bytes).expect("memory can be written to");
        let read = format::read_from(&mut bytes.as_slice(), written, Path::new("written"));
        assert_eq!(read.expect("what was written can be read"), context);
    }
    let listing = Listing::new().limit(2_000).parallel(false);
    if let Ok(lattice) = listing.lattice(&context) {
        for id in lattice.concepts().ids() {
            let intent = lattice.concepts().intent(id);
            assert_eq!(context.closure(&intent), intent);
        }
    }
});
