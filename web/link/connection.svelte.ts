// The live link: one socket, opened again with growing pauses, each time from the position that was reached.
import type { ServerFrame } from '#shared/events.ts';

const PAUSES_MS = [300, 1000, 2000, 4000, 8000, 15_000];
/** The bridge's word that the session is over, as opposed to a lost network. */
const SESSION_ENDED = 4401;

export type LinkPhase = 'idle' | 'connecting' | 'up' | 'down';

export interface ConnectionParts {
  /** Where to go on from. */
  cursor(): { after: number; epoch: string | null };
  onFrame(frame: ServerFrame): void;
  /** Asked when the link does not hold: true while this browser still has a session. */
  isStillPaired(): Promise<boolean>;
}

export class Connection {
  phase = $state<LinkPhase>('idle');
  /** When the link was lost; null while it holds. By this browser's clock. */
  downSince = $state<number | null>(null);
  retryAt = $state<number | null>(null);
  hello = $state.raw<Extract<ServerFrame, { type: 'hello' }> | null>(null);
  readonly #parts: ConnectionParts;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#socket !== null) return;
    clearTimeout(this.#timer);
    this.retryAt = null;
    if (this.phase !== 'down') this.phase = 'connecting';
    const { after, epoch } = this.#parts.cursor();
    const query = `after=${after}${epoch === null ? '' : `&epoch=${encodeURIComponent(epoch)}`}`;
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws?${query}`);
    this.#socket = socket;
    socket.onmessage = ({ data }: MessageEvent<string>) => this.#receive(data);
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) void this.#lost(code);
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.phase = 'idle';
    this.retryAt = null;
  }

  /** Tries at once, when a pause is under way. */
  retry(): void {
    if (this.phase === 'down') this.start();
  }

  #receive(data: string): void {
    const frame = JSON.parse(data) as ServerFrame;
    if (frame.type === 'hello') {
      this.#attempt = 0;
      this.phase = 'up';
      this.downSince = null;
      this.hello = frame;
    }
    this.#parts.onFrame(frame);
  }

  async #lost(code: number): Promise<void> {
    this.#socket = null;
    this.phase = 'down';
    this.downSince ??= Date.now();
    const pause = PAUSES_MS[Math.min(this.#attempt, PAUSES_MS.length - 1)] ?? 0;
    this.#attempt += 1;
    const isPaired = await this.#parts.isStillPaired();
    if (!isPaired || code === SESSION_ENDED) return this.stop();
    const waitMs = pause * (0.8 + Math.random() * 0.4);
    this.retryAt = Date.now() + waitMs;
    this.#timer = setTimeout(() => this.start(), waitMs);
  }
}
