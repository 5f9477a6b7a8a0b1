import { defineServer } from "tenon";
import { z } from "zod";

export default defineServer({ name: "my-mcp-server", version: "0.1.0" }).tool("forecast", {
  description: "Tomorrow's temperature in a city",
  input: z.object({ city: z.string() }),
  output: z.object({ celsius: z.number() }),
  handler: ({ city }) => ({ celsius: city.length + 15 }),
});
