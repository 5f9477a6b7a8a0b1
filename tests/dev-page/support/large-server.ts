/**
 * @fileoverview Server with 1,000 tools in groups.
 * @module tests/dev-page/support/large-server
 */
import { defineServer } from "tenon";
import { z } from "zod";

const server = defineServer({ name: "large", version: "1.0.0" });
for (let index = 0; index < 1_000; index++) {
  server.tool(`area${index % 20}_tool${index}`, {
    description: `Reads the record with the number ${index} and returns all its parts.`,
    input: z.object({
      id: z.string().describe("Name of the record"),
      parts: z.array(z.enum(["head", "body"])).describe("Parts to read"),
    }),
    handler: ({ id }) => `${index} ${id}`,
  });
}

export default server.build();
