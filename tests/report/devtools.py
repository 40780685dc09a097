"""A headless Chromium driven over its DevTools pipe, with the standard library only."""
import json
import os
import select
import subprocess
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe", "about:blank",
]


class CannotStart(Exception):
    """There is no browser here, or it does not run."""


class Browser:
    """One browser with one tab. Commands block; events are kept in `events`."""

    def __init__(self, program, profile, seconds=60):
        self.seconds = seconds
        self.events = []
        self._count = 0
        self._buffer = b""
        their_in, self._out = os.pipe()
        self._in, their_out = os.pipe()

        def hand_over_pipes():  # the browser reads from 3 and writes to 4
            os.dup2(their_in, 60)
            os.dup2(their_out, 61)
            os.dup2(60, 3)
            os.dup2(61, 4)

        try:
            self._process = subprocess.Popen(
                [program, f"--user-data-dir={profile}", *FLAGS], preexec_fn=hand_over_pipes,
                close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        except OSError as error:
            raise CannotStart(f"{program}: {error}") from error
        os.close(their_in)
        os.close(their_out)
        self._session = None
        try:
            self._attach()
        except (EOFError, BrokenPipeError, TimeoutError) as error:
            self.close()
            raise CannotStart(f"{program} does not answer: {error!r}") from error

    def _attach(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = session["sessionId"]

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("no answer in time")
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise EOFError("the browser has gone")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.seconds
        while True:
            answer = self._receive(deadline)
            if "id" not in answer:
                self.events.append(answer)
            elif answer["id"] == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def wait_for(self, event):
        """Takes the next event of that name, waiting for it if need be."""
        deadline = time.monotonic() + self.seconds
        while True:
            for i, seen in enumerate(self.events):
                if seen["method"] == event:
                    return self.events.pop(i)
            self.events.append(self._receive(deadline))

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def close(self):
        for pipe in (self._out, self._in):
            try:
                os.close(pipe)
            except OSError:
                pass
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
