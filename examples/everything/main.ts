/**
 * @fileoverview Serves the everything server over HTTP on localhost: `npm run everything -- --port 3001`. With
 * `--redis URL`, it is one of several nodes that share their sessions and tasks.
 * @module examples/everything/main
 */
import { parseArgs } from "node:util";
import { redis } from "@tenon/redis";
import { serve } from "tenon/node";
import { becomeNode, server } from "./server.js";

const { values } = parseArgs({
  options: { port: { type: "string", default: "3001" }, redis: { type: "string" } },
});
if (values.redis !== undefined) becomeNode();
const { url } = await serve(server, {
  transport: { type: "http", port: Number(values.port) },
  ...(values.redis === undefined ? {} : { store: redis({ url: values.redis }) }),
});
console.log(`The everything server is ready: ${url}`);
