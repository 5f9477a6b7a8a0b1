/**
 * @fileoverview Server that the command's transports host. It passes each message to the current generation, so that
 * connections, sessions, and streams survive a reload.
 * @module cli/dev/proxy/dev-proxy
 */
import { isJsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Exchange, McpResponse } from "tenon";
import { Connection, emptyResponse, errorResponse, type HostedServer } from "tenon/host";
import {
  describeInvalidMessage,
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcResponse,
  messageKind,
  salvageId,
} from "tenon/protocol";
import { preciseNow } from "../../clock.js";
import type { Generation } from "../generation/generation.js";
import type { CrashSequel, GenerationListener } from "../generation/generations.js";
import type { ChangeKind } from "../lists/list-changes.js";
import type {
  ClientRequest,
  FromServer,
  HandlerFailure,
  RequestHeaders,
  SentMessage,
  ServerReply,
  ThrownFacts,
} from "../messages/messages.js";
import { type CallRecorder, describeClient, withoutPageHeader } from "./call-recorder.js";
import { cancelledId, changesFor, changesForStream, deliver, notifierOf, sendSafely } from "./deliver.js";
import { ClientConnection, factsOf, isRequest, type Notify } from "./client-connection.js";
import { OpenCall } from "./open-call.js";
import { BUSY_REPLY, lostReply, unavailableReply } from "./replies.js";

/** Receives the events that the command prints. */
export interface ProxyEvents {
  onCall(call: ClientRequest, reply: ServerReply, ms: number): void;
  onFailure(failure: HandlerFailure): void;
  onCrash: GenerationListener["onCrash"];
  onRestartFailed: GenerationListener["onRestartFailed"];
  /** A version of the code serves. */
  onServing?(): void;
}

/** Work that waits for a generation. */
interface Waiting {
  /** Size of the client's message in bytes. */
  readonly size: number | undefined;
  /** Returns true if the client still waits. */
  readonly isWanted: () => boolean;
  readonly run: (generation: Generation) => void;
  readonly reject: (reply: ServerReply) => void;
}

/** Clients, calls, and streams of a proxy. */
export interface ProxyActivity {
  /** Clients with a session, and their calls in flight. */
  readonly clients: readonly { readonly client: ClientConnection; readonly calls: number }[];
  /** Open `subscriptions/listen` streams. */
  readonly streams: readonly OpenCall[];
  /** Number of calls in flight. */
  readonly calls: number;
  /** Number of messages that wait for a server process. */
  readonly waiting: number;
}

/** Maximum number of messages that wait while no generation runs, and of their bytes. */
export const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 67_108_864;

/** Proxy between the transports and the generations. */
export class DevProxy implements HostedServer<RequestHeaders>, GenerationListener {
  readonly #events: ProxyEvents;
  readonly #recorder: CallRecorder | undefined;
  readonly #clients = new Map<number, ClientConnection>();
  readonly #byConnection = new WeakMap<Connection, ClientConnection>();
  readonly #live = new Set<Generation>();
  /** Calls by the IDs that generations know them by. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #streams = new Set<OpenCall>();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #current: Generation | undefined;
  #unavailable: ThrownFacts | undefined;
  #lastCall = 0;
  #lastNumber = 0;
  #lastClient = 0;

  /** @param recorder records the calls of all clients */
  constructor(events: ProxyEvents, recorder?: CallRecorder) {
    this.#events = events;
    this.#recorder = recorder;
  }

