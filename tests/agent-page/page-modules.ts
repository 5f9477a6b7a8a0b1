import { ROOT } from "../support/source-files.js";
import type { Frame, Item, State } from "../../examples/agent/page/types.js";

/** Pure part of the page. It is plain JavaScript for browsers, so its types are declared here. */
interface StateModule {
  readonly initialState: (taskId: string) => State;
  readonly isRunning: (state: State) => boolean;
  readonly canResume: (state: State) => boolean;
  readonly openTask: (state: State, taskId: string) => State;
  readonly withConnection: (state: State, connection: State["connection"]) => State;
  readonly withSent: (state: State, message: string) => State;
  readonly withStopping: (state: State) => State;
  readonly withNothingReturned: (state: State) => State;
  readonly receive: (state: State, frame: Frame) => State;
}

interface BlocksModule {
  readonly toBlocks: (
    text: string,
  ) => readonly { readonly kind: string; readonly lines: readonly string[] }[];
  readonly toSpans: (line: string) => readonly { readonly kind: string; readonly text: string }[];
}

interface AnnouncementsModule {
  readonly announcementOf: (before: State | undefined, after: State) => string;
}

export const page = (await load("state")) as StateModule;
export const blocks = (await load("blocks")) as BlocksModule;
export const announcements = (await load("announcements")) as AnnouncementsModule;

/** Returns the state after some frames. */
export function after(state: State, ...frames: readonly Frame[]): State {
  return frames.reduce(page.receive, state);
}

/** Creates a frame of the task "t". */
export function frame(type: string, data: Frame["data"] = {}): Frame {
  return { type, data: { taskId: "t", ...data } };
}

/** Summarizes the content of the page. */
export function shown(state: State): readonly string[] {
  return state.items.map(describeItem);
}

function describeItem(item: Item): string {
  if (item.kind === "tool") return `tool ${item.name} ${item.status} ${JSON.stringify(item.params)}`;
  if (item.kind === "parts")
    return `parts ${item.parts.map(({ taskId, status }) => `${taskId}:${status}`).join(" ")}`;
  return `${item.kind} ${item.text}`;
}

function load(name: string): Promise<unknown> {
  return import(`${ROOT}/examples/agent/page/${name}.js`);
}
