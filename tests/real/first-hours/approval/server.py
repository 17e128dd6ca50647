"""The agent of a shop, which asks before it deletes an order, as a server of AG-UI."""

import os

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route

agent = Agent("openai-chat:gpt-4o", instructions="You look after orders.", output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def delete_order(order: str) -> dict:
    return {"gone": order}


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


uvicorn.run(Starlette(routes=[Route("/", run, methods=["POST"])]), port=int(os.environ["PORT"]))
