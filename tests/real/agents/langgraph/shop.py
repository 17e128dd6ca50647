"""A shop as a graph: it books an order, charges the card when the user confirms, and has one mistake.

The graph, its tool node and its checkpoints are LangGraph's own; only the model is a function. The mistake: who cancels an
order that is not confirmed yet has it booked once more, since the cancellation is a booking too. So the card is charged
twice if the user then confirms.
"""

from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


class Shop(MessagesState):
    """The conversation, and what is booked and not charged yet."""

    booked: list[str]


@tool
def charge_card(booking: str) -> str:
    """Charges the card for a booking."""
    return f"charged {booking}"


class Clerk(BaseChatModel):
    """Says what a clerk would say; its first message holds the bookings."""

    @property
    def _llm_type(self) -> str:
        return "clerk"

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for message in answer(messages):
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token(str(message.content), chunk=chunk)
            yield chunk

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        whole = AIMessageChunk(content="")
        for chunk in self._stream(messages, stop, run_manager, **kwargs):
            whole += chunk.message
        message = AIMessage(content=whole.content, tool_calls=whole.tool_calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def answer(messages: list[BaseMessage]) -> Iterator[AIMessageChunk]:
    booked = str(messages[0].content).split()
    if isinstance(messages[-1], ToolMessage):
        yield AIMessageChunk(content="Your card is charged.")
        return
    said = last_said(messages)
    if said.startswith("Yes") and booked:
        for index, booking in enumerate(booked):
            call = {"name": "charge_card", "args": "", "id": f"call-{len(messages)}-{index}", "index": index}
            yield AIMessageChunk(content="", tool_call_chunks=[call])
            arguments = {"name": None, "args": f'{{"booking": "{booking}"}}', "id": None, "index": index}
            yield AIMessageChunk(content="", tool_call_chunks=[arguments])
        return
    texts = {"Buy": "Shall I charge your card?", "Cancel": "I have noted that. Is there anything else?"}
    text = texts.get(said.split()[0], "A mug is 20 euros.")
    for word in text.split(" "):
        yield AIMessageChunk(content=f"{word} ")


def last_said(messages: list[BaseMessage]) -> str:
    return next(str(message.content) for message in reversed(messages) if isinstance(message, HumanMessage))


def book(shop: Shop) -> dict[str, Any]:
    """Books what the user orders, and what they cancel: that is the mistake."""
    booked, said = shop.get("booked") or [], last_said(shop["messages"])
    if said.startswith("Buy"):
        return {"booked": [f"b-{len(shop['messages'])}"]}
    if said.startswith("Cancel") and booked:
        return {"booked": [*booked, f"b-{len(shop['messages'])}"]}
    return {"booked": booked}


def speak(shop: Shop) -> dict[str, Any]:
    first = HumanMessage(content=" ".join(shop.get("booked") or []))
    return {"messages": [Clerk().invoke([first, *shop["messages"]])]}


def settle(_: Shop) -> dict[str, Any]:
    return {"booked": []}


def has_calls(shop: Shop) -> str:
    return "charge" if getattr(shop["messages"][-1], "tool_calls", None) else END


def graph() -> Any:
    builder = StateGraph(Shop)
    builder.add_node("book", book)
    builder.add_node("speak", speak)
    builder.add_node("charge", ToolNode([charge_card]))
    builder.add_node("settle", settle)
    builder.add_edge(START, "book")
    builder.add_edge("book", "speak")
    builder.add_conditional_edges("speak", has_calls, ["charge", END])
    builder.add_edge("charge", "settle")
    builder.add_edge("settle", "speak")
    return builder.compile(checkpointer=MemorySaver())
