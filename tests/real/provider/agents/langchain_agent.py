"""An agent of LangChain, which is a graph of LangGraph, by chat, responses or anthropic."""

import tried
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

MODELS = {
    "chat": lambda: ChatOpenAI(model="gpt-5", use_responses_api=False),
    "responses": lambda: ChatOpenAI(model="gpt-5", use_responses_api=True),
    "anthropic": lambda: ChatAnthropic(model="claude-sonnet-5"),
}
INPUT = {"messages": [{"role": "user", "content": tried.USER}]}


@tool
def charge_card(amount: float) -> str:
    """Charges the card of the user."""
    return tried.charge(amount)


def agent(wire: str):
    return create_agent(MODELS[wire](), [charge_card], system_prompt=tried.SYSTEM)


async def whole(wire: str) -> tuple[str, int | None]:
    messages = (await agent(wire).ainvoke(INPUT))["messages"]
    tokens = [(message.usage_metadata or {}).get("output_tokens", 0) for message in messages if message.type == "ai"]
    return messages[-1].text, sum(tokens)


async def streamed(wire: str) -> tuple[str, int | None]:
    text = ""
    async for message, _ in agent(wire).astream(INPUT, stream_mode="messages"):
        if message.type == "AIMessageChunk":
            text += message.text
    return text, None


tried.main(whole, streamed)
