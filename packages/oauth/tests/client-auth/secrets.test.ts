import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createMemoryTokenStore } from "../../src/index.js";
import {
  type Answer,
  createWorld,
  ENDPOINT,
  ISSUER,
  json,
  type SentRequest,
  setUp,
  stepUp,
  type World,
} from "../support/client-auth/world.js";

const TOKEN = `${ISSUER}/token`;
const SECRET = "canary-client-secret";

/** Returns everything that a value could show, including hidden members and causes. */
const allOf = (value: unknown) => inspect(value, { depth: Infinity, showHidden: true, getters: true });

/** Records every secret that was sent or received. */
function watchSecrets(world: World): Set<string> {
  const secrets = new Set([SECRET]);
  const issue = world.answers.get(TOKEN);
  world.answers.set(TOKEN, async (request) => {
    for (const name of ["code", "code_verifier", "refresh_token"]) {
      const value = request.body[name];
      if (typeof value === "string") secrets.add(value);
    }
    return issue?.(request) ?? {};
  });
  for (const number of [1, 2, 3, 4, 5]) {
    secrets.add(`access-${number}`);
    secrets.add(`refresh-${number}`);
  }
  return secrets;
}

const leak = ({ body }: SentRequest) => ({
  error: JSON.stringify(body),
  error_description: JSON.stringify(body),
  access_token: 7,
  refresh_token: "refresh-1",
});

test.each<[string, ((request: SentRequest) => Answer) | undefined]>([
  ["valid responses", undefined],
  ["secrets in an error", (request) => json(400, leak(request))],
  ["secrets in an invalid response", (request) => json(200, leak(request))],
  ["secrets with a status of 500", (request) => json(500, leak(request))],
])("tokens, codes, and secrets never reach a log, an error, or a store key: %s", async (_case, answer) => {
  const world = createWorld({ server: { token_endpoint_auth_methods_supported: ["client_secret_post"] } });
  const keys: string[] = [];
  const memory = createMemoryTokenStore();
  const store = { ...memory, set: (key: string, value: unknown) => (keys.push(key), memory.set(key, value)) };
  const clients = [{ issuer: ISSUER, clientId: "c", clientSecret: SECRET }];
  const setup = setUp(world, { clients, store });
  const { auth, renew, token, clock, lines } = setup;
  const secrets = watchSecrets(world);
  const shown: string[] = [];
  const note = (error: unknown) => void shown.push(allOf(error));

  const valid = world.answers.get(TOKEN);
  if (answer !== undefined) world.answers.set(TOKEN, answer);
  await renew().catch(note);
  if (valid !== undefined) world.answers.set(TOKEN, valid);
  await renew();
  clock.advance(3_600_000);
  if (answer !== undefined) world.answers.set(TOKEN, answer);
  await token().catch(note);
  await renew({ token: "access-1" }).catch(note);
  world.callback = () => ({ iss: "https://evil.example.com", code: "canary-code" });
  await renew({ status: 403, header: stepUp("more"), token: "access-1" }).catch(note);
  world.callback = () => ({ state: "canary-state" });
  await renew({ status: 403, header: stepUp("even"), token: "access-1" }).catch(note);
  await auth.signOut(ENDPOINT);

  secrets.add("canary-code").add("canary-state");
  shown.push(...lines, ...keys, allOf(auth));
  expect(shown.length).toBeGreaterThan(4);
  expect(secrets.size).toBeGreaterThanOrEqual(13);
  const leaked = [...secrets].filter((secret) => shown.some((text) => text.includes(secret)));
  expect(leaked).toEqual([]);
});

test("the error of a failing store does not leak tokens", async () => {
  const store = {
    get: async () => undefined,
    delete: async () => false,
    set: async (_key: string, value: unknown) => {
      throw new Error(`disk full: ${JSON.stringify(value)}`);
    },
  };
  const world = createWorld({ server: { client_id_metadata_document_supported: true } });
  const clientMetadataUrl = "https://app.example.com/client.json";
  const { renew, lines } = setUp(world, { store, clientMetadataUrl });
  const error = await renew().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "store_failed",
    message: "The tokens could not be stored. Check `store` and try again.",
  });
  expect(world.paths()).toContain("/token");
  expect(allOf([error, lines])).not.toContain("access-1");
});

test("requests to the metadata URLs carry no credentials", async () => {
  const world = createWorld();
  const { renew } = setUp(world);
  await renew();
  await renew({ token: "access-1" });
  const documents = world.requests.filter(({ url }) => url.includes("/.well-known/"));
  expect(documents.length).toBeGreaterThan(3);
  expect(documents.every(({ headers }) => headers.get("authorization") === null)).toBe(true);
});
