/**
 * @fileoverview The page's state and the functions that update it. All functions are pure, so tests run without a
 * browser.
 * @module examples/agent/page/state
 */
import { toItem } from "./to-item.js";
import { endOfRun, list, number, record, text } from "./values.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Item} Item */
/** @typedef {Readonly<Record<string, unknown>>} Data */

/**
 * Returns the initial state for a conversation, or for a new one if `taskId` is "".
 * @param {string} taskId
 * @returns {State}
 */
export function initialState(taskId) {
  return {
    connection: "connecting",
    tasks: [],
    taskId,
    isLoading: taskId !== "",
    items: [],
    busy: new Set(),
    over: "",
    isStopping: false,
    sending: undefined,
    returned: undefined,
    parents: new Map(),
    made: 0,
  };
}

/**
 * Returns true if the shown conversation is running.
 * @param {State} state
 */
export function isRunning(state) {
  return state.busy.has(state.taskId);
}

/**
 * Returns true if the shown conversation can be resumed.
 * @param {State} state
 */
export function canResume(state) {
  return !isRunning(state) && ["interrupted", "error", "stepLimit"].includes(state.over);
}

/**
 * Switches to a different conversation. "" starts a new one.
 * @param {State} state
 * @param {string} taskId
 * @returns {State}
 */
export function openTask(state, taskId) {
  return { ...state, taskId, isLoading: taskId !== "", items: [], over: "", isStopping: false };
}

/**
 * Sets the connection state. The server may not have received unacknowledged messages. If the conversation has an ID,
 * the page reloads it to find out. Otherwise, the text returns to the input.
 * @param {State} state
 * @param {State["connection"]} connection
 * @returns {State}
 */
export function withConnection(state, connection) {
  if (connection === "open") return { ...state, connection };
  const busy = new Set(isRunning(state) ? [state.taskId] : []);
  const next = { ...state, connection, busy, isStopping: false };
  const willTell = state.taskId !== "" && state.sending?.taskId === state.taskId;
  return state.sending === undefined || willTell ? next : giveBack(next);
}

/**
 * Adds a message that is being sent to the shown conversation.
 * @param {State} state
 * @param {string} message
 * @returns {State}
 */
export function withSent(state, message) {
  const items = withoutPending(state.items);
  return {
    ...state,
    sending: { taskId: state.taskId, message },
    over: "",
    items: [...items, { kind: "user", key: "pending", text: message, isPending: true }],
  };
}

/**
 * Marks the shown conversation as stopping.
 * @param {State} state
 * @returns {State}
 */
export function withStopping(state) {
  return { ...state, isStopping: true };
}

/**
 * Clears the undelivered message after the input has restored its text.
 * @param {State} state
 * @returns {State}
 */
export function withNothingReturned(state) {
  return { ...state, returned: undefined };
}

/**
 * Applies a frame from the server.
 * @param {State} state
 * @param {Frame} frame
 * @returns {State}
 */
export function receive(state, { type, data }) {
  const taskId = text(data["taskId"]);
  switch (type) {
    case "sessionHistories":
      return { ...state, tasks: list(data["sessionHistories"]).map(toEntry) };
    case "taskHistory":
      return taskId === state.taskId ? withHistory(state, data) : state;
    case "ack":
      return withAck(state, data);
    case "assignTaskUpdated":
      return withPart(state, data);
    case "conversationOver":
      return withOver(state, taskId, text(data["reason"]));
    case "connected":
      return state;
    default:
      return withItemFrame(state, { type, data }, taskId);
  }
}

/** @type {(state: State, frame: Frame, taskId: string) => State} */
function withItemFrame(state, frame, taskId) {
  const isAtWork = taskId !== "" && ["message", "think", "tool", "completionResult"].includes(frame.type);
  const next = isAtWork && !state.busy.has(taskId) ? withBusy(state, taskId, true) : state;
  return taskId === "" || taskId === state.taskId ? withItem(next, frame) : next;
}

/** @type {(state: State, frame: Frame) => State} */
function withItem(state, { type, data }) {
  const time = number(data["updateTime"]);
  const key = time === undefined ? `${type}:made-${state.made}` : `${type}:${time}`;
  const next = time === undefined ? { ...state, made: state.made + 1 } : state;
  const index = next.items.findLastIndex((item) => item.key === key);
  if (data["status"] === "discarded") return { ...next, items: next.items.filter((_, at) => at !== index) };
  const item = toItem(type, { data, key, before: next.items[index] });
  if (item === undefined) return next;
  return { ...next, items: index === -1 ? [...next.items, item] : next.items.with(index, item) };
}

/** @type {(state: State, data: Data) => State} */
function withHistory(state, data) {
  const status = text(data["status"]);
  const running = status === "streaming" || status === "tool_executing";
  const parent = text(data["parentTaskId"]);
  const empty = {
    ...withBusy(state, state.taskId, running),
    parents: parent === "" ? state.parents : new Map(state.parents).set(state.taskId, parent),
    items: [],
    isLoading: false,
    isStopping: false,
  };
  const told = list(data["messages"])
    .map(toFrame)
    .reduce(
      (shown, frame) =>
        frame.type === "assignTaskUpdated" ? withPart(shown, frame.data) : withItem(shown, frame),
      /** @type {State} */ (empty),
    );
  const next = { ...told, over: running ? "" : endOfRun(status) };
  if (state.sending?.taskId !== state.taskId) return next;
  const last = next.items.findLast((item) => item.kind === "user");
  return last?.text === state.sending.message ? { ...next, sending: undefined } : giveBack(next);
}

