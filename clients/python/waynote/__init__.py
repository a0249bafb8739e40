"""waynote for Python: durable notes for agents, in a store on a server.

    from waynote import Client

    client = Client()  # `waynote serve` on this machine
    client.save_note("agent:builder#deploy", "run `make ship`")
    print(client.context(agent="builder", place="~/shop")["text"])

`waynote.langgraph` has a store for LangGraph, `waynote.langchain` one for LangChain, `waynote.memory_tool` Anthropic's
memory tool; each needs its library.
"""

from ._http import LOCAL, FeedMessage, WaynoteError, pages
from .api import Client

__all__ = ["LOCAL", "Client", "FeedMessage", "WaynoteError", "pages"]
