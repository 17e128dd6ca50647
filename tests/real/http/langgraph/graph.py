"""The agent that `langgraph dev` serves. Its tool asks first if the city is Utopia."""

from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import interrupt

import script
from chat_model import Script


@tool
def get_weather(city: str) -> dict:
    """The weather in a city."""
    if city == "Utopia" and interrupt({"question": f"May I look at the weather in {city}?"}) != "yes":
        return {"refused": city}
    return script.get_weather(city)


def agent(state: MessagesState) -> dict:
    return {"messages": [Script().invoke(state["messages"])]}


shop = (
    StateGraph(MessagesState)
    .add_node("agent", agent)
    .add_node("tools", ToolNode([get_weather], handle_tool_errors=lambda error: str(error)))
    .add_edge(START, "agent")
    .add_conditional_edges("agent", tools_condition)
    .add_edge("tools", "agent")
    .compile()
)
