/**
 * @fileoverview Converts the events of `tenon dev` to events of the page.
 * @module cli/page/bridge/dev-feed
 */
import type { DevEvent, FailedEvent, Problem } from "../../dev/log/events.js";
import type { LogFeed } from "../feed/log-feed.js";
import type { PageFeed } from "../feed/page-feed.js";
import type { BuildState } from "../protocol.js";

/** Feed for the events of the command. */
export class DevFeed {
  readonly #feed: PageFeed;
  readonly #log: LogFeed;
  #status: BuildState["status"] | undefined;

  constructor(feed: PageFeed, log: LogFeed) {
    this.#feed = feed;
    this.#log = log;
  }

  /** Publishes an event of the command. */
  take(event: DevEvent): void {
    switch (event.event) {
      case "started":
        this.#build("ok", []);
        break;
      case "reloaded":
        this.#build("ok", [], event.ms);
        break;
      case "build-failed":
      case "load-failed":
        this.#build("failed", event.problems);
        break;
      case "crashed":
        this.#build("crashed", event.problems);
        break;
      case "handler-failed":
        this.#log.add({ source: "command", level: "error", logger: undefined, text: describeFailed(event) });
        break;
      case "output": {
        const level = event.stream === "stdout" ? "info" : "notice";
        this.#log.add({ source: "output", level, logger: undefined, text: event.text });
        break;
      }
      case "note":
        this.#log.add({ source: "command", level: "info", logger: undefined, text: event.text });
        break;
      default:
        break;
    }
  }

  /** Publishes that a version serves again after a crash. */
  onServing(): void {
    if (this.#status === "crashed") this.#build("ok", []);
  }

  #build(status: BuildState["status"], problems: readonly Problem[], ms?: number): void {
    this.#status = status;
    const shown = problems.map((problem) => ({
      message: problem.message,
      place: placeOf(problem),
      frame: problem.frame?.join("\n"),
    }));
    this.#feed.publish({ type: "build", build: { status, at: Date.now(), ms, problems: shown } });
  }
}

function placeOf({ file, line, column }: Problem): string | undefined {
  return file === undefined ? undefined : `${file}:${line}:${column}`;
}

function describeFailed({ name = "A handler", problems }: FailedEvent): string {
  const lines = problems.map((problem) => {
    const place = placeOf(problem);
    return place === undefined ? problem.message : `${problem.message} (${place})`;
  });
  return `${name} failed: ${lines.join("\n")}`;
}
