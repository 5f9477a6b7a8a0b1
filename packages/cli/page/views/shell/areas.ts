/**
 * @fileoverview Titles, icons, and counts of the areas.
 * @module cli/page-app/views/shell/areas
 */
import type { IconName } from "@tenon/ui/icons/shapes.js";
import type { App } from "../../app-context.js";
import type { Area } from "../../routes/route.js";

/** Facts about an area. */
export interface AreaFacts {
  readonly title: string;
  readonly icon: IconName;
  /** Second key of the shortcut. The first one is G. */
  readonly key: string;
  /** Number in the navigation. Absent if there is none. */
  readonly count?: ((app: App) => number) | undefined;
}

/** Facts about the areas. */
export const AREA_FACTS: Readonly<Record<Area, AreaFacts>> = {
  tools: { title: "Tools", icon: "tool", key: "t", count: ({ catalog }) => catalog.tools.value.length },
  resources: {
    title: "Resources",
    icon: "database",
    key: "r",
    count: ({ catalog }) => catalog.resources.value.length,
  },
  prompts: {
    title: "Prompts",
    icon: "message",
    key: "p",
    count: ({ catalog }) => catalog.prompts.value.length,
  },
  calls: { title: "Calls", icon: "clock", key: "c", count: ({ store }) => store.calls.value.size },
  questions: {
    title: "Questions",
    icon: "question",
    key: "q",
    count: ({ store }) => store.questions.value.size,
  },
  activity: { title: "Activity", icon: "activity", key: "a" },
  log: { title: "Log", icon: "log", key: "l" },
};
