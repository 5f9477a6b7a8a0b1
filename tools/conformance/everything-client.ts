/**
 * @fileoverview Client for the official conformance suite. The suite starts it with the URL of a test server, and the
 * scenario in environment variables. It uses everything that the server offers.
 * @module tools/conformance/everything-client
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { createClientAuth, discoverAuthorization } from "@tenon/oauth";
import { importPKCS8 } from "jose";
import { type Client, type ClientAuthorization, createClient, type RemoteClientOptions } from "tenon/client";
import { type McpToolDefinition, type Revision, REVISIONS } from "tenon/protocol";

/** Facts that the suite passes to the client. */
interface Context {
  /** Calls to make. By default, every listed tool is called once. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
}

/** Scenario in which the client sends a schema back. */
const PRESERVATION = "json-schema-2020-12-preservation";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context; // the suite's own format
const revision = REVISIONS.find((one) => one === process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"]);

const client = await createClient(url, {
  ...toRevision(revision),
  clientInfo: { name: "tenon-conformance", version: "1.0.0" },
  timeoutMs: 120_000,
  input: ({ requestedSchema }) => ({ action: "accept", content: fillIn(requestedSchema) }),
  ...(scenario.startsWith("auth/") ? { authorization: await createAuthorization() } : {}),
});
try {
  await useEverything(client);
} finally {
  await client.close();
}

function toRevision(wanted: Revision | undefined): Pick<RemoteClientOptions, "revision"> {
  return wanted === undefined ? {} : { revision: wanted };
}

/** Calls the tools, and reads the resources and prompts. */
async function useEverything(connected: Client): Promise<void> {
  const { capabilities } = connected.server;
  const offers = (feature: string) => isJsonObject(capabilities) && capabilities[feature] !== undefined;
  const tools = await connected.listTools();
  const calls = context.toolCalls ?? callsFor(tools);
  for (const call of calls) await connected.callTool(call.name, call.arguments);
  if (offers("resources")) {
    for (const { uri } of await connected.listResources()) await connected.readResource(uri);
  }
  if (offers("prompts")) {
    for (const { name } of await connected.listPrompts()) await connected.getPrompt(name);
  }
}

/** Creates a call of each tool. One scenario compares the schema that the client has read with the one it was sent. */
function callsFor(tools: readonly McpToolDefinition[]): NonNullable<Context["toolCalls"]> {
  if (scenario === PRESERVATION)
    return [{ name: "json_schema_echo", arguments: { schema: tools[0]?.inputSchema } }];
  return tools.map(({ name, inputSchema }) => ({ name, arguments: sample(inputSchema) }));
}

/** Answers a form. Fields with defaults stay empty, because the client fills them in. */
function fillIn(schema: unknown): JsonObject {
  return sample(schema, ({ default: preset }) => preset === undefined);
}

/** Creates a value for each property of an object schema. */
function sample(schema: unknown, isWanted: (property: JsonObject) => boolean = () => true): JsonObject {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return Object.fromEntries(
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, property]) =>
      isJsonObject(property) && isWanted(property) ? [[name, sampleOf(property)]] : [],
    ),
  );
}

function sampleOf({ type }: JsonObject): unknown {
  switch (type) {
    case "number":
    case "integer":
      return 2;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    case "null":
      return null;
    default:
      return "text";
  }
}

/** Signs in without a user: the suite's authorization server redirects at once. */
async function createAuthorization(): Promise<ClientAuthorization> {
  const { client_id: clientId, client_secret: clientSecret } = context;
  const privateKey = await readKey();
  const client =
    clientId === undefined || (clientSecret === undefined && privateKey === undefined)
      ? undefined
      : {
          issuer: (await discoverAuthorization(url)).issuer,
          clientId,
          ...(clientSecret === undefined ? {} : { clientSecret }),
          ...(privateKey === undefined ? {} : { privateKey }),
        };
  return createClientAuth({
    clientMetadata: { client_name: "tenon-conformance" },
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    ...(client === undefined ? {} : { clients: [client] }),
    clientCredentials: scenario.startsWith("auth/client-credentials-"),
    redirectUri: "http://localhost:3000/callback",
    authorize: async ({ url: authorizationUrl }) => {
      const response = await fetch(authorizationUrl, { redirect: "manual" });
      return new URL(response.headers.get("location") ?? "", authorizationUrl);
    },
  });
}

/** Imports the key that signs the client's assertions. */
async function readKey() {
  const { private_key_pem: pem, signing_algorithm: algorithm = "ES256" } = context;
  return pem === undefined ? undefined : importPKCS8(pem, algorithm);
}
