/**
 * @fileoverview One node. Nodes differ only in their name and port:
 * `NODE_NAME=a PORT=3001 REDIS_URL=redis://127.0.0.1:6379 npx tsx node.ts`.
 * @module examples/cluster/node
 */
import { redis } from "@tenon/redis";
import { serve } from "tenon/node";
import { createNodeServer } from "./server.js";

const { NODE_NAME = "node", PORT = "3001", REDIS_URL = "redis://127.0.0.1:6379", SECRET } = process.env;

await serve(createNodeServer(NODE_NAME), {
  port: Number(PORT),
  store: redis({
    url: REDIS_URL,
    // Encrypts everything in Redis. All nodes use the same secret.
    ...(SECRET === undefined ? {} : { keys: [SECRET] }),
  }),
  banner: false,
});
