"""Postwren for tests in Python: plain HTTP, and nothing to install but pytest. The same works in any language."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

KEY = "re_only_for_these_tests"


def call(url, key, method, path, body=None):
    """One call of the API. What is refused is an exception with the reason."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {path}: {error.read().decode()}") from error


class Sandbox:
    """A team of its own for one test: nothing leaves it, and it goes with all that is in it."""

    def __init__(self, url, made):
        self.url, self.key = url, made["api_key"]
        self.id, self.domain, self.smtp = made["id"], made["domain"], made["smtp"]

    def call(self, method, path, body=None):
        return call(self.url, self.key, method, path, body)

    def wait_for(self, timeout=10, **filter):
        """The first message that fits: one that has come already, or one that comes in time."""
        query = urllib.parse.urlencode({**filter, "timeout": timeout})
        waited = self.call("GET", f"/messages/wait?{query}")
        assert waited["found"], f"no message with {filter} came within {timeout} s"
        return waited["data"][0]

    def advance(self, by):
        return self.call("PATCH", "/clock", {"advance": by})


@pytest.fixture(scope="session")
def postwren():
    """The Postwren of POSTWREN_URL and POSTWREN_API_KEY, or one for these tests."""
    if "POSTWREN_URL" in os.environ:
        yield os.environ["POSTWREN_URL"], os.environ["POSTWREN_API_KEY"]
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"POSTWREN_PORT": str(port), "POSTWREN_SMTP_PORT": "0", "POSTWREN_API_KEY": KEY}
    command = ["node_modules/.bin/postwren", "serve", "--temporary"]
    process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert process.poll() is None, "Postwren did not start"
            try:
                urllib.request.urlopen(url + "/readyz", timeout=5)
                break
            except OSError:
                time.sleep(0.05)
        yield url, KEY
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def sandbox(postwren):
    url, key = postwren
    made = Sandbox(url, call(url, key, "POST", "/sandboxes", {}))
    yield made
    call(url, key, "DELETE", f"/sandboxes/{made.id}")
