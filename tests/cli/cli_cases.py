"""Cases written to files."""

import json
from pathlib import Path


def write_jsonl(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_coco_files(folder: Path) -> tuple[Path, Path]:
    """Annotations of two images and the detections in one of them."""
    annotations = {
        "info": {"description": "two images"},
        "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0},
            {"id": 2, "image_id": 2, "category_id": 1, "bbox": [5, 5, 20, 20], "area": 400, "iscrowd": 0},
        ],
        "categories": [{"id": 1, "name": "cat"}],
    }
    detections = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 9], "score": 0.9}]
    paths = folder / "instances.json", folder / "detections.json"
    for path, content in zip(paths, (annotations, detections), strict=True):
        path.write_text(json.dumps(content))
    return paths
