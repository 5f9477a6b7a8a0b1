/**
 * @fileoverview The official SDK's client, version 1.
 * @module tools/official-clients/v1-client
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";
import { ANSWERS, CAPABILITIES, CLIENT_INFO, type OfficialClient } from "./official-client.js";

/** Connects a version 1 client over a transport. */
export async function connectV1(transport: object): Promise<OfficialClient> {
  const notifications: JsonObject[] = [];
  const validations: boolean[] = [];
  const errors: string[] = [];
  const client = new Client(CLIENT_INFO, {
    capabilities: CAPABILITIES,
    jsonSchemaValidator: recording(validations),
  });
  client.setRequestHandler(ElicitRequestSchema, () => ANSWERS.elicitation);
  client.setRequestHandler(CreateMessageRequestSchema, () => ANSWERS.sampling);
  client.setRequestHandler(ListRootsRequestSchema, () => ANSWERS.roots);
  client.fallbackNotificationHandler = async (notification) => void notifications.push({ ...notification });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is not an event target
  client.onerror = (error) => void errors.push(error.message);
  let revision: Revision | undefined;
  const wire = transport as Transport; // the SDK's types conflict under exactOptionalPropertyTypes
  const setProtocolVersion = wire.setProtocolVersion?.bind(wire);
  wire.setProtocolVersion = (version) => {
    revision = version as Revision; // the client rejects other values
    setProtocolVersion?.(version);
  };
  await client.connect(wire);
  return {
    get revision() {
      return revision ?? "2024-11-05";
    },
    serverVersion: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    notFoundCode: -32002,
    notifications,
    validations,
    errors,
    async callTool(name, args = {}, { meta, ...options } = {}) {
      const _meta = meta === undefined ? {} : { _meta: meta };
      return client.callTool({ name, arguments: args, ..._meta }, undefined, options);
    },
    async toolPages() {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        pages.push(page.tools.map(({ name }) => name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      // The client validates results only against the last page of tools that it listed.
      await client.listTools();
      return pages;
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    getPrompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    async complete(prompt, argument, value) {
      const ref = { type: "ref/prompt" as const, name: prompt };
      return (await client.complete({ ref, argument: { name: argument, value } })).completion.values;
    },
    setLoggingLevel: async (level) => void (await client.setLoggingLevel(level)),
    async watch(uri) {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    close: () => client.close(),
  };
}

/** Validator for the client that records every outcome. */
function recording(validations: boolean[]): AjvJsonSchemaValidator {
  const validator = new AjvJsonSchemaValidator();
  const getValidator = validator.getValidator.bind(validator);
  validator.getValidator = <T>(schema: Parameters<typeof getValidator>[0]) => {
    const check = getValidator<T>(schema);
    return (value) => {
      const outcome = check(value);
      validations.push(outcome.valid);
      return outcome;
    };
  };
  return validator;
}
