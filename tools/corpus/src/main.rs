//! `ontrail-corpus`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-corpus", ontrail_tool_corpus::run)
}
