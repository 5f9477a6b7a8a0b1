/**
 * @fileoverview A server with something to take from others: sessions, streams, questions, subscriptions, and things
 * that need scopes; and the principals that try.
 * @module tests/auth/isolation-server
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import { createAuthorization } from "../src/index.js";
import type { Server } from "../../tenon/src/core/server.js";
import { defineServer, form } from "tenon";
import { type Door, openDoors } from "./doors.js";
import { type Issuer, startTrust } from "./issuer.js";

export const VAULT = "vault://gold";
export const LEDGER = "vault://{year}/ledger";
export const BOARD = "board://news";

/** The scopes that the vault needs, all of them. */
export const VAULT_SCOPES = ["vault:open", "vault:read"] as const;

/** Who calls, as claims. Each differs from Ada, the owner, in one thing. */
export const PRINCIPALS = {
  ada: { sub: "ada", client_id: "desk", scope: "board" },
  eve: { sub: "eve", client_id: "desk", scope: "board" },
  adaElsewhere: { sub: "ada", client_id: "phone", scope: "board" },
  nobodyAtTheDesk: { sub: undefined, client_id: "desk", scope: "board" },
  /** A name that would be Ada's if names were only put together. */
  crafted: { sub: 'ada","desk', client_id: "desk", scope: "board" },
  guard: { sub: "guard", client_id: "desk", scope: "board vault:open vault:read" },
  halfGuard: { sub: "guard", client_id: "desk", scope: "board vault:open" },
} as const;

/** A name of a principal. */
export type Principal = keyof typeof PRINCIPALS;

/** What the tests stand on. */
export interface Stage {
  readonly doors: readonly Door[];
  readonly issuer: Issuer;
  /** The header of a principal. */
  readonly as: (principal: Principal) => { readonly authorization: string };
  /** The servers, in the order of the doors. */
  readonly servers: readonly Server[];
  /** Lets all calls of `wait` go. */
  readonly release: () => void;
  /** The calls of `wait` that were cancelled. */
  readonly cancelled: string[];
  readonly close: () => Promise<void>;
}

/** Opens it all. */
export async function openStage(): Promise<Stage> {
  const { issuer, options, token } = await startTrust();
  const servers: Server[] = [];
  const cancelled: string[] = [];
  const gate = new EventEmitter().setMaxListeners(100);
  const createServer = () => {
    const server = defineServer({ name: "stage", version: "1.0.0" })
      .tool("whoami", { handler: (_, call) => call.auth?.principal ?? "nobody" })
      .tool("open_vault", { scopes: VAULT_SCOPES, handler: () => "bars and coins" })
      .tool("ask", {
        handler: async (_, call) => {
          const answer = await call.input(
            "name",
            form({ message: "Who?", schema: z.object({ name: z.string() }) }),
          );
          return answer.action === "accept" ? `hello ${answer.content.name}` : answer.action;
        },
      })
      .tool("wait", {
        input: z.object({ label: z.string() }),
        handler: async ({ label }, call) => {
          call.signal.addEventListener("abort", () => void cancelled.push(label));
          await call.progress(0, 1, `begun ${label}`);
          await once(gate, "release");
          return `waited ${label}`;
        },
      })
      .resource("board", { uri: BOARD, handler: () => "news" })
      .resource("vault", { uri: VAULT, scopes: VAULT_SCOPES, handler: () => "bars and coins" })
      .resourceTemplate("ledger", { uriTemplate: LEDGER, scopes: VAULT_SCOPES, handler: () => "entries" })
      .prompt("heist", { scopes: VAULT_SCOPES, handler: () => "a plan" })
      .build();
    servers.push(server);
    return server;
  };
  const doors = await openDoors(createServer, createAuthorization(options));
  return {
    doors,
    issuer,
    servers,
    cancelled,
    as: (principal) => ({ authorization: `Bearer ${token(PRINCIPALS[principal])}` }),
    release: () => void gate.emit("release"),
    close: async () => void (await Promise.all([...doors, issuer].map((one) => one.close()))),
  };
}
