// Hashes on their way into the store: each is written once, however many bring the same bytes at the same time.
import type { Pieces } from '../fs/pieces.ts';
import type { Place } from './place.ts';

/** One caller's share in bytes that are on their way. Resolves once they are durable beside the kept ones. */
export interface Flight {
  /** Puts them under their name, durable when it resolves. */
  keep(): Promise<void>;
  /** They are taken away again, unless somebody else brought them too. */
  abandon(): void;
}

interface Shared {
  staged: Promise<void>;
  kept: Promise<void> | null;
  users: number;
}

export function createFlights(place: Place) {
  const flights = new Map<string, Shared>();
  const forget = (hash: string, flight: Shared) => void (flights.get(hash) === flight && flights.delete(hash));

  return {
    async stage(hash: string, bytes: Buffer | Pieces): Promise<Flight> {
      const flight = flights.get(hash) ?? { staged: place.stage(hash, bytes), kept: null, users: 0 };
      flights.set(hash, flight);
      flight.users += 1;
      await flight.staged.catch((cause: unknown) => {
        forget(hash, flight);
        throw cause;
      });
      return {
        async keep() {
          flight.kept ??= place.keep(hash).finally(() => forget(hash, flight));
          await flight.kept;
        },
        abandon() {
          flight.users -= 1;
          if (flight.users > 0 || flight.kept !== null) return;
          forget(hash, flight);
          place.unstage(hash);
        },
      };
    },
  };
}
