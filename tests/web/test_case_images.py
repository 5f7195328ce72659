"""Images of cases: shown where they may be, and never anything else."""

import base64
import json
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.report.image_size import detect_media_type, read_image_size
from fieldwise.web.settings import RequestLimits

BOXES = [[10, 10, 60, 50]]


def png(width: int, height: int) -> bytes:
    """A grey image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\0" + bytes(9) + b"\xff\xc0\x00\x11\x08\x00\x30\x00\x40" + bytes(12)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>alert(1)</script></svg>'


@pytest.fixture
def shown(workspace: Path, make_client: Callable[..., TestClient]) -> Callable[..., tuple[TestClient, str]]:
    """`shown("images/a.png")`: a client, and the address of a case with that image in a suite of its own folder."""

    def made(image: Any, evaluator: str = "iou_score", **settings: Any) -> tuple[TestClient, str]:
        folder = workspace / "suite"
        folder.mkdir(exist_ok=True)
        case = {"id": "a&b", "expected": BOXES, "actual": [[12, 12, 58, 52]], "metadata": {"image": image}}
        (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
        (folder / "boxes.yaml").write_text(json.dumps({"name": "boxes", "cases": "cases.jsonl", "evaluators": [{"type": evaluator}]}))
        run = fw.run(folder / "boxes.yaml", root=workspace / ".fieldwise")
        return make_client(**settings), f"/runs/{run.id}/{{}}?id=a%26b"

    (workspace / "suite" / "images").mkdir(parents=True)
    (workspace / "suite" / "images" / "a.png").write_bytes(png(200, 100))
    (workspace / "suite" / "notes.txt").write_text("secret")
    (workspace / "outside.png").write_bytes(png(2, 2))
    return made


def test_an_image_below_the_suites_folder_is_drawn_behind_the_boxes(shown: Any) -> None:
    client, address = shown("images/a.png")
    page = client.get(address.format("case")).text
    assert f'href="{address.format("image")}"' in page
    assert 'viewBox="0 0 200 ' in page  # the canvas is as large as the image, so that boxes stand where they belong
    image = client.get(address.format("image"))
    assert (image.status_code, image.headers["content-type"], image.content) == (200, "image/png", png(200, 100))
    assert image.headers["content-security-policy"].startswith("default-src 'none'")
    assert image.headers["x-content-type-options"] == "nosniff"


def test_an_image_without_boxes_is_shown_alone(shown: Any) -> None:
    client, address = shown("images/a.png", evaluator="field_prf")
    assert f'<img class="picture" src="{address.format("image")}"' in client.get(address.format("case")).text


def test_an_absolute_path_below_the_suites_folder_will_do(shown: Any, workspace: Path) -> None:
    client, address = shown(str((workspace / "suite" / "images" / "a.png").resolve()))
    assert client.get(address.format("image")).status_code == 200


@pytest.mark.parametrize(
    "image",
    [
        "../outside.png",
        "images/../../outside.png",
        "/etc/passwd",
        "notes.txt",
        "images",
        "images/none.png",
        "link.png",
        "linked/a.png",
        "pipe.png",
        "a\0b.png",
        "a:b.png",
        "a\\b.png",
        "https://example.org/a.png",
        "file:///etc/passwd",
        "javascript:alert(1)",
        ".",
        "",
        7,
    ],
)
def test_nothing_else_is_ever_served(shown: Any, workspace: Path, image: Any) -> None:
    suite = workspace / "suite"
    (suite / "link.png").symlink_to(workspace / "outside.png")
    (suite / "linked").symlink_to(suite / "images")
    os.mkfifo(suite / "pipe.png")
    for name in ("a:b.png", "a\\b.png"):  # other systems read these as a stream or a folder
        (suite / name).write_bytes(png(2, 2))
    client, address = shown(image)
    answer = client.get(address.format("image"))
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (404, "no-image")
    page = client.get(address.format("case")).text
    assert "<image" not in page
    assert ("is not shown:" in page) == (image not in ("", 7))


def test_an_image_that_is_too_large_is_told_so(shown: Any) -> None:
    client, address = shown("images/a.png", limits=RequestLimits(image=50))
    assert client.get(address.format("image")).status_code == 404
    assert "the image has more than 50 bytes" in client.get(address.format("case")).text


def test_a_configured_folder_is_looked_in_first(shown: Any, workspace: Path) -> None:
    (workspace / "pictures").mkdir()
    (workspace / "pictures" / "b.jpg").write_bytes(JPEG)
    client, address = shown("b.jpg", images=workspace / "pictures")
    assert client.get(address.format("image")).headers["content-type"] == "image/jpeg"
    assert 'viewBox="0 0 64 ' in client.get(address.format("case")).text


def test_what_strangers_send_names_no_file_of_the_suites(make_client: Callable[..., TestClient], workspace: Path) -> None:
    (workspace / "here.png").write_bytes(png(2, 2))
    client = make_client(data=None)
    case = {"id": "x", "expected": BOXES, "actual": BOXES, "metadata": {"image": "here.png"}}
    run = client.post("/api/v1/evaluate/batch", json={"store": True, "cases": [case], "evaluators": [{"type": "iou_score"}]}).json()["run"][
        "id"
    ]
    assert client.get(f"/runs/{run}/image?id=x").status_code == 404
    assert "--images FOLDER" in client.get(f"/runs/{run}/case?id=x").text


def test_an_image_in_the_case_itself_has_its_own_size(shown: Any) -> None:
    inline = "data:image/png;base64," + base64.b64encode(png(300, 150)).decode()
    client, address = shown(inline)
    page = client.get(address.format("case")).text
    assert 'viewBox="0 0 300 ' in page
    assert inline in page


def test_an_svg_that_is_opened_alone_runs_nothing(shown: Any, workspace: Path) -> None:
    (workspace / "suite" / "images" / "a.svg").write_bytes(SVG)
    client, address = shown("images/a.svg")
    answer = client.get(address.format("image"))
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("content", "media", "size"),
    [
        (png(7, 9), "image/png", (7, 9)),
        (JPEG, "image/jpeg", (64, 48)),
        (b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0" + bytes(4) + bytes([9, 0, 0, 4, 0, 0]), "image/webp", (10, 5)),
        (b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (9 | 4 << 14).to_bytes(4, "little"), "image/webp", (10, 5)),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 10, 5), "image/webp", (10, 5)),
        (b"\xff\xd8\xff", "image/jpeg", None),
        (b"\x89PNG\r\n\x1a\n", "image/png", None),
        (SVG, "image/svg+xml", (40, 30)),
        (b"<svg width='100%' height='100%' viewBox='0 0 8.4 6'>", "image/svg+xml", (8, 6)),
        (b"<svg width='8cm' height='6cm'>", "image/svg+xml", None),
        (b"<svg", None, None),
        (b"<html><svg>", None, None),
        (b"", None, None),
    ],
)
def test_an_image_is_known_by_what_is_in_it(content: bytes, media: str | None, size: tuple[int, int] | None) -> None:
    assert detect_media_type(content) == media
    assert read_image_size(content, media) == size
