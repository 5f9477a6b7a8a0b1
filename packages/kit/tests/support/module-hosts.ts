/**
 * @fileoverview Every kind of server that accepts modules, with a connected client: Tenon as a builder, as a built
 * server, and from a source, and the official SDK's `McpServer` in both major versions.
 * @module tests/kit/support/module-hosts
 */
import { InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { defineServer, type LogSink } from "tenon";
import { connect } from "@tenon/sdk";
import { registerPrompts, registerResources, registerTools } from "../../src/index.js";
import { toToolSource } from "../../src/modules/register-modules.js";
import type { OfficialClient } from "../../../../tools/official-clients/official-client.js";
import { connectV1 } from "../../../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../../../tools/official-clients/v2-client.js";
import { type NotesContext, PROMPTS, RESOURCES, TOOLS } from "./note-modules.js";

/** A client, and the errors reported on the server. */
export interface Host {
  readonly client: OfficialClient;
  readonly reported: readonly unknown[];
}

/** Every host, with all note modules registered. */
export const HOSTS: Readonly<Record<string, (context: NotesContext) => Promise<Host>>> = {
  async "our builder"(context) {
    const { log, reported } = logging();
    const builder = defineServer({ ...INFO, log });
    registerTools(builder, TOOLS, context);
    registerResources(builder, RESOURCES, context);
    registerPrompts(builder, PROMPTS, context);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await connect(builder.build(), far);
    return { client: await connectV1(near), reported };
  },
  async "our server, while it serves"(context) {
    const { log, reported } = logging();
    const server = defineServer({ ...INFO, log }).build();
    registerTools(server, TOOLS, context);
    registerResources(server, RESOURCES, context);
    registerPrompts(server, PROMPTS, context);
    const [near, far] = Memory2.createLinkedPair();
    await connect(server, far);
    return { client: await connectV2("auto", near), reported };
  },
  async "our builder's tools"(context) {
    const { log, reported } = logging();
    const builder = defineServer({ ...INFO, log })
      .tools(toToolSource(TOOLS, context))
      .with((one) => registerResources(one, RESOURCES, context))
      .with((one) => registerPrompts(one, PROMPTS, context));
    const [near, far] = Memory2.createLinkedPair();
    await connect(builder.build(), far);
    return { client: await connectV2("unset", near), reported };
  },
  async "McpServer of version 1"(context) {
    const server = new McpServer(INFO);
    const reported = watch(server.server);
    registerTools(server, TOOLS, context);
    registerResources(server, RESOURCES, context);
    registerPrompts(server, PROMPTS, context);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    return { client: await connectV1(near), reported };
  },
  async "McpServer of version 2"(context) {
    const server = new McpServer2(INFO);
    const reported = watch(server.server);
    registerTools(server, TOOLS, context);
    registerResources(server, RESOURCES, context);
    registerPrompts(server, PROMPTS, context);
    const [near, far] = Memory2.createLinkedPair();
    await server.connect(far);
    return { client: await connectV2("unset", near), reported };
  },
};

/** Server information. */
export const INFO = { name: "notes", version: "1.0.0" };

function logging() {
  const reported: unknown[] = [];
  const log: LogSink = (entry) => void ("error" in entry && reported.push(entry.error));
  return { log, reported };
}

function watch(server: { onerror?: ((error: Error) => void) | undefined }): readonly unknown[] {
  const reported: unknown[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an event target
  server.onerror = (error) => void reported.push(error);
  return reported;
}
