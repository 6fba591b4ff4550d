//! Any bytes give an ontology, or an error. An ontology can be checked, and it is written without
//! losing an axiom or refused.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use ontrail_ontology::{Syntax, read_from};

fuzz_target!(|input: (u8, Vec<u8>)| {
    let syntax = Syntax::ALL[usize::from(input.0) % Syntax::ALL.len()];
    if let Ok(document) = read_from(&input.1, Some(syntax), Path::new("fuzz")) {
        let report = document.check();
        assert!(report.levels <= report.classes.max(1));
        for syntax in Syntax::ALL {
            let _ = document.ontology.to_bytes(syntax);
        }
    }
});
