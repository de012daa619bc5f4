// One sign-in and the owner's answer to it: decided once, spent once, by whoever holds the proof of the decision.
import { randomBytes } from 'node:crypto';
import type { Consent } from '#shared/contracts/clients.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Events } from '../events/service.ts';
import { clientRows, type ClientScope, consentRows, type ConsentRow, toClient } from './rows.ts';

export interface ConsentRequest {
  consentId: string;
  clientId: string;
  name: string;
  redirectHost: string;
  scopes: ClientScope[];
}

export interface Decision {
  consentId: string;
  allow: boolean;
  scopes?: ClientScope[] | undefined;
  projectIds?: string[] | undefined;
}

export interface ConsentParts {
  store: Store;
  clock: Clock;
  events: Events;
  /** A registration that was consented to is kept. */
  keepClient(clientId: string): void;
}

/** How long the owner may take to answer. */
const CONSENT_MS = 10 * 60 * 1000;

export function consentsOf({ store, clock, events, keepClient }: ConsentParts) {
  const rows = clientRows(store);
  const consents = consentRows(store);

  function requireConsent(consentId: string): ConsentRow {
    const row = consents.byId.get(consentId);
    if (row === undefined) throw new Failed('NOT_FOUND', 'There is no sign-in of that id; it was finished, or it ran out.');
    return row;
  }

  function admit(row: ConsentRow): void {
    const { client_id: clientId, name, redirect_host: redirectHost, scopes, project_ids: projectIds } = row;
    rows.admit.run({ clientId, name, redirectHost, scopes, projectIds, now: clock.now() });
    keepClient(clientId);
    const body = { clientId, name, redirectHost, scopes: JSON.parse(scopes) as unknown, projectIds };
    events.append({ session: 'owner', kind: 'client.admitted', projectId: null, body });
  }

  return {
    ask({ consentId, clientId, name, redirectHost, scopes }: ConsentRequest): void {
      const now = clock.now();
      consents.prune.run(now);
      consents.insert.run(consentId, clientId, name, redirectHost, JSON.stringify(scopes), now, now + CONSENT_MS);
    },
    show(consentId: string): Consent {
      const row = requireConsent(consentId);
      const known = rows.byId.get(row.client_id);
      return {
        consentId,
        status: statusOf(row, clock.now()),
        clientId: row.client_id,
        name: row.name,
        redirectHost: row.redirect_host,
        scopes: JSON.parse(row.scopes) as ClientScope[],
        known: known === undefined ? null : toClient(known),
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      };
    },
    /** Answers with the proof of the decision, which only the console that decided learns. */
    decide({ consentId, allow, scopes, projectIds }: Decision): { proof: string; name: string } {
      const row = requireConsent(consentId);
      const granted = decidable(row, scopes, clock.now());
      const proof = randomBytes(32).toString('base64url');
      const projects = projectIds === undefined ? null : JSON.stringify(projectIds);
      consents.decide.run(allow ? 1 : 0, JSON.stringify(granted), projects, sha256(proof), consentId);
      return { proof, name: row.name };
    },
    /** Spends a decision: null when the proof is not of this one. A client that was allowed is admitted by it. */
    finish(consentId: string, proof: string): { allowed: boolean; scopes: ClientScope[] } | null {
      return store.transaction(() => {
        const row = consents.byId.get(consentId);
        if (row === undefined || row.expires_at <= clock.now() || row.proof_digest !== sha256(proof)) return null;
        consents.remove.run(consentId);
        if (row.allowed === 1) admit(row);
        return { allowed: row.allowed === 1, scopes: JSON.parse(row.scopes) as ClientScope[] };
      })();
    },
  };
}

function statusOf(row: ConsentRow, now: number): Consent['status'] {
  if (row.expires_at <= now) return 'expired';
  if (row.allowed === null) return 'pending';
  return row.allowed === 1 ? 'allowed' : 'denied';
}

function decidable(row: ConsentRow, scopes: ClientScope[] | undefined, now: number): ClientScope[] {
  const status = statusOf(row, now);
  if (status === 'expired') throw new Failed('APPROVAL_EXPIRED', 'This sign-in ran out; begin it again in the client.');
  if (status !== 'pending') throw new Failed('CONFLICT', 'This sign-in was decided already; nothing was changed.');
  const asked = JSON.parse(row.scopes) as ClientScope[];
  const granted = scopes ?? asked;
  if (granted.some((scope) => !asked.includes(scope)))
    throw new Failed('INVALID_INPUT', 'The client did not ask for all of these rights; nothing was decided.');
  return granted;
}
