// A flow of Genkit behind its handler for Express, on the port that the first argument names.

import { expressHandler } from "@genkit-ai/express";
import express from "express";
import { genkit, z } from "genkit";

const ai = genkit({});
const conversations = new Map();

// The script of script.py, in the types of Genkit.
const model = ai.defineModel({ name: "script", supports: { tools: true, multiturn: true } }, async ({ messages }, onChunk) => {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => content[0].text);
  const cities = said.map((text) => /weather in (\w+)/.exec(text)?.[1]).filter(Boolean);
  const last = messages.at(-1);
  if (last.content[0].text === "crash") throw new Error("model overloaded");
  if (last.role === "user" && last.content[0].text.includes("weather in")) {
    const toolRequest = { name: "get_weather", ref: `call_${messages.length}`, input: { city: cities.at(-1) } };
    onChunk?.({ content: [{ toolRequest }] });
    return { message: { role: "model", content: [{ toolRequest }] }, finishReason: "stop" };
  }
  const text = answer(last, cities);
  for (const piece of [text.slice(0, 6), text.slice(6)]) onChunk?.({ content: [{ text: piece }] });
  return { message: { role: "model", content: [{ text }] }, finishReason: "stop" };
});

function answer(last, cities) {
  if (last.role === "tool") {
    const found = last.content[0].toolResponse.output;
    return found.sky ? `It is ${found.sky} in ${found.city}.` : `I found no weather for ${cities.at(-1)}.`;
  }
  if (cities.length === 0) return "I do not know what you mean.";
  return last.content[0].text.includes("which city") ? cities[0] : "It will rain.";
}

const weather = ai.defineTool(
  { name: "get_weather", description: "The weather in a city.", inputSchema: z.object({ city: z.string() }) },
  async ({ city }) => (city === "Atlantis" ? { error: "there is no such city" } : { city, sky: "clear" }),
);

// The flow streams the chunks of the model, with the calls and their results.
const chat = ai.defineFlow({ name: "chat", streamSchema: z.any() }, async ({ message, session }, { sendChunk }) => {
  const messages = conversations.get(session) ?? [];
  const { stream, response } = ai.generateStream({ model, messages, prompt: message, tools: [weather] });
  for await (const chunk of stream) sendChunk(chunk.toJSON());
  const done = await response;
  conversations.set(session, done.messages);
  return { reply: done.text };
});

const app = express();
app.use(express.json());
app.post("/chat", expressHandler(chat));
app.listen(Number(process.argv[2]), "127.0.0.1");
