/**
 * @fileoverview The contract server as official SDK servers in both major versions, each with its SDK's
 * in-memory transport pair for comparison.
 * @module tests/kit/support/sdk-contract-server
 */
import { InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import type { JsonObject } from "@tenon/internal/json";
import type { SdkServer, SdkTransport } from "@tenon/sdk";
import type { Revision } from "tenon/protocol";
import { clientOn, type OpenClient } from "../../../../tests/support/contract/transport-client.js";
import type { ComparedOnly } from "../../../../tests/support/contract/transport-contract.js";
import { CONTRACT_CAPABILITIES, createContractAnswers } from "./sdk-contract-answers.js";
import { NAME_FORM } from "./sdk-tools.js";

/** One version of the SDK. */
export interface SdkContract {
  /** Creates a server for clients of a revision. */
  readonly make: (revision: Revision) => SdkServer;
  /** Creates the two ends of the SDK's in-memory transport. */
  readonly pair: () => readonly [SdkTransport, SdkTransport];
  /** Test cases where the SDK's own texts differ from the contract. */
  readonly ownWords: readonly ComparedOnly[];
}

const OWN_WORDS: readonly ComparedOnly[] = [
  {
    title: "the initialize or discover result describes the server",
    reason: "the SDK serves completions only where it announces them, in any revision",
    only: ({ completionsCapability }) => !completionsCapability,
  },
  { title: "an unknown method is an error response", reason: "the SDK does not name the method" },
];
const OWN_WORDS_2: readonly ComparedOnly[] = [
  ...OWN_WORDS,
  {
    title: "an unknown resource is an error response",
    reason: "version 2 of the SDK sends -32602 for -32002",
  },
];

/** Every version. */
export const SDK_CONTRACTS: Readonly<Record<string, SdkContract>> = {
  "a server of SDK version 1": {
    make: makeContract1,
    pair: () => InMemoryTransport.createLinkedPair(),
    ownWords: OWN_WORDS,
  },
  "a server of SDK version 2": {
    make: makeContract2,
    pair: () => Memory2.createLinkedPair(),
    ownWords: OWN_WORDS_2,
  },
};

/** Creates an in-memory client of such a server, without Tenon. */
export function inMemory({ make, pair }: SdkContract): OpenClient {
  return clientOn(async (revision, take) => {
    const [near, far] = pair();
    near.onmessage = (message: JsonObject) => take(message);
    const server = make(revision);
    await server.connect(far as never); // a transport of the same SDK
    return {
      cancelsByLeaving: false,
      send: (message) => near.send(message),
      close: () => server.close(),
    };
  });
}

const INFO = { name: "contract", version: "1.2.3" };
const OPTIONS = { capabilities: CONTRACT_CAPABILITIES, instructions: "Call what you like." };
const THOUGHT = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Think" } }],
  maxTokens: 10,
};

const SCHEMAS = [
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  ListPromptsRequestSchema,
  GetPromptRequestSchema,
  CompleteRequestSchema,
  SetLevelRequestSchema,
];

/** Version 1: all messages of a call are sent with the call. */
function makeContract1(revision: Revision): Server {
  const answers = createContractAnswers(revision);
  const server = new Server(INFO, OPTIONS);
  for (const schema of SCHEMAS) {
    server.setRequestHandler(schema, async ({ method, params }, { signal, _meta, ...extra }) => {
      const result = await answers[method]?.(
        { ...params },
        {
          signal,
          progressToken: _meta?.progressToken,
          elicit: (message) =>
            extra.sendRequest(
              { method: "elicitation/create", params: { message, requestedSchema: NAME_FORM } },
              ElicitResultSchema,
            ),
          sample: () =>
            extra.sendRequest(
              { method: "sampling/createMessage", params: THOUGHT },
              CreateMessageResultSchema,
            ),
          roots: async () => (await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema)).roots,
          notify: (method, params) => extra.sendNotification({ method, params }),
          announce: (method, params) => server.notification({ method, params }),
        },
      );
      return result as JsonObject;
    });
  }
  return server;
}

/** Version 2: requests to the client use the session's own stream. */
function makeContract2(revision: Revision): McpServer2 {
  const answers = createContractAnswers(revision);
  const mcpServer = new McpServer2(INFO, OPTIONS);
  const { server } = mcpServer;
  for (const [method, answer] of Object.entries(answers)) {
    server.setRequestHandler(method as "tools/call", async ({ params }, { mcpReq }) => {
      const result = await answer(
        { ...params },
        {
          signal: mcpReq.signal,
          progressToken: mcpReq._meta?.progressToken,
          elicit: (message) => mcpReq.elicitInput({ message, requestedSchema: NAME_FORM }),
          sample: () => mcpReq.requestSampling(THOUGHT),
          roots: async () => (await server.listRoots()).roots,
          notify: (method, params) => mcpReq.notify({ method, params }),
          announce: (method, params) => server.notification({ method, params }),
        },
      );
      return result as never; // of that method
    });
  }
  return mcpServer;
}
