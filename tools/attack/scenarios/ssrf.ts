/**
 * @fileoverview An authorization server that tries to make the server send requests into its own network.
 * @module tools/attack/scenarios/ssrf
 */
import { createAuthorization } from "@tenon/auth";
import { createGuardedFetch } from "@tenon/internal/outgoing/guarded-fetch";
import { systemPorts } from "@tenon/internal/ports";
import { goodClaims, RESOURCE } from "../../tokens/issuer.js";
import { createSigner, signToken } from "../../tokens/tokens.js";
import { type AttackContext, Findings } from "../context.js";
import { INNER_ADDRESSES, INNER_HOSTS, INNER_URLS } from "../corpora/ssrf-hosts.js";

const ISSUER = "https://issuer.example";
const KEYS = "https://keys.example/jwks.json";
const signer = createSigner("ES256", "first");

/** Runs the attack. */
export async function ssrf({ figures, print }: AttackContext): Promise<void> {
  const urls = [
    ...INNER_HOSTS.flatMap((host) => [
      `https://${host}/jwks.json`,
      `https://${host}:8443/jwks.json?x`,
      `http://${host}/`,
    ]),
    ...INNER_URLS,
  ];
  const reached = new Findings(print);
  const rejected = new Findings(print);
  for (const url of urls) {
    const { isAccepted, requests } = await verifyWith({ keys: url });
    if (requests.length > 0 || isAccepted)
      reached.add(`${JSON.stringify(url)} led to ${requests.join(", ")}`);
  }
  figures.atLeast("key URLs", urls.length, 200);
  figures.exactly("requests to a rejected key URL", reached.count, 0);

  const redirected = new Findings(print);
  for (const host of INNER_HOSTS) {
    for (const status of [301, 302, 303, 307, 308]) {
      const { isAccepted, requests } = await verifyWith({
        keys: KEYS,
        redirect: { status, to: `https://${host}/` },
      });
      if (isAccepted || requests.some((url) => url !== KEYS))
        redirected.add(`${status} to ${host}: ${requests.join(", ")}`);
    }
  }
  figures.atLeast("redirects", INNER_HOSTS.length * 5, 200);
  figures.exactly("redirects that were followed", redirected.count, 0);

  const resolved = new Findings(print);
  let lookups = 0;
  for (const address of INNER_ADDRESSES) {
    for (const addresses of [[address], ["93.184.216.34", address], [address, "2606:2800:220:1::1"]]) {
      lookups++;
      const connected = await resolveTo(addresses);
      if (connected.length > 0)
        resolved.add(`a name with ${addresses.join(", ")} led to ${connected.join(", ")}`);
    }
  }
  figures.atLeast("names with an inner address", lookups, 100);
  figures.exactly("connections to a name with an inner address", resolved.count, 0);

  const { isAccepted, requests } = await verifyWith({ keys: KEYS });
  if (!isAccepted || requests.join() !== KEYS)
    rejected.add(`public keys were not used: ${requests.join(", ")}`);
  const pinned = await resolveTo(["93.184.216.34"]);
  if (pinned.join() !== "93.184.216.34") rejected.add(`a public name led to ${pinned.join(", ")}`);
  figures.exactly("public destinations that were rejected", rejected.count, 0);
}

/** Response of the attacker's authorization server. */
interface Trap {
  /** Key URL in its metadata. */
  readonly keys: string;
  /** Redirect of the key URL. */
  readonly redirect?: { readonly status: number; readonly to: string };
}

/** Verifies a token with the keys of an attacker. Returns the requests to everything except the issuer. */
async function verifyWith({
  keys,
  redirect,
}: Trap): Promise<{ isAccepted: boolean; requests: readonly string[] }> {
  const requests: string[] = [];
  const authorization = createAuthorization({
    mode: "oauth",
    issuer: ISSUER,
    resource: RESOURCE,
    async fetch(url, init) {
      if (url.startsWith(`${ISSUER}/.well-known/`)) return Response.json({ issuer: ISSUER, jwks_uri: keys });
      requests.push(url);
      if (redirect === undefined) return Response.json({ keys: [signer.jwk] });
      // A function that follows redirects, unless it must not.
      if (init.redirect !== "manual" && init.redirect !== "error") requests.push(redirect.to);
      return new Response(null, { status: redirect.status, headers: { location: redirect.to } });
    },
  });
  const token = signToken({ alg: "ES256", kid: "first", typ: "at+jwt" }, goodClaims(ISSUER), signer);
  const header = (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined);
  try {
    const outcome = await authorization.authenticate({ method: "POST", url: "/mcp", header });
    return { isAccepted: "auth" in outcome, requests };
  } catch {
    return { isAccepted: false, requests };
  }
}

/** Requests a name that resolves to these addresses. Returns the addresses that the request may connect to. */
async function resolveTo(addresses: readonly string[]): Promise<readonly string[]> {
  const connected: string[] = [];
  const guarded = createGuardedFetch({
    configured: ISSUER,
    timeoutMs: 5_000,
    maxBytes: 1_000,
    ports: systemPorts,
    findNetwork: () => ({
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      async send(request) {
        connected.push(...request.addresses.map(({ address }) => address));
        return { status: 200, headers: new Headers(), body: null };
      },
    }),
  });
  await guarded(KEYS, {}).catch(() => undefined);
  return connected;
}
