"""Settings of the process that several runs share."""

import gc
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from threading import Thread

import pytest
from threadpoolctl import threadpool_info

from fieldwise.kernels.runtime import SharedSetting, rare_garbage_collection, throughput_settings


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_settings_are_restored_whichever_run_ends_first() -> None:
    threshold, threads = gc.get_threshold(), blas_threads()
    first, second = ExitStack(), ExitStack()
    first.enter_context(throughput_settings())
    second.enter_context(throughput_settings())
    first.close()
    assert gc.get_threshold()[0] >= 500_000  # the second run still needs it
    second.close()
    assert (gc.get_threshold(), blas_threads()) == (threshold, threads)


def test_settings_nest() -> None:
    threshold = gc.get_threshold()
    with rare_garbage_collection(), throughput_settings(), rare_garbage_collection():
        assert gc.get_threshold()[0] >= 500_000
    assert gc.get_threshold() == threshold


def test_threads_that_overlap_leave_nothing_behind() -> None:
    threshold = gc.get_threshold()

    def enter_often() -> None:
        for _ in range(500):
            with rare_garbage_collection():
                pass

    threads = [Thread(target=enter_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == threshold


def test_a_setting_that_cannot_be_applied_is_tried_again() -> None:
    applied: list[int] = []

    @contextmanager
    def apply() -> Generator[None]:
        applied.append(1)
        if len(applied) == 1:
            raise OSError("not now")
        yield
        applied.append(-1)

    setting = SharedSetting(apply)
    with pytest.raises(OSError, match="not now"), setting.use():
        pass
    with setting.use(), setting.use():
        pass
    assert applied == [1, 1, -1]
