"""Downloads and unpacks Debian packages without installing them."""

import pathlib
import subprocess
import sys


def unpacked(name, folder):
    """Returns the folder with the files of a package, which is downloaded if need be."""
    target = folder / name
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    if not archives(name, folder) and not downloaded(name, folder):
        update(folder)
        if not downloaded(name, folder):
            sys.exit(f"error: cannot download the package {name}; is it in the sources of apt?")
    new = folder / f"{name}.new"
    subprocess.run(["rm", "-rf", new], check=True)
    subprocess.run(["dpkg-deb", "-x", archives(name, folder)[-1], new], check=True)
    new.rename(target)
    return target


def archives(name, folder):
    return sorted(folder.glob(f"{name}_*.deb"))


def options(folder):
    """Returns options that keep the lists of packages in `folder`, so that no rights are needed."""
    lists = (folder / "lists").absolute()
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    settings = {"Dir::State::Lists": lists, "Dir::Cache": lists, "APT::Sandbox::User": "root"}
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def downloaded(name, folder):
    command = ["apt-get", "-q", *options(folder), "download", name]
    return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


def update(folder):
    subprocess.run(["apt-get", "-q", *options(folder), "update"], stdout=subprocess.DEVNULL)


def version(name, folder):
    """Returns the version of a package that was downloaded."""
    fields = ["dpkg-deb", "-f", archives(name, folder)[-1], "Version"]
    return subprocess.run(fields, check=True, capture_output=True, text=True).stdout.strip()


def pages(folder):
    """Returns the HTML files below a folder by their paths; links to files are left out."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*.html")):
        if path.is_file() and not path.is_symlink():
            text = path.read_text(encoding="utf-8", errors="replace")
            found[path.relative_to(folder).as_posix()] = text
    return found
