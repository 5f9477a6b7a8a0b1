/**
 * @fileoverview Encrypts the state of a call that continues in a later round. The client that stores the state is not
 * trusted, so the state is encrypted, authenticated, bound to the principal and the request, and limited in lifetime.
 * @module tenon/core/call/state
 */
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, integer } from "@tenon/internal/options/option-rows";
import type { Ports } from "@tenon/internal/ports";
import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { isVisibleTo, readerOf } from "../wire/access.js";
import { KeyRing } from "./key-ring.js";

/** Responses and results from earlier rounds. */
export interface CallState {
  /** The client's responses, by key. */
  readonly answers: JsonObject;
  /** Results of `call.once`, by key. Each result is wrapped in an object to preserve `undefined`. */
  readonly once: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** Request that a state is bound to. It is valid only for the same server, principal, method, name, and arguments. */
export interface StateBinding {
  readonly server: string;
  readonly principal: string | undefined;
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

/** Options for encrypting call state. */
export const STATE_OPTIONS = /* @__PURE__ */ defineOptions("state", {
  /**
   * Secrets of at least 32 bytes each. The first one encrypts, and all of them decrypt. All nodes must use the
   * same keys.
   * @default keys from the transport's `store`, otherwise one random key per process
   */
  keys: custom<readonly (string | Uint8Array)[]>({
    expected: "an array of strings or bytes",
    accepts: Array.isArray,
    isSecret: true,
  }),
  /**
   * Lifetime of an encrypted state in milliseconds, which is the time that a client has to respond.
   * @default 600000
   */
  ttlMs: integer({ default: 600_000 }),
  /**
   * Maximum length of an encrypted state in characters. Limits the decryption work that a client can cause.
   * @default 65536
   */
  maxLength: integer({ default: 65_536 }),
});

/** Options for encrypting call state. */
export interface StateOptions extends OptionsOf<typeof STATE_OPTIONS> {}

/** Encrypts and decrypts call state. */
export interface Sealer {
  /** Encrypts a state. Rejects if the result exceeds `maxLength`. */
  seal(state: CallState, binding: StateBinding): Promise<string>;
  /**
   * Decrypts a state. Resolves with `undefined` if it was altered, has expired, or belongs to a different request.
   * Rejects if only a newer version can read it.
   */
  open(sealed: string, binding: StateBinding): Promise<CallState | undefined>;
}

/** State of a call in its first round. */
export const EMPTY_STATE: CallState = { answers: {}, once: {} };

/** Creates a sealer for the state of calls. @throws if a key is too short */
export function createSealer(
  ports: Ports,
  options: StateOptions = {},
  ring: KeyRing = new KeyRing(ports, options.keys),
): Sealer {
  const { ttlMs, maxLength } = parseOptions(STATE_OPTIONS, options);
  return {
    async seal(state, binding) {
      const plain = encodeUtf8(
        toRecordText("call state", { ...state, server: binding.server, expires: ports.now() + ttlMs }),
      );
      const text = await ring.seal(plain, toBytes(binding));
      if (text.length > maxLength) {
        throw new Error(
          `The call state is ${text.length} characters long (limit: ${maxLength}). ` +
            "Raise `state.maxLength` or return less from `call.once`.",
        );
      }
      return text;
    },

    async open(sealed, binding) {
      if (sealed.length > maxLength) return undefined;
      const plain = await ring.open(sealed, toBytes(binding));
      return plain && readState(plain, binding, ports.now());
    },
  };
}

/**
 * Returns the binding as authenticated data, so that decryption fails with a different binding. The server is in the
 * state itself, so that nodes with an earlier version can decrypt the state during an update.
 */
function toBytes({ principal, method, name, args }: StateBinding): ReturnType<typeof encodeUtf8> {
  return encodeUtf8(canonicalJson([principal ?? null, method, name, args ?? null]));
}

function readState(
  plain: Uint8Array,
  { server, principal }: StateBinding,
  now: number,
): CallState | undefined {
  const found = checkRecord("call state", decodeUtf8(plain));
  if (found.kind === "newer") throw new Error(found.problem);
  const { answers, once, expires, server: origin }: JsonObject = found.kind === "read" ? found.record : {};
  if (typeof expires !== "number" || expires <= now) return undefined;
  // Safe: `seal` wrote it
  if (!isVisibleTo({ server: origin as string | undefined, principal }, readerOf(server, principal)))
    return undefined;
  if (!isJsonObject(answers) || !isJsonObject(once)) return undefined;
  return { answers, once: once as CallState["once"] }; // Safe: `seal` wrote this shape
}
