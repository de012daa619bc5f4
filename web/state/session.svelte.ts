// Whether the bridge lets this browser in. The one-time code leaves the address before anything is sent.
import { LinkLost } from '../link/problem.ts';
import { linkCode } from './route.ts';

export type SessionPhase = 'starting' | 'paired' | 'unpaired' | 'unreachable';
/** Why a browser is not paired; null when it never was, as far as is known. */
export type UnpairedReason = 'spent' | 'ended' | null;

export class Session {
  phase = $state<SessionPhase>('starting');
  reason = $state<UnpairedReason>(null);
  csrf: string | null = null;

  async open(): Promise<void> {
    const code = linkCode(location.hash);
    if (code === null) return this.#ask();
    history.replaceState(null, '', `${location.pathname}#/now`);
    const isLetIn = await this.#spend(code);
    if (isLetIn || this.phase === 'unreachable') return;
    // A used link does no harm where a session is open already.
    await this.#ask();
    if (this.phase === 'unpaired') this.reason = 'spent';
  }

  /** Asks again whether this browser is known; true when it is, and its token changed. */
  async renew(): Promise<boolean> {
    const before = this.csrf;
    await this.#ask();
    return this.phase === 'paired' && this.csrf !== before;
  }

  /** Whether the bridge still knows this browser, or does not say. */
  async isStillPaired(): Promise<boolean> {
    const answer = await askSession('GET');
    if (answer === null) return true;
    if (answer.csrf === null) this.ended();
    else this.csrf = answer.csrf;
    return answer.csrf !== null;
  }

  ended(): void {
    this.csrf = null;
    this.phase = 'unpaired';
    this.reason = 'ended';
  }

  async #spend(code: string): Promise<boolean> {
    return this.#take(await askSession('POST', code));
  }

  async #ask(): Promise<void> {
    this.#take(await askSession('GET'));
  }

  #take(answer: SessionAnswer | null): boolean {
    this.csrf = answer?.csrf ?? null;
    if (answer === null) this.phase = 'unreachable';
    else this.phase = answer.csrf === null ? 'unpaired' : 'paired';
    return this.phase === 'paired';
  }
}

interface SessionAnswer {
  csrf: string | null;
}

/** null: no answer came. A refusal of any kind is an answer without a token. */
async function askSession(method: 'GET' | 'POST', link?: string): Promise<SessionAnswer | null> {
  const post = { body: JSON.stringify({ link }), headers: { 'Content-Type': 'application/json', 'X-Drawbridge': '1' } };
  try {
    const response = await fetch(`${location.origin}/api/session`, method === 'POST' ? { method, ...post } : { method });
    if (response.status >= 500) return null;
    const answer = (await response.json()) as { csrf?: unknown };
    return { csrf: response.ok && typeof answer.csrf === 'string' ? answer.csrf : null };
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof SyntaxError) return null;
    throw new LinkLost(cause);
  }
}
