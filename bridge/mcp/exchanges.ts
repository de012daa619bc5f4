// HTTP exchanges under way, so that each can be ended: by its client's cancellation, by a revoked grant, or at the end.

export interface Exchange {
  /** Whose it is: an exchange is only ever ended in the name of its own grant. */
  principal: string;
  /** The client session of the 2025 revisions. Without one, a cancellation that arrives apart cannot be told from another client's. */
  session: string | null;
  /** The JSON-RPC ids it is to answer. */
  ids: readonly (string | number)[];
}

export interface Exchanges {
  begin(exchange: Exchange): { signal: AbortSignal; abort(): void; end(): void };
  cancel(exchange: Omit<Exchange, 'ids'>, id: unknown): void;
  endAll(principal?: string): void;
}

export function createExchanges(): Exchanges {
  const open = new Map<AbortController, Exchange>();

  function endWhere(isMeant: (exchange: Exchange) => boolean, reason: string): void {
    for (const [controller, exchange] of open) if (isMeant(exchange)) controller.abort(new Error(reason));
  }

  return {
    begin(exchange) {
      const controller = new AbortController();
      open.set(controller, exchange);
      return { signal: controller.signal, abort: () => controller.abort(), end: () => void open.delete(controller) };
    },
    cancel({ principal, session }, id) {
      if (session === null || (typeof id !== 'string' && typeof id !== 'number')) return;
      endWhere(
        (open) => open.principal === principal && open.session === session && open.ids.includes(id),
        'The client cancelled the call.',
      );
    },
    endAll(principal) {
      endWhere((exchange) => principal === undefined || exchange.principal === principal, 'The connection was ended by the bridge.');
    },
  };
}
