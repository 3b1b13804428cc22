#!/usr/bin/env python3
"""pages_test.py FOLDER [ROUNDEL]: the pages' links have targets; with ROUNDEL users' pages stay short, the README links to
them, and its scene is valid.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

README_WORDS = 900
USERS_WORDS = 27_000
CHANGELOG_LINES = 50  # for one version
FOR_DEVELOPERS = {"how-films-work.md"}


def anchors(page: str) -> set:
    """Returns the names that GitHub gives to the headings of a page."""
    names: set = set()
    for heading in re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number, base = 0, name
        while name in names:
            number += 1
            name = f"{base}-{number}"
        names.add(name)
    return names


def broken_links(source: pathlib.Path, page: pathlib.Path) -> list:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            broken.append(f"{page.relative_to(source)}: {link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            broken.append(f"{page.relative_to(source)}: {link}: no such heading")
    return broken


def wrong_pages(source: pathlib.Path, roundel: str) -> list:
    """Returns the pages that are too long or unlinked, and the errors of the README's scene."""
    failures = []
    readme = (source / "README.md").read_text(encoding="utf-8")
    if len(readme.split()) > README_WORDS:
        failures.append(f"README.md: {len(readme.split())} words, at most {README_WORDS}")
    users_pages = [page for page in sorted(source.glob("docs/*.md")) if page.name not in FOR_DEVELOPERS]
    failures += [f"README.md: no link to docs/{page.name}" for page in users_pages if f"](docs/{page.name})" not in readme]
    users = sum(len(text.split()) for text in [readme] + [page.read_text(encoding="utf-8") for page in users_pages])
    if users > USERS_WORDS:
        failures.append(f"README.md and docs/*.md: {users} words, at most {USERS_WORDS}")
    for version in re.split(r"^## ", (source / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        if version.count("\n") > CHANGELOG_LINES:
            failures.append(f"CHANGELOG.md: {version.splitlines()[0]}: more than {CHANGELOG_LINES} lines")

    scenes = re.findall(r"^```yaml\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    if not scenes:
        failures.append("README.md: no scene")
    for scene in scenes:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "first.yaml").write_text(scene, encoding="utf-8")
            run = subprocess.run([roundel, "validate", "first.yaml"], cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0 or run.stderr:
            failures.append(f"README.md: its scene: exit code {run.returncode}: {run.stderr}")
    return failures


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    pages = [source / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages += sorted(source.glob("docs/**/*.md"))
    failures = [failure for page in pages for failure in broken_links(source, page)]
    if len(sys.argv) > 2:
        failures += wrong_pages(source, sys.argv[2])
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
