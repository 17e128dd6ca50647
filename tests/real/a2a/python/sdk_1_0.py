"""The restaurant with the official SDK of 1.0: JSON-RPC and HTTP+JSON of 1.0, and both of 0.3 by its compatibility."""

from a2a.helpers import new_data_part, new_text_message, new_text_part, new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as types
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette

from restaurant import Authorization, serve, work


class Restaurant(AgentExecutor):
    async def execute(self, context, event_queue) -> None:
        text = context.get_user_input()
        task = context.current_task
        steps = work(text, is_answer=task is not None)
        if text == "hello":
            await event_queue.enqueue_event(new_text_message(next(steps)[1], context_id=context.context_id))
            return
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        for kind, what in steps:
            await self.take(updater, kind, what)

    async def take(self, updater, kind: str, what) -> None:
        said = updater.new_agent_message([new_text_part(what)]) if isinstance(what, str) else None
        if kind == "working":
            await updater.start_work(said)
        elif kind == "ask":
            await updater.requires_input(said)
        elif kind == "failed":
            await updater.failed(said)
        elif kind == "done":
            await updater.complete(said)
        elif kind == "text":
            await updater.add_artifact([new_text_part(what)], name="answer")
        elif kind == "data":
            await updater.add_artifact([new_data_part(what)], name="data")
        elif kind == "chunks":
            for number, text in enumerate(what):
                is_last = number == len(what) - 1
                await updater.add_artifact([new_text_part(text)], artifact_id="count", append=number > 0, last_chunk=is_last)
        elif kind == "part":
            part = new_data_part(what[0])
            part.metadata.update({"adk_type": what[1]})
            await updater.start_work(updater.new_agent_message([part]))

    async def cancel(self, context, event_queue) -> None:
        raise NotImplementedError


def make(url: str) -> Starlette:
    def interface(path: str, binding: str, version: str) -> dict:
        return {"url": url + path, "protocolBinding": binding, "protocolVersion": version}

    rpc, rest = interface("/rpc", "JSONRPC", "1.0"), interface("/rest", "HTTP+JSON", "1.0")
    old = [interface("/rpc", "JSONRPC", "0.3"), interface("/rest", "HTTP+JSON", "0.3")]

    def card(interfaces: list[dict]) -> types.AgentCard:
        document = {
            "name": "restaurant",
            "description": "books tables",
            "version": "1.0.0",
            "capabilities": {"streaming": True},
            "supportedInterfaces": interfaces,
            "securitySchemes": {"guests": {"httpAuthSecurityScheme": {"scheme": "bearer"}}},
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "book", "name": "Book a table", "description": "books a table", "tags": ["table"]}],
        }
        return ParseDict(document, types.AgentCard())

    main = card([rpc, rest, *old])
    handler = DefaultRequestHandler(agent_executor=Restaurant(), task_store=InMemoryTaskStore(), agent_card=main)
    well_known = "/.well-known/agent-card.json"
    cards = {"": main, "/rest": card([rest]), "/old": card(old), "/old-rest": card(old[1:])}
    routes = [route for path, one in cards.items() for route in create_agent_card_routes(one, card_url=path + well_known)]
    routes += create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
    routes += create_rest_routes(handler, enable_v0_3_compat=True, path_prefix="/rest")
    app = Starlette(routes=routes)
    app.add_middleware(Authorization)
    return app


serve(make)
