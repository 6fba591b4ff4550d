//! A web read from a folder.
//!
//! `http://localhost/a/b.html` is the file `a/b.html` of the folder. A URL of another host is
//! looked up in the subfolder with the name of the host, which is the layout that mirroring
//! programs write. The URL of a folder is the `index.html` in it.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use url::Url;

use super::{Failure, FailureKind, Fetching, Response, Wants, Web, format_head, not_found};

/// The host whose pages are in the folder itself.
const HOME: &str = "localhost";

/// The pages in a folder. A URL that has no file gets the response 404.
#[derive(Debug)]
pub struct FolderWeb {
    root: PathBuf,
}

/// A folder that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot read the folder of pages", path = path.display())]
pub struct FolderError {
    path: PathBuf,
    source: std::io::Error,
}

impl FolderWeb {
    /// Opens a folder.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        let root = folder.canonicalize();
        let root = root.map_err(|source| FolderError { path: folder.to_owned(), source })?;
        Ok(Self { root })
    }

    /// Returns the file of a URL, if there is one within the folder.
    fn file(&self, url: &Url) -> Option<PathBuf> {
        let host = url.host_str()?;
        let mut path = self.root.clone();
        if host != HOME {
            path.push(host);
        }
        for segment in url.path_segments()? {
            let name = percent_decoded(segment)?;
            let mut parts = Path::new(&name).components();
            match (parts.next(), parts.next()) {
                (None, _) => {}
                (Some(Component::Normal(_)), None) => path.push(&name),
                _ => return None,
            }
        }
        let mut choices = Vec::new();
        if let Some(query) = url.query() {
            let mut name = path.clone().into_os_string();
            name.push(format!("?{query}"));
            choices.push(PathBuf::from(name));
        }
        choices.extend([path.clone(), path.join("index.html"), path.join("index.htm")]);
        let found = choices.into_iter().find(|choice| choice.is_file())?;
        // A symbolic link must not lead out of the folder.
        found.canonicalize().ok().filter(|file| file.starts_with(&self.root))
    }

    fn response(&self, url: &Url, wants: Wants<'_>, limit: usize) -> Result<Response, Failure> {
        let Some(file) = self.file(url) else { return Ok(not_found(0)) };
        let content_type = media_type(&file);
        let is_unwanted = !wants(Some(content_type));
        let mut body = Vec::new();
        if !is_unwanted {
            let read = std::fs::File::open(&file)
                .and_then(|open| open.take(limit as u64 + 1).read_to_end(&mut body));
            read.map_err(|error| {
                Failure::new(FailureKind::Unreadable, format_args!("{}: {error}", file.display()))
            })?;
        }
        let is_cut = body.len() > limit;
        body.truncate(limit);
        let headers = vec![
            ("Content-Type".to_owned(), content_type.as_bytes().to_vec()),
            ("Content-Length".to_owned(), body.len().to_string().into_bytes()),
        ];
        let head = format_head(200, &headers);
        Ok(Response { status: 200, headers, head, body, is_cut, is_unwanted, ..not_found(0) })
    }
}

/// Returns the media type for a file's name.
fn media_type(file: &Path) -> &'static str {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "html" | "htm" | "shtml" | "php" | "asp" | "aspx" | "jsp" | "" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "txt" => "text/plain",
        "md" | "markdown" => "text/markdown",
        "rss" => "application/rss+xml",
        "atom" => "application/atom+xml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "svg" | "ico" => "image/*",
        // Mirroring programs write names such as `page.php?id=7`.
        other if other.contains('?') => "text/html",
        _ => "application/octet-stream",
    }
}

/// Decodes a segment of a URL's path; none if it is not a valid file name.
fn percent_decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) =
            code.filter(|_| first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok())
        {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok().filter(|name| !name.contains('\0'))
}

impl Web for FolderWeb {
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a> {
        Box::pin(std::future::ready(self.response(url, wants, limit)))
    }

    fn is_live(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_within_the_folder_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("web");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir_all(root.join("www.example.org")).unwrap();
        std::fs::write(folder.path().join("secret.html"), "secret").unwrap();
        std::fs::write(root.join("a/暴雨.html"), "rain").unwrap();
        std::fs::write(root.join("a/b/index.html"), "index").unwrap();
        std::fs::write(root.join("www.example.org/page?id=7"), "seven").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.html"), root.join("link.html"))
            .unwrap();
        let web = FolderWeb::open(&root).unwrap();
        let get = |url: &str| {
            let response = web.response(&url.parse().unwrap(), &|_| true, 4).unwrap();
            (response.status, String::from_utf8(response.body).unwrap(), response.is_cut)
        };
        assert_eq!(get("http://localhost/a/%E6%9A%B4%E9%9B%A8.html"), (200, "rain".into(), false));
        assert_eq!(get("http://localhost/a/b/"), (200, "inde".into(), true));
        assert_eq!(get("http://localhost/a/b"), (200, "inde".into(), true));
        assert_eq!(get("http://www.example.org/page?id=7"), (200, "seve".into(), true));
        for outside in [
            "http://localhost/../secret.html",
            "http://localhost/%2e%2e/secret.html",
            "http://localhost/..%2fsecret.html",
            "http://localhost/%2Fetc%2Fpasswd",
            "http://localhost/link.html",
            "http://../secret.html",
            "http://localhost/a%00b",
            "http://localhost/none.html",
        ] {
            let url = Url::parse(outside).unwrap();
            assert_eq!(web.response(&url, &|_| true, 4).unwrap().status, 404, "{outside}");
        }
    }
}
