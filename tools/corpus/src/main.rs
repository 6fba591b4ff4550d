//! `ontrail-corpus`: the tool as a binary of its own.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-corpus", ontrail_tool_corpus::run)
}
