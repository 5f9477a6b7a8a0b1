/**
 * @fileoverview Creates `ModuleExtra` from a Tenon call or from official SDK request data.
 * @module kit/modules/module-extra
 */
import type { Call } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isRequestId } from "tenon/protocol";
import type { ModuleExtra } from "./modules.js";
import { read } from "@tenon/internal/security/safe-text";

/** Creates `ModuleExtra` from a Tenon call. */
export function extraOfCall(call: Call): ModuleExtra {
  const { auth } = call;
  return {
    get signal() {
      return call.signal;
    },
    get _meta() {
      return call.meta;
    },
    requestId: call.id,
    ...(auth === undefined ? {} : { authInfo: { clientId: auth.principal, scopes: auth.scopes } }),
    progress: (done, total, message) => call.progress(done, total, message),
    raw: call,
  };
}

/** Creates `ModuleExtra` from the official SDK's callback argument: flat in version 1, nested in version 2. */
export function extraOfSdk(raw: unknown): ModuleExtra {
  const request = read(raw, "mcpReq") ?? raw;
  const signal = read(request, "signal");
  const meta = read(request, "_meta");
  const _meta = isJsonObject(meta) ? meta : {};
  const requestId = read(request, "id") ?? read(request, "requestId");
  const sessionId = read(raw, "sessionId");
  const authInfo = readAuth(read(read(raw, "http"), "authInfo") ?? read(raw, "authInfo"));
  return {
    signal: signal instanceof AbortSignal ? signal : new AbortController().signal,
    _meta,
    ...(isRequestId(requestId) ? { requestId } : {}),
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(authInfo === undefined ? {} : { authInfo }),
    progress: (done, total, message) => tellProgress(request, _meta, { progress: done, total, message }),
    raw,
  };
}

interface Progress {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

async function tellProgress(request: unknown, meta: JsonObject, progress: Progress): Promise<void> {
  const progressToken = meta["progressToken"];
  const send = read(request, "notify") ?? read(request, "sendNotification");
  if (!isRequestId(progressToken) || typeof send !== "function") return;
  try {
    await send.call(request, { method: "notifications/progress", params: { progressToken, ...progress } });
  } catch {
    // Ignore the error: a disconnected client must not fail the operation.
  }
}

function readAuth(auth: unknown): ModuleExtra["authInfo"] {
  const { clientId, scopes } = isJsonObject(auth) ? auth : {};
  if (typeof clientId !== "string") return undefined;
  const isText = (scope: unknown) => typeof scope === "string";
  return { clientId, scopes: Array.isArray(scopes) ? scopes.filter(isText) : [] };
}
