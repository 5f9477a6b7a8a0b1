/**
 * @fileoverview Serves the everything server over HTTP on localhost: `npm run everything -- --port 3001`.
 * @module examples/everything/main
 */
import { parseArgs } from "node:util";
import { serve } from "tenon/node";
import { server } from "./server.js";

const { values } = parseArgs({ options: { port: { type: "string", default: "3001" } } });
const { url } = await serve(server, { transport: { type: "http", port: Number(values.port) } });
console.log(`The everything server is ready: ${url}`);
