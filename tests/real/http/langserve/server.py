"""An agent executor of LangChain behind LangServe, on the port that the first argument names."""

import sys
from typing import Any

import uvicorn
from fastapi import FastAPI
from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.tools import tool
from langserve import add_routes
from pydantic import BaseModel

import script
from chat_model import Script


class Input(BaseModel):
    input: str
    chat_history: list[HumanMessage | AIMessage]


@tool
def get_weather(city: str) -> dict:
    """The weather in a city."""
    try:
        return script.get_weather(city)
    except LookupError as error:
        return {"error": str(error)}


places = [MessagesPlaceholder("chat_history", optional=True), ("human", "{input}"), MessagesPlaceholder("agent_scratchpad")]
prompt = ChatPromptTemplate.from_messages(places)
agent = create_tool_calling_agent(Script(), [get_weather], prompt)
executor = AgentExecutor(agent=agent, tools=[get_weather], return_intermediate_steps=True)
app = FastAPI()
# Without a type of its input, LangServe drops every key.
add_routes(app, executor.with_types(input_type=Input, output_type=Any), path="/agent")
add_routes(app, Script(), path="/model")
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
