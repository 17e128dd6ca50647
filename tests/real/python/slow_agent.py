"""An agent of AG-UI on this machine that says hello after 50 ms, to any number of requests at once. It prints its port."""

import asyncio
import json
from contextlib import suppress

DELAY = 0.05


def answer(run: dict[str, str]) -> bytes:
    """The response to a run."""
    ids = {"threadId": run["threadId"], "runId": run["runId"]}
    hello = {"type": "TEXT_MESSAGE_CHUNK", "messageId": run["runId"], "role": "assistant", "delta": "hello"}
    events = [{"type": "RUN_STARTED", **ids}, hello, {"type": "RUN_FINISHED", **ids}]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of a connection."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
            length = next(int(line.split(b":")[1]) for line in head if line.startswith(b"content-length"))
            run = json.loads(await reader.readexactly(length))
            await asyncio.sleep(DELAY)
            writer.write(answer(run))
            await writer.drain()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
