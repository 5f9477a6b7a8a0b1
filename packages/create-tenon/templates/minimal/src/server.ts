import { defineServer } from "tenon";
import { z } from "zod";

const cities = ["Riga", "Rome", "Rio"];

export default defineServer({ name: "my-mcp-server", version: "0.1.0" })
  .tool("forecast", {
    description: "Tomorrow's temperature in a city",
    input: z.object({ city: z.string() }),
    output: z.object({ celsius: z.number() }),
    handler: ({ city }) => ({ celsius: city.length + 15 }),
  })
  .resource("cities", {
    uri: "weather://cities",
    mimeType: "application/json",
    handler: () => JSON.stringify(cities),
  })
  .prompt("pack", {
    description: "Suggests what to pack for a trip",
    arguments: z.object({ city: z.string() }),
    handler: ({ city }) => `What should I pack for a trip to ${city}?`,
  });
