// The address as state. Moving to another view is a navigation, so Back works; refining the same view replaces it.
import { formatRoute, home, parseRoute, type Open, type Route } from './route.ts';

/** A field that should have the focus as soon as it is there. */
export type Wish = 'search' | 'add-project' | 'issue-token' | 'set-up';

export class Router {
  wish = $state<Wish | null>(null);
  route = $state.raw<Route>(home);

  /** Follows the address until the returned function is called. */
  start(): () => void {
    const read = () => this.read();
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }

  read(): void {
    this.route = parseRoute(location.hash);
  }

  go(route: Route): void {
    location.hash = formatRoute(route);
  }

  /** The address of something beside the present screen, keeping its query. */
  beside(open: Open | null): string {
    return formatRoute({ ...this.route, open });
  }

  open(open: Open): void {
    location.hash = this.beside(open);
  }

  close(): void {
    if (this.route.open !== null) location.hash = this.beside(null);
  }

  /** Changes the query without a new entry in the history. */
  refine(change: Record<string, string>): void {
    const entries = Object.entries({ ...this.route.query, ...change }).filter(([, value]) => value !== '');
    this.route = { ...this.route, query: Object.fromEntries(entries) };
    history.replaceState(null, '', formatRoute(this.route));
  }
}

/** An attachment for the field of a wish: takes the focus when it is wished for, also when it appears only afterwards. */
export const wished = (router: Router, wish: Wish) => (field: HTMLElement) => {
  if (router.wish !== wish) return;
  field.focus();
  router.wish = null;
};
