import { describe, expect, test } from "vitest";
import { type ClientAuthOptions, createClientAuth } from "../../src/index.js";

const authorize = () => Promise.reject(new Error("unused"));
const issuer = "https://auth.example.com";

describe("createClientAuth", () => {
  test.each<[string, object]>([
    ["no options", {}],
    ["a port", { redirectUri: "http://localhost:8123/oauth/callback" }],
    ["an address of IPv6", { redirectUri: "http://[::1]/callback" }],
    ["an application's scheme", { authorize, redirectUri: "com.example.app:/callback" }],
    ["a web application", { authorize, redirectUri: "https://app.example.com/callback?x=1" }],
    ["a metadata document", { clientMetadataUrl: "https://app.example.com/client.json" }],
    ["a public client", { clients: [{ issuer, clientId: "a" }] }],
    ["private networks", { allowPrivateNetworks: ["id.corp.example.com"] }],
  ])("accepts %s", (_case, options) => {
    expect(() => createClientAuth(options)).not.toThrow();
  });

  test.each<[object, string]>([
    [{ clientId: "a" }, "unknown option `clientId`. Did you mean `clients`?"],
    [{ tokenStore: {} }, "unknown option `tokenStore`. Did you mean `store`?"],
    [
      { clientMetadata: {} },
      "createClientAuth: `clientMetadata` must be an object with a non-empty string `client_name`; got an object.",
    ],
    [
      { clientMetadataUrl: "http://app.example.com/client.json" },
      "`clientMetadataUrl` must be an https URL with a path, and without credentials and fragment; " +
        'got "http://app.example.com/client.json".',
    ],
    [
      { clientMetadataUrl: "https://app.example.com" },
      "`clientMetadataUrl` must be an https URL with a path",
    ],
    [
      { clientMetadataUrl: "https://app.example.com/a#b" },
      "`clientMetadataUrl` must be an https URL with a path",
    ],
    [
      { clientMetadataUrl: "https://app.example.com/x/../a" },
      "`clientMetadataUrl` must be an https URL with a path",
    ],
    [{ clients: {} }, "createClientAuth: `clients` must be an array of registered clients; got an object."],
    [
      { clients: [{ clientId: "a" }] },
      "createClientAuth: `clients[0].issuer` is required. Set it to the URL of an authorization server.",
    ],
    [{ clients: [{ issuer, clientId: "" }] }, '`clients[0].clientId` must be a non-empty string; got "".'],
    [
      { clients: [{ issuer, clientId: "a", clientSecret: "" }] },
      "createClientAuth: `clients[0].clientSecret` must be a non-empty string; got an empty string. Omit it for a public client.",
    ],
    [
      { clients: [{ issuer, clientId: "a", clientSecret: "s", privateKey: {} }] },
      "`clients[0]` must have either `clientSecret` or `privateKey`, not both.",
    ],
    [
      { clients: [{ issuer, clientId: "a" }], clientCredentials: true },
      "`clients[0]` must have `clientSecret` or `privateKey`, because `clientCredentials` is true.",
    ],
    [{ clientCredentials: true }, "`clientCredentials` requires an entry in `clients`."],
    [{ authorize }, "`authorize` requires `redirectUri`."],
    [
      { authorize, redirectUri: "http://app.example.com/callback" },
      "`redirectUri` must be an https URL, an http URL on this machine, or a URL with the scheme of an application, " +
        'without a fragment; got "http://app.example.com/callback".',
    ],
    [{ authorize, redirectUri: "javascript:alert(1)" }, "`redirectUri` must be an https URL"],
    [
      { redirectUri: "https://app.example.com/callback" },
      '`redirectUri` must be an http URL on "127.0.0.1", "localhost", or "[::1]", without a query and fragment; ' +
        'got "https://app.example.com/callback". For other URLs, pass `authorize`.',
    ],
    [{ redirectUri: "http://127.0.0.2/callback" }, "`redirectUri` must be an http URL on"],
    [{ redirectUri: "http://127.0.0.1/callback?x=1" }, "`redirectUri` must be an http URL on"],
    [
      { allowPrivateNetworks: "host" },
      "`allowPrivateNetworks` must be true, false, or an array of host names",
    ],
  ])("rejects %j", (options, message) => {
    expect(() => createClientAuth(options as ClientAuthOptions)).toThrow(message);
    expect(() => createClientAuth(options as ClientAuthOptions)).toThrow(/^createClientAuth: /);
  });

  test("does not repeat a secret in an error", () => {
    const options = { clients: [{ issuer: "canary-issuer", clientId: "a", clientSecret: "canary-secret" }] };
    expect(() => createClientAuth(options)).toThrow(/^(?!.*canary-secret).*$/s);
  });
});
