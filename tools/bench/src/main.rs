//! `ontrail-bench`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-bench", ontrail_tool_bench::run)
}