  /** Clients, calls, and streams at this moment. */
  get activity(): ProxyActivity {
    const calls = new Set(this.#calls.values());
    const inFlight = [...calls].filter(({ isStream }) => !isStream);
    return {
      clients: [...this.#clients.values()]
        .filter(({ isInitialized }) => isInitialized)
        .map((client) => ({ client, calls: inFlight.filter((call) => call.client === client).length })),
      streams: [...this.#streams],
      calls: inFlight.length,
      waiting: this.#waiting.length,
    };
  }

  /** Handles one message of a client. Never throws or rejects. */
  handle(
    message: JsonRpcMessage,
    headers: RequestHeaders,
    exchange: Exchange = { connection: new Connection() },
  ): MaybePromise<McpResponse> {
    switch (messageKind(message)) {
      case "request":
        return this.#request(message as ClientRequest, headers, exchange); // Safe: the kind was checked
      case "notification":
        this.#takeNotification(message as JsonRpcNotification, exchange);
        return emptyResponse;
      case "response":
        exchange.connection.settle(message as JsonRpcResponse);
        return emptyResponse;
      case "invalid":
        return errorResponse(salvageId(message), {
          error: "INVALID_REQUEST",
          message: describeInvalidMessage(message),
          era: exchange.connection.era ?? "legacy",
        });
    }
  }

  /** Opens the connection on the current generation, and on each later one. */
  attach(connection: Connection, notify: Notify): () => void {
    const client = new ClientConnection(++this.#lastClient, connection, notify);
    this.#clients.set(client.id, client);
    this.#byConnection.set(connection, client);
    this.#current?.send({ kind: "open", connection: client.id, facts: factsOf(connection) });
    return () => {
      this.#clients.delete(client.id);
      for (const generation of this.#live) generation.send({ kind: "close", connection: client.id });
    };
  }

  /** Ends open `subscriptions/listen` streams. */
  close(): void {
    if (this.#current !== undefined) this.#current.send({ kind: "end-streams" });
    else for (const call of this.#streams) call.settle({ type: "empty" });
  }

  /** Notifies clients of changed lists, and of subscribed resources, which may have changed. */
  announce(kinds: readonly ChangeKind[]): void {
    for (const client of this.#clients.values())
      for (const change of changesFor(client, kinds)) sendSafely(client.notify, change);
    for (const call of this.#streams)
      for (const change of changesForStream(call, kinds)) sendSafely(notifierOf(call), change);
  }

  onCurrent(generation: Generation): void {
    this.#live.add(generation);
    this.#current = generation;
    this.#unavailable = undefined;
    this.#events.onServing?.();
    for (const client of this.#clients.values()) {
      generation.send({ kind: "open", connection: client.id, facts: factsOf(client.connection) });
      for (const message of client.stateMessages()) this.#replay(generation, client, message);
    }
    for (const call of this.#streams) this.#startLeg(call, generation);
    for (const { run } of this.#takeWaiting()) run(generation);
  }

  onMessage(generation: Generation, message: FromServer): void {
    if (message.kind === "reply") this.#takeReply(generation, message);
    else if (message.kind === "send") this.#deliver(generation, message);
    else if (message.kind === "hang-up") this.#calls.get(message.call)?.exchange.hangUp?.();
    else if (message.kind === "failure") this.#events.onFailure(message.failure);
    else if (message.kind === "forget")
      this.#clients.get(message.connection)?.questions.forget(generation, message.question);
  }

  onEnded(generation: Generation, reason: ThrownFacts): void {
    this.#live.delete(generation);
    if (this.#current === generation) this.#current = undefined;
    for (const client of this.#clients.values()) client.questions.forgetAll(generation);
    for (const [id, call] of this.#calls) {
      if (call.legs.get(id) !== generation) continue;
      this.#calls.delete(id);
      call.legs.delete(id);
      // A stream continues on the next generation.
      if (!call.isStream) call.settle(lostReply(reason, generation.wasKilled));
    }
  }

  onCrash(reason: ThrownFacts, sequel: CrashSequel): void {
    this.#events.onCrash(reason, sequel);
  }

  onRestartFailed(reason: ThrownFacts): void {
    this.#events.onRestartFailed(reason);
  }

  onUnavailable(reason: ThrownFacts): void {
    this.#unavailable = reason;
    for (const { reject } of this.#takeWaiting()) reject(unavailableReply(reason));
  }

  #request(message: ClientRequest, headers: RequestHeaders, exchange: Exchange): MaybePromise<McpResponse> {
    const { connection } = exchange;
    const { era = "legacy" } = connection;
    if (connection.isInFlight(message.id))
      return errorResponse(message.id, { error: "INVALID_REQUEST", message: DUPLICATE, era });
    if (connection.isFull()) {
      const limit = `Too many calls in flight on this connection (limit: ${connection.maxCalls}).`;
      return errorResponse(message.id, {
        error: "TOO_MANY_CALLS",
        message: `${limit} Try again later.`,
        era,
      });
    }
    const start = performance.now();
    const client = this.#byConnection.get(connection);
    const observer = this.#recorder?.start({
      message,
      headers,
      client: describeClient(message, connection, { client, headers }),
      size: exchange.messageLength,
    });
    const call = new OpenCall({
      number: ++this.#lastNumber,
      message,
      headers: withoutPageHeader(headers),
      exchange,
      client,
      observer,
      onGone: (gone) => this.#cancel(gone),
      onSettled: (settled, reply) => {
        this.#forget(settled);
        this.#events.onCall(message, reply, performance.now() - start);
      },
    });
    if (call.isStream && call.isOpen) this.#streams.add(call);
    this.#withGeneration({
      size: exchange.messageLength,
      isWanted: () => call.isOpen,
      run: (generation) => this.#startLeg(call, generation),
      reject: (reply) => call.settle(reply),
    });
    return call.response;
  }

  /** Runs work on the current generation, or when there is one. */
  #withGeneration(work: Waiting): void {
    if (this.#current !== undefined) work.run(this.#current);
    else if (this.#unavailable !== undefined) work.reject(unavailableReply(this.#unavailable));
    else this.#wait(work);
  }

  #wait(work: Waiting): void {
    if (!this.#hasRoom(work)) this.#dropCancelled();
    if (!this.#hasRoom(work)) {
      work.reject(BUSY_REPLY);
      return;
    }
    this.#waiting.push(work);
    this.#waitingBytes += work.size ?? 0;
  }

  #hasRoom({ size = 0 }: Waiting): boolean {
    return this.#waiting.length < MAX_WAITING && this.#waitingBytes + size <= MAX_WAITING_BYTES;
  }

  /** Makes room for calls of clients that still wait. */
  #dropCancelled(): void {
    this.#waiting = this.#waiting.filter((work) => work.isWanted());
    this.#waitingBytes = this.#waiting.reduce((sum, { size = 0 }) => sum + size, 0);
  }

  #takeWaiting(): readonly Waiting[] {
    this.#waitingBytes = 0;
    return this.#waiting.splice(0);
  }

  #startLeg(call: OpenCall, generation: Generation): void {
    // A stream that waited for a generation has been started with the other streams.
    if (!call.isOpen || [...call.legs.values()].includes(generation)) return;
    const id = ++this.#lastCall;
    this.#calls.set(id, call);
    call.legs.set(id, generation);
    call.passedAt ??= preciseNow();
    if (!generation.call(call.toServerCall(id), call.isStream)) call.settle(BUSY_REPLY);
  }

  /** Repeats a message that is part of a connection's state. The reply is ignored. */
  #replay(generation: Generation, client: ClientConnection, message: JsonRpcMessage): void {
    if (!isRequest(message)) {
      generation.tell(client.id, message);
      return;
    }
    const id = ++this.#lastCall;
    // The client may use the ID for a different call meanwhile.
    const own = { ...message, id: `tenon-dev-${id}` };
    generation.call({ id, connection: client.id, message: own, asks: false }, true);
  }

  #takeReply(generation: Generation, { call: id, reply }: Extract<FromServer, { kind: "reply" }>): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.legs.delete(id);
    if (call !== undefined && (!call.isStream || generation === this.#current)) {
      const { client, message } = call;
      const hasChanged = reply.type === "result" && client?.record(message) === true;
      // The state must also reach the generation that took over while the request was in flight.
      if (hasChanged && client !== undefined && this.#current !== undefined && generation !== this.#current)
        this.#replay(this.#current, client, message);
      call.settle(reply);
    }
    generation.finish(id);
  }

  #deliver(generation: Generation, { call: id, connection, message }: SentMessage): void {
    const call = id === undefined ? undefined : this.#calls.get(id);
    const client = call?.client ?? (connection === undefined ? undefined : this.#clients.get(connection));
    deliver({ message, call, client, generation, isCurrent: generation === this.#current });
  }

  #takeNotification(message: JsonRpcNotification, { connection, messageLength: size }: Exchange): void {
    const client = this.#byConnection.get(connection);
    if (client === undefined) return;
    const requestId = cancelledId(message);
    if (isRequestId(requestId)) {
      // Official SDK servers read the notification, and others the end of the call.
      for (const call of this.#calls.values()) {
        if (call.client !== client || call.message.id !== requestId) continue;
        for (const generation of call.legs.values()) generation.tell(client.id, message, size);
      }
      connection.cancel(requestId, undefined);
      return;
    }
    if (message.method === "notifications/progress") {
      const found = client.questions.findProgress(isJsonObject(message.params) ? message.params : {});
      if (found === undefined) return;
      const { generation, params } = found;
      generation.tell(client.id, { ...message, params }, size);
      return;
    }
    // The next generation gets the notification with the state of the connection.
    if (client.recordNotification(message) && this.#current === undefined) return;
    this.#withGeneration({
      size,
      run: (generation) => generation.tell(client.id, message, size),
      isWanted: () => true,
      reject: () => undefined,
    });
  }

  /** Cancels a call whose client does not wait for the response anymore. */
  #cancel(call: OpenCall): void {
    for (const [id, generation] of call.legs) generation.send({ kind: "gone", call: id });
    const { passedAt } = call;
    // The process replies later, and nobody waits for its times.
    const times = passedAt === undefined ? undefined : { received: passedAt, replied: preciseNow() };
    call.settle({ type: "empty", times });
  }

  /** Removes a call that has ended. Its generations do not wait for it anymore. */
  #forget(call: OpenCall): void {
    this.#streams.delete(call);
    for (const [id, generation] of call.legs) {
      this.#calls.delete(id);
      generation.finish(id);
    }
    call.legs.clear();
  }
}

const DUPLICATE = "A call with this ID is already in flight. Use a new ID.";
