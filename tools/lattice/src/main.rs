//! `ontrail-lattice`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-lattice", ontrail_tool_lattice::run)
}
