/**
 * @fileoverview One tool on stdio with FastMCP.
 * @module bench/hello/fastmcp
 */
import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "hello", version: "1.0.0" });
server.addTool({
  name: "hello",
  parameters: z.object({ name: z.string() }),
  execute: ({ name }) => Promise.resolve(`Hello, ${name}`),
});

await server.start({ transportType: "stdio" });
