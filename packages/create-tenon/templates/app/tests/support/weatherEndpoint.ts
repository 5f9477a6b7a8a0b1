/**
 * @fileoverview A local weather service with configurable responses, in place of the real one.
 * @module tests/support/weatherEndpoint
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The service's next response. */
export interface WeatherAnswer {
  readonly status: number;
  readonly body: string;
}

/** A valid response with the fields that the client uses. */
export const SUNNY: WeatherAnswer = {
  status: 200,
  body: JSON.stringify({
    current: { time: "2026-01-15T12:00", interval: 900, temperature_2m: 21.5 },
  }),
};

/** Starts the service on a free port. */
export async function startWeatherEndpoint() {
  const requests: URL[] = [];
  const endpoint = { url: "", answer: SUNNY, requests, close: async () => {} };
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? "", endpoint.url));
    response.writeHead(endpoint.answer.status, { "content-type": "application/json" });
    response.end(endpoint.answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  endpoint.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return endpoint;
}
