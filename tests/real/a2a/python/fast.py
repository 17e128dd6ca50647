"""The restaurant with fasta2a: JSON-RPC alone, tasks that are always returned before they are done, no direct messages."""

import uuid
from contextlib import asynccontextmanager

from fasta2a.applications import FastA2A
from fasta2a.broker import InMemoryBroker
from fasta2a.storage import InMemoryStorage
from fasta2a.worker import Worker
from starlette.middleware import Middleware

from restaurant import Authorization, serve, work


def message(part: dict) -> dict:
    return {"role": "agent", "message_id": str(uuid.uuid4()), "parts": [part]}


class Restaurant(Worker):
    async def run_task(self, params) -> None:
        task, context = params["id"], params["context_id"]
        text = " ".join(part.get("text", "") for part in params["message"]["parts"])
        # Each message begins a task here: what it belongs to is the context.
        is_answer = await self.storage.load_context(context) == "asked"
        state, artifacts, messages = "completed", [], []
        await self.storage.update_task(task, state="working")
        for kind, what in work(text, is_answer):
            if kind in ("text", "data"):
                artifacts.append({"artifact_id": str(uuid.uuid4()), "parts": [{kind: what}]})
                await self.publish_artifact(task, context, artifacts[-1])
            elif kind == "chunks":
                for part in what:
                    chunk = {"artifact_id": "count", "parts": [{"text": part}]}
                    await self.publish_artifact(task, context, chunk, append=True, last_chunk=False)
                artifacts.append({"artifact_id": "count", "parts": [{"text": "".join(what)}]})
                await self.publish_artifact(task, context, artifacts[-1])
            elif kind == "working":
                await self.publish_status(task, context, "working", message({"text": what}))
            elif kind == "part":
                messages.append(message({"data": what[0], "metadata": {"adk_type": what[1]}}))
                await self.publish_status(task, context, "working", messages[-1])
            elif kind in ("ask", "failed"):
                state = "input-required" if kind == "ask" else "failed"
                artifacts.append({"artifact_id": str(uuid.uuid4()), "parts": [{"text": what}]})
                await self.publish_artifact(task, context, artifacts[-1])
        await self.storage.update_context(context, "asked" if state == "input-required" else "served")
        await self.storage.update_task(task, state=state, new_artifacts=artifacts, new_messages=messages)

    async def cancel_task(self, params) -> None:
        raise NotImplementedError

    def build_message_history(self, history) -> list:
        return history

    def build_artifacts(self, result) -> list:
        return result


def make(url: str) -> FastA2A:
    storage, broker = InMemoryStorage(), InMemoryBroker()
    app = FastA2A(storage=storage, broker=broker, url=url, middleware=[Middleware(Authorization)])
    worker = Restaurant(broker=broker, storage=storage)

    @asynccontextmanager
    async def lifespan(started):
        async with started.task_manager, worker.run():
            yield

    app.router.lifespan_context = lifespan
    return app


serve(make)
