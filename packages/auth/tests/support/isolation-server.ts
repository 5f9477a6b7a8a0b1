/**
 * @fileoverview A server with sessions, streams, elicitations, subscriptions, and items that require scopes, and the
 * principals that try to access each other's data.
 * @module tests/auth/support/isolation-server
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import { createAuthorization } from "../../src/index.js";
import type { Server } from "../../../tenon/src/core/server.js";
import { defineServer, form } from "tenon";
import { type Door, openDoors } from "../../../../tools/tokens/doors.js";
import { type Issuer, startTrust } from "../../../../tools/tokens/issuer.js";

export const VAULT = "vault://gold";
export const LEDGER = "vault://{year}/ledger";
export const BOARD = "board://news";

/** Scopes that the vault requires, all of them. */
export const VAULT_SCOPES = ["vault:open", "vault:read"] as const;

/** The callers' claims. Each caller differs from Ada, the owner, in one claim. */
export const PRINCIPALS = {
  ada: { sub: "ada", client_id: "desk", scope: "board" },
  eve: { sub: "eve", client_id: "desk", scope: "board" },
  adaElsewhere: { sub: "ada", client_id: "phone", scope: "board" },
  nobodyAtTheDesk: { sub: undefined, client_id: "desk", scope: "board" },
  /** Would equal Ada's principal if its parts were only concatenated. */
  crafted: { sub: 'ada","desk', client_id: "desk", scope: "board" },
  guard: { sub: "guard", client_id: "desk", scope: "board vault:open vault:read" },
  halfGuard: { sub: "guard", client_id: "desk", scope: "board vault:open" },
} as const;

/** Name of a principal. */
export type Principal = keyof typeof PRINCIPALS;

/** The endpoints and their controls. */
export interface Stage {
  readonly doors: readonly Door[];
  readonly issuer: Issuer;
  /** Returns a principal's `Authorization` header. */
  readonly as: (principal: Principal) => { readonly authorization: string };
  /** Servers, in the same order as the endpoints. */
  readonly servers: readonly Server[];
  /** Ends all pending calls to `wait`. */
  readonly release: () => void;
  /** Labels of the cancelled calls to `wait`. */
  readonly cancelled: string[];
  readonly close: () => Promise<void>;
}

/** Opens the endpoints. */
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
