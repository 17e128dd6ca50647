"""The restaurant with the official SDK of 0.3: JSON-RPC and HTTP+JSON."""

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCard, DataPart, Part, TextPart
from a2a.utils import new_agent_text_message, new_task
from starlette.applications import Starlette
from starlette.routing import Mount

from restaurant import Authorization, serve, work


def text_part(text: str) -> Part:
    return Part(root=TextPart(text=text))


class Restaurant(AgentExecutor):
    async def execute(self, context, event_queue) -> None:
        text = context.get_user_input()
        task = context.current_task
        steps = work(text, is_answer=task is not None)
        if text == "hello":
            await event_queue.enqueue_event(new_agent_text_message(next(steps)[1], context_id=context.context_id))
            return
        if task is None:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        for kind, what in steps:
            await self.take(updater, kind, what)

    async def take(self, updater, kind: str, what) -> None:
        said = updater.new_agent_message([text_part(what)]) if isinstance(what, str) else None
        if kind == "working":
            await updater.start_work(said)
        elif kind == "ask":
            await updater.requires_input(said, final=True)
        elif kind == "failed":
            await updater.failed(said)
        elif kind == "done":
            await updater.complete(said)
        elif kind == "text":
            await updater.add_artifact([text_part(what)], name="answer")
        elif kind == "data":
            await updater.add_artifact([Part(root=DataPart(data=what))], name="data")
        elif kind == "chunks":
            for number, text in enumerate(what):
                is_last = number == len(what) - 1
                await updater.add_artifact([text_part(text)], artifact_id="count", append=number > 0, last_chunk=is_last)
        elif kind == "part":
            part = Part(root=DataPart(data=what[0], metadata={"adk_type": what[1]}))
            await updater.start_work(updater.new_agent_message([part]))

    async def cancel(self, context, event_queue) -> None:
        raise NotImplementedError


def make(url: str) -> Starlette:
    def card(path: str, transport: str) -> AgentCard:
        return AgentCard.model_validate(
            {
                "name": "restaurant",
                "description": "books tables",
                "version": "1.0.0",
                "url": url + path,
                "preferredTransport": transport,
                "capabilities": {"streaming": True},
                "securitySchemes": {"guests": {"type": "http", "scheme": "bearer"}},
                "defaultInputModes": ["text/plain"],
                "defaultOutputModes": ["text/plain"],
                "skills": [{"id": "book", "name": "Book a table", "description": "books a table", "tags": ["table"]}],
            }
        )

    handler = DefaultRequestHandler(agent_executor=Restaurant(), task_store=InMemoryTaskStore())
    rpc = A2AStarletteApplication(agent_card=card("/", "JSONRPC"), http_handler=handler).build()
    rest = A2ARESTFastAPIApplication(agent_card=card("/rest", "HTTP+JSON"), http_handler=handler).build()
    app = Starlette(routes=[Mount("/rest", app=rest), Mount("/", app=rpc)])
    app.add_middleware(Authorization)
    return app


serve(make)
