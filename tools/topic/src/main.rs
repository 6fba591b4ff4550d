//! `ontrail-topic`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-topic", ontrail_tool_topic::run)
}
