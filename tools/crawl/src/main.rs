//! `ontrail-crawl`: the tool as a separate binary.

fn main() -> std::process::ExitCode {
    ontrail_cli::tool_main("ontrail-crawl", ontrail_tool_crawl::run)
}
