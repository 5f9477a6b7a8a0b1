/**
 * @fileoverview Serves failing tools in a child process: `failing-child.ts SERVER TRANSPORT [logger]`. Over HTTP, the
 * child sends its port to the parent.
 * @module tests/kit/support/regression/failing-child
 */
import type { AddressInfo } from "node:net";
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import express from "express";
import { defineServer } from "tenon";
import { McpServer } from "@tenon/sdk";
import { z } from "zod";
import { defineToolModule, registerTools, setupTransport } from "../../../src/index.js";

const info = { name: "failing", version: "1.0.0" };
const boom = defineToolModule({
  name: "boom",
  description: "Fails",
  inputSchema: z.object({}),
  handler: (): string => {
    throw new Error("kaboom token=s3cr3tvalue");
  },
});

const SERVERS = {
  facade: () => {
    const server = new McpServer(info);
    server.registerTool("boom", {}, () => {
      throw new Error("kaboom token=s3cr3tvalue");
    });
    return server;
  },
  "modules on Tenon": () => registerTools(defineServer(info), [boom], {}),
  "modules on the facade": () => registerTools(new McpServer(info), [boom], {}),
  "modules on the official SDK": () => registerTools(new OfficialServer(info), [boom], {}),
};

const [kind = "", type = "", withLogger] = process.argv.slice(2);
const note = (level: string) => (text: string) => void process.stderr.write(`${level}: ${text}\n`);
const logger = { debug: () => {}, info: () => {}, warn: note("warn"), error: note("error") };
const result = await setupTransport({
  transport: type === "http" ? { type, port: 0 } : { type: "stdio" },
  serverFactory: SERVERS[kind as keyof typeof SERVERS],
  app: express(),
  ...(withLogger === undefined ? {} : { logger }),
});
if ("httpServer" in result) process.send?.((result.httpServer.address() as AddressInfo).port); // listening on a port
