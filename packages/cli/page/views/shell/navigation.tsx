/**
 * @fileoverview Navigation between the areas: a list, or a menu on narrow screens.
 * @module cli/page-app/views/shell/navigation
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Menu } from "@tenon/ui/components/navigation/menu.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatCount } from "@tenon/ui/support/format.js";
import { useApp } from "../../app-context.js";
import { type Area, AREAS, formatRoute } from "../../routes/route.js";
import { AREA_FACTS } from "./areas.js";

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
