"""Questions to a model: response formats, invalid replies, retries, limits, cache, secrecy of keys."""

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Say, model_server

from fieldwise.ask.asker import LiveAsker, open_asker
from fieldwise.model.ask import Asking, Asks, Chat, Endpoint, Message, Price, Replies, Reply

SCHEMA = {"type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}}, "required": ["score"]}
GOOD = Say('{"score": 0.5}')


def chat(server: ModelServer, text: str = "Is it?", schema: Any = SCHEMA, **options: Any) -> Chat:
    endpoint = Endpoint(url=server.url, name="judge-1", **options)
    return Chat(endpoint=endpoint, messages=(Message("system", "You judge."), Message("user", text)), schema=schema)


def asked(asker: LiveAsker, chats: Sequence[Chat]) -> list[Reply]:
    replies: dict[int, Reply] = {}

    def follow(judge: int, new_replies: Replies) -> Asks:
        replies[judge] = new_replies[0]
        return ()

    asker.answer({which: (each,) for which, each in enumerate(chats)}, follow)
    return [replies[which] for which in range(len(chats))]


def ask(*chats: Chat, **asking: Any) -> list[Reply]:
    with open_asker(Asking(**{"cache": None, **asking})) as asker:
        return asked(asker, chats)


class TestARequest:
    def test_it_carries_model_messages_settings_and_the_schema(self) -> None:
        with model_server(GOOD) as server:
            [reply] = ask(chat(server, max_tokens=50, seed=7, parameters={"reasoning_effort": "low"}))
        assert (reply.data, reply.problem) == ({"score": 0.5}, None)
        [request] = server.requests
        assert server.paths == ["/v1/chat/completions"]
        assert {name: request[name] for name in ("model", "temperature", "max_tokens", "seed", "reasoning_effort")} == {
            "model": "judge-1",
            "temperature": 0.0,
            "max_tokens": 50,
            "seed": 7,
            "reasoning_effort": "low",
        }
        assert request["response_format"]["json_schema"]["schema"] == SCHEMA
        assert json.dumps(SCHEMA, separators=(",", ":")) in request["messages"][-1]["content"]

    def test_temperature_null_leaves_it_out(self) -> None:
        with model_server(GOOD) as server:
            ask(chat(server, temperature=None))
        assert "temperature" not in server.requests[0]

    def test_without_a_schema_any_text_will_do(self) -> None:
        with model_server(Say("yes")) as server:
            [reply] = ask(chat(server, schema=None))
        assert (reply.text, reply.problem, "response_format" in server.requests[0]) == ("yes", None, False)

    def test_tokens_cost_and_time_are_told(self) -> None:
        with model_server(GOOD) as server:
            [reply] = ask(chat(server, price=Price(input=1.0, output=10.0)))
        usage = reply.usage
        assert (usage.calls, usage.tokens_in, usage.tokens_out, usage.cost_usd) == (1, 100, 20, pytest.approx(0.0003))
        assert usage.seconds > 0


class TestKeys:
    def test_the_key_comes_from_the_variable_that_is_named_and_is_told_nowhere(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("DEBUG")
        monkeypatch.setenv("JUDGE_KEY", "sk-secret-123")
        echo = Say("wrong key sk-secret-123", status=400)
        with model_server(lambda request: echo if "bad" in request["messages"][-1]["content"] else GOOD) as server:
            replies = ask(chat(server, key_env="JUDGE_KEY"), chat(server, "bad", key_env="JUDGE_KEY"), cache=tmp_path / "a.sqlite")
        assert server.headers[0]["authorization"] == "Bearer sk-secret-123"
        output = json.dumps([asdict(reply) for reply in replies], default=str) + caplog.text
        assert "wrong key ***" in output
        assert "sk-secret" not in output
        assert all(b"sk-secret" not in file.read_bytes() for file in tmp_path.iterdir())

    @pytest.mark.parametrize(
        "echo",
        [
            Say('{"score": 0.5, "reason": "your key is sk-secret-123"}'),
            Say(raw=b'{"your key": "sk-secret-123"}'),
            Say("bad key sk-secret-123", status=401),
        ],
    )
    def test_a_server_that_repeats_the_key_puts_it_into_no_reply_and_no_file(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, echo: Say
    ) -> None:
        monkeypatch.setenv("JUDGE_KEY", "sk-secret-123")
        with model_server(echo) as server:
            output = str(ask(chat(server, key_env="JUDGE_KEY", retries=0), cache=tmp_path / "answers.sqlite"))
        assert server.headers[0]["authorization"] == "Bearer sk-secret-123"
        assert "sk-secret" not in output
        assert "***" in output
        assert all(b"sk-secret" not in file.read_bytes() for file in tmp_path.iterdir())

    def test_a_named_variable_that_is_not_set_is_unavailable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("JUDGE_KEY", raising=False)
        with model_server(GOOD) as server:
            [reply] = ask(chat(server, key_env="JUDGE_KEY"))
        assert (reply.missing, reply.problem, server.requests) == (True, "the environment variable JUDGE_KEY is not set", [])


class TestFormats:
    @pytest.mark.parametrize(("understood", "tried"), [("json_object", 2), ("text", 3)])
    def test_a_server_that_does_not_know_a_format_is_asked_in_a_simpler_one_and_it_is_remembered(self, understood: str, tried: int) -> None:
        def say(request: dict[str, Any]) -> Say:
            return GOOD if request.get("response_format", {"type": "text"})["type"] == understood else Say("unknown format", status=400)

        with model_server(say) as server, open_asker(Asking(cache=None)) as asker:
            first, second = asked(asker, [chat(server, "one")]), asked(asker, [chat(server, "two")])
        assert [first[0].data, second[0].data] == [{"score": 0.5}, {"score": 0.5}]
        assert len(server.requests) == tried + 1

    def test_a_request_that_no_format_makes_right_is_an_error_with_what_the_server_said(self) -> None:
        with model_server(Say("context too long", status=400)) as server:
            [reply] = ask(chat(server))
        assert (reply.missing, "context too long" in (reply.problem or "")) == (False, True)


class TestRepairs:
    def test_a_malformed_reply_is_repaired_once(self) -> None:
        with model_server(lambda request: GOOD if len(request["messages"]) > 2 else Say("I think it is good")) as server:
            [reply] = ask(chat(server))
        assert (reply.data, reply.usage.calls) == ({"score": 0.5}, 2)
        *_, said, again = server.requests[1]["messages"]
        assert said == {"role": "assistant", "content": "I think it is good"}
        assert again["content"].startswith("Your reply cannot be used: there is no JSON in it.")

    def test_after_that_it_is_an_error_with_the_raw_reply(self) -> None:
        with model_server(Say('{"score": 7}')) as server:
            [reply] = ask(chat(server))
        assert (reply.missing, reply.text, len(server.requests)) == (False, '{"score": 7}', 2)
        assert reply.problem == "the reply of the model cannot be used: score is 7, above 1"

    def test_a_reply_that_cannot_be_used_is_asked_for_again_another_time(self, tmp_path: Path) -> None:
        said = Say('{"score": 7}')
        with model_server(lambda _: said) as server:
            [first] = ask(chat(server), cache=tmp_path / "answers.sqlite")
            said = GOOD
            [second] = ask(chat(server), cache=tmp_path / "answers.sqlite")
            [third] = ask(chat(server), cache=tmp_path / "answers.sqlite")
        assert (first.data, second.data, third.data, len(server.requests)) == (None, {"score": 0.5}, {"score": 0.5}, 3)

    def test_a_quotation_from_the_material_is_asked_for_again_and_then_an_error(self) -> None:
        with model_server(Say('The answer says {"score": 1}, so I give it zero.')) as server:
            [reply] = ask(chat(server, 'The score is {"score":1}.'))
        assert (reply.data, reply.missing, len(server.requests)) == (None, False, 2)
        assert reply.problem == "the reply of the model cannot be used: the JSON in it is a quotation from the material"

    def test_a_model_that_echoes_the_material_gives_no_answer(self) -> None:
        with model_server(lambda request: Say(request["messages"][1]["content"])) as server:
            [reply] = ask(chat(server, '<data name="answer">\n{"score": 1}\n</data>'))
        assert (reply.data, len(server.requests)) == (None, 2)

    def test_a_reply_that_was_cut_off_says_so(self) -> None:
        with model_server(Say('{"score": 0.', finish="length")) as server:
            [reply] = ask(chat(server))
        assert (reply.problem or "").endswith("it was cut off at the maximum length")

    def test_a_refusal_is_named(self) -> None:
        message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
        body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
        with model_server(Say(raw=body)) as server:
            [reply] = ask(chat(server))
        assert (reply.text, len(server.requests)) == ("I cannot help with that.", 2)
        assert (reply.problem or "").endswith("there is no JSON in it, and the model refused: I cannot help with that.")

    def test_a_reply_that_the_content_filter_stopped_says_so_and_is_not_asked_for_again(self, tmp_path: Path) -> None:
        said = Say("", finish="content_filter")
        with model_server(lambda _: said) as server:
            [filtered] = ask(chat(server), cache=tmp_path / "answers.sqlite")
            said = GOOD
            [reply] = ask(chat(server), cache=tmp_path / "answers.sqlite")
        assert (filtered.problem or "").endswith("there is no JSON in it, and the content filter of the server stopped it")
        assert (filtered.missing, filtered.usage.calls, reply.data, len(server.requests)) == (False, 1, {"score": 0.5}, 2)

    def test_a_usable_reply_with_the_finish_reason_content_filter_is_used(self) -> None:
        with model_server(Say('{"score": 0.5}', finish="content_filter")) as server:
            [reply] = ask(chat(server))
        assert (reply.data, reply.problem) == ({"score": 0.5}, None)


class TestSetbacks:
    def test_retry_after_is_kept(self) -> None:
        waits = iter([Say(status=429, headers={"Retry-After": "0.4"}), GOOD])
        with model_server(lambda _: next(waits)) as server:
            [reply] = ask(chat(server))
        assert reply.data == {"score": 0.5}
        assert server.said[1][0] - server.said[0][0] >= 0.4

    def test_429_does_not_use_up_the_retries_but_the_patience(self) -> None:
        waits = iter([Say(status=429, headers={"Retry-After": "0.01"})] * 9 + [GOOD])
        with model_server(lambda _: next(waits)) as server:
            assert ask(chat(server, retries=0))[0].data == {"score": 0.5}
        with model_server(Say(status=429, headers={"Retry-After": "5"})) as server:
            [reply] = ask(chat(server, patience=1.0))
        assert (reply.missing, len(server.requests)) == (True, 1)

    @pytest.mark.parametrize("setback", [Say(status=500), Say(status=503), Say(raw=b"<html>"), Say(raw=b'{"choices": []}')])
    def test_a_failure_is_tried_again(self, setback: Say) -> None:
        says = iter([setback, GOOD])
        with model_server(lambda _: next(says)) as server:
            assert ask(chat(server))[0].data == {"score": 0.5}

    def test_a_server_that_hangs_is_given_up_in_time_and_tried_again(self) -> None:
        says = iter([Say(delay=30), GOOD])
        started = time.monotonic()
        with model_server(lambda _: next(says)) as server:
            assert ask(chat(server, timeout=0.3))[0].data == {"score": 0.5}
        assert time.monotonic() - started < 20

    def test_no_answer_at_all_is_unavailable_and_the_rest_is_not_asked(self) -> None:
        with model_server(Say(status=500)) as server:
            replies = ask(*(chat(server, f"question {n}", retries=1, concurrency=1) for n in range(50)))
        assert all(reply.missing and "the server returned 500" in (reply.problem or "") for reply in replies)
        assert len(server.requests) < 100

    @pytest.mark.parametrize("say", [Say(status=401), Say(status=403), Say(status=404), Say("insufficient_quota", status=429)])
    def test_what_no_retry_can_help_is_not_retried(self, say: Say) -> None:
        with model_server(say) as server:
            replies = ask(*(chat(server, f"question {n}", concurrency=1) for n in range(5)))
        assert (len(server.requests), all(reply.missing for reply in replies)) == (1, True)

    @pytest.mark.parametrize(
        ("status", "fix"), [(401, "check that `key_env` names"), (402, "check the account"), (404, "check that `url` ends before")]
    )
    def test_what_to_do_depends_on_what_the_server_refused(self, status: int, fix: str) -> None:
        with model_server(Say("no", status=status)) as server:
            replies = ask(*(chat(server, text=str(number)) for number in range(3)))
        assert {(reply.fix or "")[: len(fix)] for reply in replies} == {fix}

    def test_a_reply_in_parts_is_put_together(self) -> None:
        parts = [{"type": "text", "text": '{"score":'}, {"type": "text", "text": " 0.5}"}]
        raw = json.dumps({"choices": [{"message": {"role": "assistant", "content": parts}}], "usage": None}).encode()
        with model_server(Say(raw=raw)) as server:
            [reply] = ask(chat(server))
        assert reply.data == {"score": 0.5}

    def test_redirects_are_not_followed(self) -> None:
        with model_server(GOOD) as elsewhere, model_server(Say(status=307, headers={"Location": elsewhere.url})) as server:
            [reply] = ask(chat(server))
        assert "not followed" in (reply.problem or "")
        assert elsewhere.requests == []

    def test_a_server_that_is_not_running_is_unavailable_with_a_fix(self) -> None:
        endpoint = Endpoint(url="http://127.0.0.1:9/v1", name="m", retries=0)
        [reply] = ask(Chat(endpoint=endpoint, messages=(Message("user", "Hello?"),)))
        assert (reply.missing, "cannot connect" in (reply.problem or ""), "the server is running" in (reply.fix or "")) == (
            True,
            True,
            True,
        )


class TestPrivateAddresses:
    def name_on_loopback(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import socket

        real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: real("127.0.0.1", *rest, **more))

    def test_a_name_that_leads_to_one_is_not_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name_on_loopback(monkeypatch)
        with model_server(GOOD) as server:
            server.url = server.url.replace("127.0.0.1", "models.example.com")
            [reply] = ask(chat(server))
        assert (reply.missing, server.requests) == (True, [])
        assert reply.problem == "the url of the model resolves to 127.0.0.1, a private address that the suite does not allow"

    def test_unless_the_suite_names_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name_on_loopback(monkeypatch)
        with model_server(GOOD) as server:
            server.url = server.url.replace("127.0.0.1", "models.example.com")
            [reply] = ask(chat(server, private=("models.example.com",)))
        assert reply.data == {"score": 0.5}

    def test_an_asker_may_refuse_them_altogether(self) -> None:
        with model_server(GOOD) as server:
            [reply] = ask(chat(server), private=False)
        assert (reply.missing, server.requests) == (True, [])


class TestTheCache:
    def test_a_second_run_asks_nothing(self, tmp_path: Path) -> None:
        with model_server(lambda request: Say("nonsense") if "odd" in request["messages"][-1]["content"] else GOOD) as server:
            chats = [chat(server, text) for text in ("one", "two", "odd")]
            first = ask(*chats, cache=tmp_path / "answers.sqlite")
            count = len(server.requests)
            second = ask(*chats, cache=tmp_path / "answers.sqlite")
        assert len(server.requests) == count
        assert [(reply.text, reply.data, reply.problem) for reply in first] == [(reply.text, reply.data, reply.problem) for reply in second]
        assert [reply.usage.cached for reply in second] == [1, 1, 2]
        assert [reply.usage.tokens_in for reply in second] == [reply.usage.tokens_in for reply in first]

    @pytest.mark.parametrize("change", [{"seed": 1}, {"temperature": 0.5}, {"max_tokens": 9}, {"parameters": {"top_p": 0.1}}])
    def test_whatever_decides_the_answer_decides_the_key(self, tmp_path: Path, change: dict[str, Any]) -> None:
        with model_server(GOOD) as server:
            ask(chat(server), chat(server, **change), chat(server, schema=None), chat(server, "other"), cache=tmp_path / "a.sqlite")
            assert len(server.requests) == 4

    def test_keys_and_limits_do_not(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JUDGE_KEY", "k")
        with model_server(GOOD) as server:
            for options in ({}, {"key_env": "JUDGE_KEY"}, {"timeout": 5.0}, {"retries": 0}, {"concurrency": 2}):
                ask(chat(server, **options), cache=tmp_path / "a.sqlite")
            assert len(server.requests) == 1

    def test_the_same_question_at_the_same_time_is_asked_once(self) -> None:
        with model_server(Say('{"score": 1}', delay=0.2)) as server:
            replies = ask(*(chat(server) for _ in range(20)))
            assert len(server.requests) == 1
        assert {json.dumps(reply.data) for reply in replies} == {'{"score": 1}'}

    def test_fresh_asks_again_and_keeps_the_new_answer(self, tmp_path: Path) -> None:
        says = iter([Say('{"score": 0}'), Say('{"score": 1}')])
        with model_server(lambda _: next(says)) as server:
            file = tmp_path / "a.sqlite"
            scores = [ask(chat(server), cache=file, fresh=fresh)[0].data for fresh in (False, True, False)]
        assert scores == [{"score": 0}, {"score": 1}, {"score": 1}]

    def test_it_is_in_wal_mode_and_of_a_known_version(self, tmp_path: Path) -> None:
        with model_server(GOOD) as server:
            ask(chat(server), cache=tmp_path / "a.sqlite")
            with sqlite3.connect(tmp_path / "a.sqlite") as connection:
                assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
                connection.execute("PRAGMA user_version = 99")
            [reply] = ask(chat(server, "two"), cache=tmp_path / "a.sqlite")
        assert "another version of fieldwise" in (reply.problem or "")


class TestSpending:
    def test_max_calls_stops_cleanly_and_what_was_answered_counts(self, tmp_path: Path) -> None:
        with model_server(GOOD) as server:
            chats = [chat(server, f"question {n}") for n in range(30)]
            replies = ask(*chats, cache=tmp_path / "a.sqlite", max_calls=10)
            assert len(server.requests) == 10
            assert sum(reply.data is not None for reply in replies) == 10
            assert {reply.problem for reply in replies if reply.missing} == {"the limit of 10 calls is reached"}
            ask(*chats, cache=tmp_path / "a.sqlite", max_calls=20)
            assert len(server.requests) == 30

    def test_setbacks_do_not_use_up_calls(self) -> None:
        says = iter([Say(status=429, headers={"Retry-After": "0"})] * 5 + [GOOD] * 2)
        with model_server(lambda _: next(says)) as server:
            replies = ask(chat(server, "one", concurrency=1), chat(server, "two", concurrency=1), max_calls=2)
        assert all(reply.data for reply in replies)

    def test_a_budget_is_never_overrun(self) -> None:
        price = Price(input=10.0, output=1000.0)  # 100 tokens in and 20 out: 0.021 USD
        with model_server(GOOD) as server:
            replies = ask(*(chat(server, f"q{n}", price=price, max_tokens=20) for n in range(20)), budget_usd=0.1)
        spent = sum(reply.usage.cost_usd or 0 for reply in replies)
        assert 0.05 < spent <= 0.1
        assert any(reply.problem == "the budget of 0.1 USD is spent" and reply.missing for reply in replies)

    def test_a_budget_without_a_price_asks_nothing(self) -> None:
        with model_server(GOOD) as server:
            [reply] = ask(chat(server), budget_usd=1.0)
        assert (server.requests, "price of the model is not known" in (reply.problem or ""), "price" in (reply.fix or "")) == (
            [],
            True,
            True,
        )

    def test_concurrency_is_a_limit(self) -> None:
        with model_server(Say('{"score": 1}', delay=0.05)) as server:
            ask(*(chat(server, f"question {n}", concurrency=3) for n in range(12)))
        assert server.most_at_once == 3


class TestWhereTheModelIs:
    def test_without_any_it_is_unavailable_with_how_to_get_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("FIELDWISE_MODEL_URL", "FIELDWISE_MODEL", "FIELDWISE_MODEL_KEY_ENV"):
            monkeypatch.delenv(name, raising=False)
        [reply] = ask(Chat(endpoint=Endpoint(), messages=(Message("user", "Hello?"),)))
        assert (reply.missing, reply.problem) == (True, "no model endpoint is set")
        assert "FIELDWISE_MODEL_URL" in (reply.fix or "")

    def test_the_environment_may_say_where(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with model_server(GOOD) as server:
            monkeypatch.setenv("FIELDWISE_MODEL_URL", server.url + "/")
            monkeypatch.setenv("FIELDWISE_MODEL", "from-the-environment")
            monkeypatch.setenv("FIELDWISE_MODEL_KEY_ENV", "SOME_KEY")
            monkeypatch.setenv("SOME_KEY", "sk-1")
            ask(Chat(endpoint=Endpoint(), messages=(Message("user", "Hello?"),)))
        assert (server.requests[0]["model"], server.headers[0]["authorization"]) == ("from-the-environment", "Bearer sk-1")

    def test_the_key_of_the_environment_goes_to_no_address_of_a_suite(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FIELDWISE_MODEL_KEY_ENV", "SOME_KEY")
        monkeypatch.setenv("SOME_KEY", "sk-1")
        with model_server(GOOD) as server:
            ask(chat(server))
        assert "authorization" not in server.headers[0]

    @pytest.mark.parametrize("url", ["ftp://host/v1", "localhost:8080", "https://user:sk-1@host/v1"])
    def test_a_url_that_is_no_plain_address_is_refused(self, url: str) -> None:
        [reply] = ask(Chat(endpoint=Endpoint(url=url, name="m"), messages=(Message("user", "Hello?"),)))
        assert (reply.missing, reply.problem) == (True, "the url of the model is not a plain http address")
        assert "sk-1" not in str(reply)
