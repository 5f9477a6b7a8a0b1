/**
 * @fileoverview A mail service on localhost that, like a real one, requires a valid access token.
 * @module examples/mail/mail-api
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Email message in a mailbox. */
export interface Message {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
}

/** Running mail service. */
export interface MailApi {
  readonly base: string;
  readonly close: () => void;
}

/** Starts the service. It asks the authorization server who a token belongs to. */
export async function startMailApi(userEndpoint: string): Promise<MailApi> {
  const http = createServer((request, response) => {
    const authorization = request.headers.authorization ?? "";
    fetch(userEndpoint, { headers: { authorization } })
      .then(async (user) => {
        if (!user.ok) return response.writeHead(401).end();
        const { email } = (await user.json()) as { readonly email: string }; // trusted: the local server sends it
        const messages: readonly Message[] = [
          { id: "1", from: "charles@example.com", subject: `Welcome, ${email}` },
          { id: "2", from: "mary@example.com", subject: "The engine is ready" },
        ];
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(messages));
      })
      .catch(() => response.writeHead(502).end());
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    base: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // an object for TCP servers
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
}
