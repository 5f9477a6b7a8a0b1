/**
 * @fileoverview The official SDK's client, version 2.
 * @module tools/official-clients/v2-client
 */
import { Client, type ClientOptions, type Transport } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";
import { ANSWERS, CAPABILITIES, CLIENT_INFO, HEARD, type OfficialClient } from "./official-client.js";

/** The client's version negotiation mode. */
export type Negotiation = "unset" | "auto" | "pinned";

const MODES: Readonly<Record<Negotiation, ClientOptions>> = {
  unset: {},
  auto: { versionNegotiation: { mode: "auto" } },
  pinned: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
};

/** Connects a version 2 client over a transport. */
export async function connectV2(negotiation: Negotiation, transport: Transport): Promise<OfficialClient> {
  const notifications: JsonObject[] = [];
  const validations: boolean[] = [];
  const errors: string[] = [];
  const client = new Client(CLIENT_INFO, {
    ...MODES[negotiation],
    capabilities: CAPABILITIES,
    jsonSchemaValidator: recording(validations),
  });
  client.setRequestHandler("elicitation/create", () => ANSWERS.elicitation);
  client.setRequestHandler("sampling/createMessage", () => ANSWERS.sampling);
  client.setRequestHandler("roots/list", () => ANSWERS.roots);
  for (const method of HEARD) {
    client.setNotificationHandler(method, (notification) => void notifications.push({ ...notification }));
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is not an event target
  client.onerror = (error) => void errors.push(error.message);
  await client.connect(transport);
  const isModern = client.getProtocolEra() === "modern";
  return {
    revision: client.getNegotiatedProtocolVersion() as Revision, // the client rejects other values
    serverVersion: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    notFoundCode: -32602,
    notifications,
    validations,
    errors,
    async callTool(name, args = {}, { meta, ...options } = {}) {
      const _meta = meta === undefined ? {} : { _meta: meta };
      return client.callTool({ name, arguments: args, ..._meta }, options);
    },
    async toolPages() {
      const all = (await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name);
      return Array.from({ length: Math.ceil(all.length / 5) }, (_, page) =>
        all.slice(page * 5, page * 5 + 5),
      );
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
      if (isModern) {
        const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
        return () => subscription.close();
      }
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
