/**
 * @fileoverview Areas of the page, and the navigation between them: a list, a menu on narrow screens, and shortcuts.
 * @module cli/page-app/views/shell/navigation
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Menu } from "@tenon/ui/components/navigation/menu.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatCount } from "@tenon/ui/support/format.js";
import { type App, useApp } from "../../app-context.js";
import { type Area, AREAS, formatRoute } from "../../routes/route.js";
import { useEffect } from "preact/hooks";
import { ERA } from "../../state/settings.js";
import type { IconName } from "@tenon/ui/icons/shapes.js";

/** List of the areas with their counts. */
export function Navigation() {
  const { router } = useApp();
  const current = router.route.value.area;
  return (
    <nav class="p-nav" aria-label="Areas">
      <ul>
        {AREAS.map((area) => (
          <li key={area}>
            <a
              class="p-nav__link"
              href={formatRoute({ area })}
              aria-current={area === current ? "page" : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                router.go({ area });
              }}
            >
              <Icon name={AREA_FACTS[area].icon} />
              <span class="p-nav__title">{AREA_FACTS[area].title}</span>
              <AreaCount area={area} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Menu of the areas, for narrow screens. */
export function NavigationMenu() {
  const app = useApp();
  const questions = app.store.questions.value.size;
  const items = AREAS.map((area) => {
    const count = AREA_FACTS[area].count?.(app) ?? 0;
    return {
      id: area,
      label: `${AREA_FACTS[area].title}${count > 0 ? ` (${formatCount(count)})` : ""}`,
      icon: AREA_FACTS[area].icon,
      onSelect: () => app.router.go({ area }),
    };
  });
  return (
    <div class="p-nav-menu">
      <Menu label="Areas" icon="menu" items={items} />
      {questions > 0 && <Badge tone="warning">{questions}</Badge>}
    </div>
  );
}

function AreaCount({ area }: { readonly area: Area }) {
  const app = useApp();
  const count = AREA_FACTS[area].count?.(app);
  if (area === "questions") {
    return count === undefined || count === 0 ? null : (
      <Badge tone="warning" icon="question">
        {count}
        <span class="t-hidden"> open</span>
      </Badge>
    );
  }
  if (area === "calls" && app.store.runningCalls.value > 0) {
    return (
      <span class="p-nav__count">
        <Spinner label={`${app.store.runningCalls.value} running`} /> {formatCount(count ?? 0)}
      </span>
    );
  }
  return count === undefined ? null : <span class="p-nav__count">{formatCount(count)}</span>;
}

/** Adds the shortcuts that work everywhere. */
export function usePageShortcuts(onHelp: () => void): void {
  const app = useApp();
  useEffect(() => {
    const remove = [
      app.shortcuts.add({ keys: "?", title: "Show the shortcuts", run: onHelp }),
      app.shortcuts.add({ keys: "s t", title: "Switch the theme", run: app.theme.toggle }),
      app.shortcuts.add({ keys: "s e", title: "Switch the era", run: () => switchEra(app) }),
      ...AREAS.map((area) =>
        app.shortcuts.add({
          keys: `g ${AREA_FACTS[area].key}`,
          title: AREA_FACTS[area].title,
          group: "Go to",
          run: () => goTo(app, area),
        }),
      ),
    ];
    return () => remove.forEach((one) => one());
  }, [app]);
}

/** Goes to an area, and moves the focus to its content, so that the Tab key continues there. */
function goTo({ router }: App, area: Area): void {
  router.go({ area });
  requestAnimationFrame(() => document.getElementById("main")?.focus());
}

function switchEra({ memory, eras, era }: App): void {
  const other = eras.peek().find((one) => one !== era.peek());
  if (other !== undefined) memory.signal(ERA).value = other;
}

/** Facts about an area. */
interface AreaFacts {
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