/** @type {(value: unknown) => Frame} */
function toFrame(value) {
  const { type, data } = record(value);
  return { type: text(type), data: record(data) };
}

/** @type {(state: State, data: Data) => State} */
function withAck(state, data) {
  const target = record(data["targetMessage"]);
  const sent = record(target["data"]);
  const taskId = text(data["taskId"]);
  const isOk = data["status"] === "acked";
  if (target["type"] === "userSendMessage") {
    if (!isOk) return isAnswerToUs(state, sent) ? giveBack(state) : state;
    return withUserMessage(state, { taskId, sent, time: number(data["updateTime"]) });
  }
  if (taskId !== state.taskId) return state;
  if (target["type"] === "loadTask" && !isOk) {
    const next = { ...state, isLoading: false };
    return state.sending?.taskId === taskId ? giveBack(next) : next;
  }
  if (target["type"] === "interrupt") return isOk ? state : { ...state, isStopping: false };
  return target["type"] === "resume" && isOk ? { ...withBusy(state, taskId, true), over: "" } : state;
}

/** @type {(state: State, message: { taskId: string, sent: Data, time: number | undefined }) => State} */
function withUserMessage(state, { taskId, sent, time }) {
  const isOurs = isAnswerToUs(state, sent);
  const isShown = taskId === state.taskId || (isOurs && state.items.some(isPending));
  const next = {
    ...withBusy(state, taskId, true),
    tasks: toTop(state.tasks, taskId, time),
    sending: isOurs ? undefined : state.sending,
  };
  if (!isShown) return next;
  // A new conversation receives its ID here.
  const shown = { ...next, taskId, items: isOurs ? withoutPending(next.items) : next.items, over: "" };
  return withItem(shown, {
    type: "userSendMessage",
    data: { message: sent["message"], updateTime: time },
  });
}

/** @type {(state: State, sent: Data) => boolean} */
function isAnswerToUs(state, sent) {
  const { sending } = state;
  return sending?.message === sent["message"] && sending?.taskId === text(sent["taskId"]);
}

/** @type {(state: State) => State} */
function giveBack(state) {
  return {
    ...state,
    items: withoutPending(state.items),
    returned: state.sending,
    sending: undefined,
  };
}

/** @type {(state: State, data: Data) => State} */
function withPart(state, data) {
  const parent = text(data["parentTaskId"]);
  const part = {
    index: number(data["index"]) ?? 0,
    taskId: text(data["taskId"]),
    status: text(data["taskStatus"]),
    label: labelOf(state.items, number(data["index"]) ?? 0),
  };
  const next = { ...state, parents: new Map(state.parents).set(part.taskId, parent) };
  if (parent !== state.taskId) return next;
  // The next set of subtasks starts at index 0 again.
  const at = next.items.findLastIndex(
    (item) =>
      item.kind === "parts" &&
      item.parts.every(({ index, taskId }) => (index === part.index) === (taskId === part.taskId)),
  );
  const group = next.items[at];
  if (group?.kind !== "parts") {
    const key = `parts:${part.taskId}`;
    return { ...next, items: [...next.items, { kind: "parts", key, parts: [part] }] };
  }
  const others = group.parts.filter(({ taskId }) => taskId !== part.taskId);
  const parts = [...others, part].toSorted((a, b) => a.index - b.index);
  return { ...next, items: next.items.with(at, { ...group, parts }) };
}

/**
 * Finds a subtask's description in the tool call that created it.
 * @type {(items: State["items"], index: number) => string}
 */
function labelOf(items, index) {
  const call = items.findLast((item) => item.kind === "tool" && item.name === "assignTasks");
  return call?.kind === "tool" ? text(list(record(call.params)["tasklist"])[index]) : "";
}

/** @type {(state: State, taskId: string, reason: string) => State} */
function withOver(state, taskId, reason) {
  const next = withBusy(state, taskId || state.taskId, false);
  return taskId === "" || taskId === state.taskId ? { ...next, over: reason, isStopping: false } : next;
}

/** @type {(state: State, taskId: string, isBusy: boolean) => State} */
function withBusy(state, taskId, isBusy) {
  const busy = new Set(state.busy);
  if (isBusy) busy.add(taskId);
  else busy.delete(taskId);
  return { ...state, busy };
}

/** @type {(tasks: State["tasks"], taskId: string, time: number | undefined) => State["tasks"]} */
function toTop(tasks, taskId, time) {
  const entry = tasks.find((task) => task.taskId === taskId);
  if (entry === undefined || time === undefined) return tasks;
  const updatedAt = new Date(time).toISOString();
  return [{ ...entry, updatedAt }, ...tasks.filter((task) => task !== entry)];
}

/** @type {(items: State["items"]) => State["items"]} */
function withoutPending(items) {
  return items.filter((item) => !isPending(item));
}

/** @type {(item: Item) => boolean} */
function isPending(item) {
  return item.kind === "user" && item.isPending;
}

/** @type {(value: unknown) => State["tasks"][number]} */
function toEntry(value) {
  const { taskId, title, updatedAt } = record(value);
  return { taskId: text(taskId), title: text(title), updatedAt: text(updatedAt) };
}
