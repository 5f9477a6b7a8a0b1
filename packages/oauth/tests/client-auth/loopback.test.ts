import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ClientAuthOptions } from "../../src/index.js";
import { createWorld, ISSUER, setUp, stepUp, type World } from "../support/client-auth/world.js";

/** A user whose browser follows the redirect to this machine. */
function createUser(world: World) {
  const pages: Promise<string>[] = [];
  const visit = async (url: URL) => {
    const target = await world.authorize({ url });
    return (await fetch(target)).text();
  };
  const openBrowser = async (url: URL) => {
    pages.push(visit(url));
  };
  return { pages, openBrowser };
}

const setUpLoopback = (world: World, options: ClientAuthOptions = {}) => {
  const user = createUser(world);
  const setup = setUp(world, {
    authorize: undefined as never,
    redirectUri: "http://127.0.0.1/callback",
    openBrowser: user.openBrowser,
    ...options,
  });
  return { ...setup, ...user };
};

const redirectOf = (world: World) => new URL(world.visits.at(-1)?.searchParams.get("redirect_uri") ?? "");

async function occupy(port: number): Promise<Server> {
  const server = createServer((_request, response) => response.end("occupied")).listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

describe("a sign-in through the browser", () => {
  test("receives the redirect on a free port, and shows a page after the exchange", async () => {
    const world = createWorld();
    const { renew, token, pages } = setUpLoopback(world);
    expect(await renew()).toBe(true);
    expect(await token()).toBe("access-1");
    expect(redirectOf(world).href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(world.bodiesOf(`${ISSUER}/register`)[0]).toMatchObject({
      redirect_uris: [redirectOf(world).href],
      application_type: "native",
    });
    expect(await pages[0]).toContain("<h1>You are signed in</h1>");
    await expect(fetch(redirectOf(world))).rejects.toThrow();
  });

  test.each([
    ["the user denies access", { code: undefined, error: "access_denied" }, "access_denied"],
    ["the issuer is wrong", { iss: "https://evil.example.com" }, "invalid_callback"],
  ])("shows a page if %s", async (_case, callback, code) => {
    const world = createWorld();
    world.callback = () => callback;
    const { renew, pages } = setUpLoopback(world);
    await expect(renew()).rejects.toMatchObject({ code });
    expect(await pages[0]).toContain("<h1>Sign-in failed</h1>");
  });

  test("uses the same port again, because servers may compare the whole redirect URI", async () => {
    const world = createWorld();
    const { renew, store } = setUpLoopback(world);
    await renew();
    const { href } = redirectOf(world);
    const later = setUpLoopback(world, { store });
    await later.renew({ status: 403, header: stepUp("more"), token: "access-1" });
    expect(redirectOf(world).href).toBe(href);
    expect(world.bodiesOf(`${ISSUER}/register`)).toHaveLength(1);
  });

  test("registers the client with a new port if the earlier one is in use", async () => {
    const world = createWorld();
    const { renew, store } = setUpLoopback(world);
    await renew();
    const before = redirectOf(world);
    await occupy(Number(before.port));
    const later = setUpLoopback(world, { store });
    await later.renew({ status: 403, header: stepUp("more"), token: "access-1" });
    expect(redirectOf(world).port).not.toBe(before.port);
    expect(world.bodiesOf(`${ISSUER}/register`)[1]).toMatchObject({
      redirect_uris: [redirectOf(world).href],
    });
  });

  test.each(["127.0.0.1", "localhost"])(
    "uses a fixed port on %s, and fails if it is in use",
    async (host) => {
      const free = await occupy(0);
      const { port } = free.address() as AddressInfo; // listening on a port
      const redirectUri = `http://${host}:${port}/oauth/callback`;
      const world = createWorld();
      const { renew } = setUpLoopback(world, { redirectUri });
      await expect(renew()).rejects.toMatchObject({
        code: "browser_unavailable",
        message: `Could not listen on port ${port} for the redirect. Close the program that uses it, or set \`redirectUri\`.`,
      });
      free.close();
      await once(free, "close");
      expect(await renew()).toBe(true);
      expect(redirectOf(world).href).toBe(redirectUri);
    },
  );

  test("fails if no browser can be opened", async () => {
    const openBrowser = () => Promise.reject(new Error("no display"));
    const { renew } = setUpLoopback(createWorld(), { openBrowser });
    await expect(renew()).rejects.toMatchObject({
      code: "browser_unavailable",
      message: "Could not open a browser for the sign-in. Pass `onSignIn` to show the URL to the user.",
    });
  });

  test("shows the URL to the user, who may open it on their own", async () => {
    const world = createWorld();
    const shown: URL[] = [];
    const { renew } = setUpLoopback(world, {
      openBrowser: () => Promise.reject(new Error("no display")),
      onSignIn: (url) => {
        shown.push(url);
        void createUser(world).openBrowser(url);
      },
    });
    expect(await renew()).toBe(true);
    expect(shown[0]?.origin).toBe(ISSUER);
  });

  test("closes its port when the request is cancelled", async () => {
    const world = createWorld();
    const opened: URL[] = [];
    const controller = new AbortController();
    const { renew } = setUpLoopback(world, { openBrowser: async (url) => void opened.push(url) });
    const renewed = renew({ signal: controller.signal });
    await expect.poll(() => opened.length).toBe(1);
    const redirect = opened[0]?.searchParams.get("redirect_uri") ?? "";
    expect((await fetch(redirect)).status).toBe(400); // a request without the state
    controller.abort(new Error("stopped"));
    await expect(renewed).rejects.toThrow("stopped");
    await expect
      .poll(() =>
        fetch(redirect).then(
          () => "open",
          () => "closed",
        ),
      )
      .toBe("closed");
  });
});
