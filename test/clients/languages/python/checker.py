"""Calls methods of the SDK by name and prints one line of JSON for each call."""

import asyncio
import inspect
import json

import resend


def methods():
    """Every public method that asks the service, as Python shows them: a new one cannot be missed."""
    parts = [name for name in resend.__all__ if is_part(getattr(resend, name))]
    # Classes that are exported a second time, under a name of their own, are the nested ones of another part.
    nested = {one for name in parts for one in inner_parts(getattr(resend, name))}
    own = [name for name in parts if not any(issubclass(one, getattr(resend, name)) for one in nested)]
    return sorted(found for name in own for found in methods_of(getattr(resend, name), name))


def is_part(value):
    return inspect.isclass(value) and any(inspect.ismethod(one) for _, one in inspect.getmembers(value)) and not issubclass(value, dict)


def inner_parts(part):
    for name, value in inspect.getmembers(part, is_part):
        if not name.startswith("_"):
            yield value
            yield from inner_parts(value)


def methods_of(part, path):
    for name, value in inspect.getmembers(part):
        if name.startswith("_"):
            continue
        if inspect.ismethod(value):
            yield f"{path}.{name}"
        elif is_part(value):
            yield from methods_of(value, f"{path}.{name}")


class Checker:
    def __init__(self, is_async):
        self.suffix = "_async" if is_async else ""

    def call(self, method, *words, expect=lambda reply: True, **named):
        """A call that must succeed, with what must be true of its reply."""
        try:
            reply = self.invoke(method, words, named)
        except Exception as error:
            self.say(method, f"{type(error).__name__}: {error}")
            return {}
        try:
            self.say(method, None if expect(reply) else f"unexpected reply: {reply}")
        except Exception as error:
            self.say(method, f"unexpected reply ({type(error).__name__}: {error}): {reply}")
        return reply

    def refuse(self, method, *words, kind, code, **named):
        """A call that must be refused, with this exception."""
        try:
            self.say(method, f"not refused: {self.invoke(method, words, named)}")
        except Exception as error:
            right = type(error) is kind and str(getattr(error, "code", code)) == str(code)
            self.say(method, None if right else f"{type(error).__name__} {getattr(error, 'code', '')}: {error}")

    def invoke(self, method, words, named):
        target = resend
        for step in (method + self.suffix_of(method)).split("."):
            target = getattr(target, step)
        reply = target(*words, **named)
        return asyncio.run(reply) if inspect.iscoroutine(reply) else reply

    def suffix_of(self, method):
        # Checks a signature and asks nobody: there is only one of it.
        return "" if method == "Webhooks.verify" else self.suffix

    def say(self, method, detail):
        line = {"method": method + self.suffix_of(method), "ok": detail is None}
        print(json.dumps(line if detail is None else {**line, "detail": str(detail)[:500]}), flush=True)
