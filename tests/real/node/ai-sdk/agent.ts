// The agent that the pages import: it asks for the weather, and knows it for the rest of the conversation.

import { stepCountIs, tool, ToolLoopAgent } from "ai";
import { z } from "zod";

import { asked, call, model, outputs } from "./model.js";

const weather = model((prompt) => {
  if (outputs(prompt).length > 0) return "It is 21 degrees in Paris.";
  return asked(prompt).includes("warm") ? call("get_weather", { city: "Paris" }, `call_${prompt.length}`) : "You are welcome.";
});

export const tools = {
  get_weather: tool({
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 21 }),
  }),
};

export const agent = new ToolLoopAgent({ model: weather, tools, stopWhen: stepCountIs(5) });

export { weather as model };
