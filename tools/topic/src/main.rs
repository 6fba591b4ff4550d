//! `ontrail-topic`: the tool as a binary of its own.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-topic", ontrail_tool_topic::run)
}
